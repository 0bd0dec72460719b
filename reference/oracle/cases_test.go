package oracle_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// normal returns an array of standard normal numbers.
func normal(rng *rand.Rand, shape ...int) wire.Value {
	n := wire.Value{Shape: shape}.Len()
	data := make([]float64, n)
	for i := range data {
		data[i] = rng.NormFloat64()
	}
	return wire.Floats(data, shape...)
}

// below returns integers from 0 to limit-1.
func below(rng *rand.Rand, limit int, shape ...int) wire.Value {
	data := make([]int64, wire.Value{Shape: shape}.Len())
	for i := range data {
		data[i] = rng.Int64N(int64(limit))
	}
	return wire.Ints(data, shape...)
}

// someMask forbids about a third of the pairs, and everything to query 1.
func someMask(rng *rand.Rand, lead, n, m int) wire.Value {
	allowed := make([]bool, lead*n*m)
	for i := range allowed {
		allowed[i] = rng.IntN(3) > 0 && i/m%n != 1
	}
	return wire.Bools(allowed, lead, n, m)
}

// state returns the state dictionary of a model with two layers.
func state(rng *rand.Rand, vocab, d, f int) wire.Values {
	in := wire.Values{
		"token_embeddings.weight": normal(rng, vocab, d), "lm_head.weight": normal(rng, vocab, d),
		"ln_final.weight": normal(rng, d),
		"num_heads":       wire.Int(2), "rope_theta": wire.Float(100), "context_length": wire.Int(6),
	}
	for l := range 2 {
		for _, part := range []string{"ln1", "ln2"} {
			in[fmt.Sprintf("layers.%d.%s.weight", l, part)] = normal(rng, d)
		}
		for _, part := range []string{"q_proj", "k_proj", "v_proj", "output_proj"} {
			in[fmt.Sprintf("layers.%d.attn.%s.weight", l, part)] = normal(rng, d, d)
		}
		for _, part := range []string{"w1", "w3"} {
			in[fmt.Sprintf("layers.%d.ffn.%s.weight", l, part)] = normal(rng, f, d)
		}
		in[fmt.Sprintf("layers.%d.ffn.w2.weight", l)] = normal(rng, d, f)
	}
	return in
}

// with returns in with further arguments.
func with(in wire.Values, more wire.Values) wire.Values {
	all := wire.Values{}
	for _, values := range []wire.Values{in, more} {
		for name, v := range values {
			all[name] = v
		}
	}
	return all
}

// forwardCases returns valid arguments for every function but the backward ones.
func forwardCases(rng *rand.Rand) map[string]wire.Values {
	heads := wire.Values{
		"x": normal(rng, 2, 3, 8), "wq": normal(rng, 8, 8), "wk": normal(rng, 8, 8), "wv": normal(rng, 8, 8),
		"wo": normal(rng, 8, 8), "num_heads": wire.Int(2), "theta": wire.Float(50), "max_seq_len": wire.Int(9),
		"positions": wire.Ints([]int64{0, 2, 8, 5, 4, 1}, 2, 3),
	}
	return map[string]wire.Values{
		"gain":              {"d": wire.Int(3)},
		"linear.forward":    {"x": normal(rng, 2, 3, 4), "w": normal(rng, 5, 4)},
		"embedding.forward": {"ids": below(rng, 4, 2, 5), "w": normal(rng, 4, 3)},
		"rmsnorm.forward":   {"x": normal(rng, 2, 3, 5), "g": normal(rng, 5)},
		"silu.forward":      {"x": normal(rng, 7)},
		"dff":               {"d_model": wire.Int(512)},
		"swiglu.forward":    {"x": normal(rng, 2, 4), "w1": normal(rng, 6, 4), "w2": normal(rng, 4, 6), "w3": normal(rng, 6, 4)},
		"rope.tables":       {"theta": wire.Float(10000), "d_k": wire.Int(6), "max_seq_len": wire.Int(5)},
		"rope.forward": {"x": normal(rng, 2, 3, 4, 6), "positions": below(rng, 20, 2, 4),
			"theta": wire.Float(10000), "max_seq_len": wire.Int(20)},
		"softmax.forward":       {"x": normal(rng, 3, 4, 2), "axis": wire.Int(1)},
		"logsumexp":             {"x": normal(rng, 3, 4, 2), "axis": wire.Int(-2)},
		"cross_entropy.forward": {"logits": normal(rng, 2, 3, 5), "targets": below(rng, 5, 2, 3)},
		"attention.forward": {"q": normal(rng, 2, 3, 4), "k": normal(rng, 2, 5, 4), "v": normal(rng, 2, 5, 6),
			"mask": someMask(rng, 2, 3, 5)},
		"causal_mask":       {"n": wire.Int(4)},
		"multihead.forward": heads,
		"block.forward": with(heads, wire.Values{"ln1": normal(rng, 8), "ln2": normal(rng, 8),
			"w1": normal(rng, 6, 8), "w2": normal(rng, 8, 6), "w3": normal(rng, 6, 8)}),
		"lm.forward": with(state(rng, 11, 8, 6), wire.Values{"ids": below(rng, 11, 2, 5)}),
		"lm.generate": with(state(rng, 11, 8, 6), wire.Values{"prompt": below(rng, 11, 3), "max_new": wire.Int(5),
			"temperature": wire.Float(0), "top_p": wire.Float(1), "stop": wire.Int(-1), "seed": wire.Int(0)}),
		"lm.accounting": {"vocab_size": wire.Int(11), "context_length": wire.Int(6), "d_model": wire.Int(8),
			"num_layers": wire.Int(2), "num_heads": wire.Int(2), "d_ff": wire.Int(6), "batch": wire.Int(2), "seq": wire.Int(5)},
		"bf16.round":    {"x": normal(rng, 7)},
		"bf16.value":    {"code": below(rng, 1<<16, 7)},
		"bf16.dot":      {"code": below(rng, 1<<14, 7), "x": normal(rng, 7)},
		"fp16.round":    {"x": normal(rng, 7)},
		"fp16.value":    {"code": below(rng, 1<<16, 7)},
		"int8.quantize": {"x": normal(rng, 2, 3, 5), "group": wire.Int(3)},
		"int8.value":    {"q8": below(rng, 128, 3, 5), "scale": normal(rng, 3, 2), "group": wire.Int(3)},
		"int8.dot":      {"a8": below(rng, 128, 7), "b8": below(rng, 128, 7)},
		"int8.linear":   {"x": normal(rng, 2, 3, 5), "w": normal(rng, 4, 5), "group": wire.Int(3)},
		"int4.quantize": {"x": normal(rng, 2, 3, 5)},
		"int4.value":    {"q4": below(rng, 256, 3, 2, 16), "scale": normal(rng, 3, 2), "cols": wire.Int(37)},
		"int4.linear":   {"x": normal(rng, 2, 3, 5), "w": normal(rng, 4, 5)},
		"shrink":        formatted(state(rng, 11, 8, 6)),
		"master.run": {"w": normal(rng, 5), "code": below(rng, 1<<14, 3, 5), "scale": wire.Float(8), "every": wire.Int(2),
			"lr": wire.Float(0.1), "max_norm": wire.Float(1)},
		"sample.probs": {"logits": normal(rng, 9), "temperature": wire.Float(0.7), "top_p": wire.Float(0.8)},
	}
}

// cacheCases returns valid arguments for the functions of step 12.
func cacheCases(rng *rand.Rand) map[string]wire.Values {
	reads := with(state(rng, 11, 8, 6), wire.Values{"ids": below(rng, 11, 2, 5), "calls": wire.Ints([]int64{3, 1, 0, 2, 2, 1}, 3, 2), "max_len": wire.Int(5)})
	size := wire.Values{"vocab_size": wire.Int(11), "context_length": wire.Int(6), "d_model": wire.Int(8), "num_layers": wire.Int(2),
		"num_heads": wire.Int(2), "d_ff": wire.Int(6)}
	return map[string]wire.Values{
		"kvcache.mask":    {"past": wire.Int(2), "n": wire.Int(3)},
		"kvcache.forward": reads,
		"kvcache.rows":    reads,
		"kvcache.last":    reads,
		"kvcache.truncate": with(state(rng, 11, 8, 6), wire.Values{"ids": below(rng, 11, 2, 4), "keep": wire.Ints([]int64{3, 1}, 2),
			"more": below(rng, 11, 2, 2), "max_len": wire.Int(5)}),
		"kvcache.pair": with(reads, wire.Values{"other_ids": below(rng, 11, 1, 6), "other_calls": wire.Ints([]int64{2, 1, 3}, 3, 1),
			"other_max_len": wire.Int(6)}),
		"kvcache.once":  with(reads, wire.Values{"later": normal(rng, 11, 8)}),
		"kvcache.bytes": with(size, wire.Values{"batch": wire.Int(3), "max_len": wire.Int(5)}),
		"kvcache.flops": with(size, wire.Values{"past": wire.Int(4), "n": wire.Int(2)}),
	}
}

// groupedCases returns valid arguments for the functions of step 13.
func groupedCases(rng *rand.Rand) map[string]wire.Values {
	layer := wire.Values{"wq": normal(rng, 12, 12), "wk": normal(rng, 4, 12), "wv": normal(rng, 4, 12), "wo": normal(rng, 12, 12),
		"num_heads": wire.Int(6), "theta": wire.Float(50), "max_seq_len": wire.Int(9)}
	return map[string]wire.Values{
		"gqa.repeat":  {"kv": normal(rng, 2, 2, 3, 4), "num_heads": wire.Int(6)},
		"gqa.sum":     {"d": normal(rng, 2, 6, 3, 4), "num_kv_heads": wire.Int(2)},
		"gqa.forward": with(layer, wire.Values{"x": normal(rng, 2, 3, 12), "positions": wire.Ints([]int64{0, 2, 8, 5, 4, 1}, 2, 3)}),
		"gqa.extend":  with(layer, wire.Values{"x": normal(rng, 5, 12), "calls": wire.Ints([]int64{3, 2}, 2), "max_len": wire.Int(7)}),
	}
}

// formatted returns what shrink takes of a model.
func formatted(state wire.Values) wire.Values {
	maps.DeleteFunc(state, func(_ string, v wire.Value) bool { return v.DType != wire.F64 || len(v.Shape) == 0 })
	state["format"] = wire.String("int8")
	return state
}

// params returns the arguments whose gradients backward adds to a buffer.
func params() []string {
	return []string{"w", "g", "w1", "w2", "w3", "wq", "wk", "wv", "wo", "ln1", "ln2"}
}

// backwardOf turns the arguments of a forward function into those of its
// backward function.
func backwardOf(t *testing.T, rng *rand.Rand, name string, forward wire.Values) wire.Values {
	switch name {
	case "lm":
		return with(forward, wire.Values{"targets": below(rng, 11, forward["ids"].Shape...)})
	case "cross_entropy":
		return forward
	}
	out, err := oracle.Eval(name+".forward", forward)
	require.NoError(t, err)
	in := with(forward, nil)
	if name == "rope" {
		delete(in, "x")
	}
	for _, result := range []string{"y", "z"} {
		if y, ok := out[result]; ok {
			in["d"+result] = normal(rng, y.Shape...)
		}
	}
	for _, p := range params() {
		if w, ok := forward[p]; ok {
			in["d"+p+"_before"] = normal(rng, w.Shape...)
		}
	}
	return in
}

// cases returns valid arguments for every function that Eval answers: those above,
// and of a function that is not among them the first of its fixtures.
func cases(t *testing.T, rng *rand.Rand) map[string]wire.Values {
	all := forwardCases(rng)
	maps.Copy(all, cacheCases(rng))
	maps.Copy(all, groupedCases(rng))
	maps.Copy(all, textCases(t))
	set, err := fixtures.Load()
	require.NoError(t, err)
	names := oracle.Functions()
	slices.Sort(names)
	for _, function := range names {
		name, backward := strings.CutSuffix(function, ".backward")
		forward, written := all[name+".forward"]
		switch {
		case backward && written:
			all[function] = backwardOf(t, rng, name, forward)
		case all[function] == nil:
			stored := set.Cases(function)
			require.NotEmpty(t, stored, "%s has neither a case nor a fixture", function)
			all[function] = widened(stored[0].In)
		}
	}
	return all
}

// widened returns values with what is real in float64.
func widened(in wire.Values) wire.Values {
	wide := wire.Values{}
	for name, v := range in {
		if v.DType == wire.F32 {
			v = wire.Floats(reals(v), v.Shape...)
		}
		wide[name] = v
	}
	return wide
}

// textCases returns arguments for the functions of text: the shortest of their fixtures
// that have something to do.
func textCases(t *testing.T) map[string]wire.Values {
	set, err := fixtures.Load()
	require.NoError(t, err)
	all := map[string]wire.Values{}
	for function, name := range map[string]string{"pretokens": "contractions", "bpe.train": "special", "bpe.encode": "special",
		"bpe.encode_reader": "special", "bpe.decode": "special", "bpe.read": "no-merges"} {
		for _, c := range set.Cases(function) {
			if c.Name == name {
				all[function] = c.In
			}
		}
	}
	train := all["bpe.train"]
	all["bpe.roundtrip"] = with(train, wire.Values{"learnt": train["text"]})
	return all
}
