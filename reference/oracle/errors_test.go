package oracle_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// misuse is a change to valid arguments and the error that it causes.
type misuse struct {
	function string
	change   wire.Values
	want     string
}

func TestBadInputIsAnErrorThatNamesTheArgument(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	all := cases(t, rng)
	for _, c := range append(misusedLayers(rng), misusedModels(rng)...) {
		t.Run(c.want, func(t *testing.T) {
			_, err := oracle.Eval(c.function, with(all[c.function], c.change))
			require.EqualError(t, err, c.want)
			require.ErrorAs(t, err, new(oracle.InputError))
		})
	}
	_, err := oracle.Eval("linear.sideways", nil)
	require.EqualError(t, err, `oracle: unknown function "linear.sideways"`)
}

func misusedLayers(rng *rand.Rand) []misuse {
	return []misuse{
		{"linear.forward", wire.Values{"x": normal(rng, 2, 3)},
			"oracle: linear.forward: argument w: got f64 (5, 4), want f32 (O, I=3)"},
		{"linear.forward", wire.Values{"x": wire.Float(1)},
			"oracle: linear.forward: argument x: got f64 1, want f32 (…, I)"},
		{"linear.forward", wire.Values{"bias": normal(rng, 5)},
			"oracle: linear.forward: argument bias: got f64 (5), want no argument but x, w"},
		{"linear.forward", wire.Values{"x": wire.Value{DType: wire.F32, Shape: []int{2, 4}, F32: make([]float32, 7)}},
			"oracle: linear.forward: argument x: got f32 (2, 4) with 7 elements, want f32 (…, I)"},
		{"linear.backward", wire.Values{"dy": normal(rng, 2, 4, 5)},
			"oracle: linear.backward: argument dy: got f64 (2, 4, 5), want f32 (2, 3, O=5)"},
		{"linear.backward", wire.Values{"dw_before": normal(rng, 4, 5)},
			"oracle: linear.backward: argument dw_before: got f64 (4, 5), want f32 (O=5, I=4)"},
		{"embedding.forward", wire.Values{"ids": wire.Ints([]int64{0, 1, 2, 4}, 2, 2)},
			"oracle: embedding.forward: argument ids[1][1]: got 4, want an integer from 0 to 3"},
		{"embedding.forward", wire.Values{"ids": normal(rng, 2, 2)},
			"oracle: embedding.forward: argument ids: got f64 (2, 2), want i64 (B, T)"},
		{"rmsnorm.forward", wire.Values{"g": normal(rng, 4)},
			"oracle: rmsnorm.forward: argument g: got f64 (4), want f32 (D=5)"},
		{"rope.forward", wire.Values{"positions": wire.Ints([]int64{0, 1, 2, 20}, 1, 4)},
			"oracle: rope.forward: argument positions[0][3]: got 20, want an integer from 0 to 19"},
		{"rope.forward", wire.Values{"positions": below(rng, 5, 3, 4)},
			"oracle: rope.forward: argument positions: got i64 (3, 4), want i64 (B=2, T=4) or (1, T=4)"},
		{"rope.forward", wire.Values{"x": normal(rng, 2, 4, 5)},
			"oracle: rope.forward: argument x: got f64 (2, 4, 5), want an even last dimension"},
		{"rope.forward", wire.Values{"theta": wire.Float(0)},
			"oracle: rope.forward: argument theta: got f64 0, want a number above 0"},
		{"rope.tables", wire.Values{"d_k": wire.Int(7)},
			"oracle: rope.tables: argument d_k: got i64 7, want an even number"},
		{"rope.tables", wire.Values{"d_k": wire.Int(1 << 20), "max_seq_len": wire.Int(1 << 20)},
			"oracle: rope.tables: argument max_seq_len: got i64 1048576, want at most 16 for d_k = 1048576"},
	}
}

func misusedModels(rng *rand.Rand) []misuse {
	return []misuse{
		{"softmax.backward", wire.Values{"axis": wire.Int(3)},
			"oracle: softmax.backward: argument axis: got i64 3, want -3 ≤ axis < 3"},
		{"logsumexp", wire.Values{"axis": wire.Int(-4)},
			"oracle: logsumexp: argument axis: got i64 -4, want -3 ≤ axis < 3"},
		{"cross_entropy.forward", wire.Values{"targets": wire.Ints([]int64{0, 0, -1, 0, 0, 0}, 2, 3)},
			"oracle: cross_entropy.forward: argument targets[0][2]: got -1, want an integer from 0 to 4"},
		{"attention.forward", wire.Values{"mask": someMask(rng, 3, 3, 5)},
			"oracle: attention.forward: argument mask: got bool (3, 3, 5), want bool (N=3, M=5) or (2, N=3, M=5)"},
		{"causal_mask", wire.Values{"n": wire.Int(1 << 20)},
			"oracle: causal_mask: argument n: got i64 1048576, want at most 16777216 elements in the mask"},
		{"multihead.forward", wire.Values{"num_heads": wire.Int(8)},
			"oracle: multihead.forward: argument num_heads: got i64 8, want a divisor of D = 8 with D / num_heads even"},
		{"block.backward", wire.Values{"w2": normal(rng, 6, 8)},
			"oracle: block.backward: argument w2: got f64 (6, 8), want f32 (D=8, F=6)"},
		{"lm.forward", wire.Values{"ids": below(rng, 11, 1, 7)},
			"oracle: lm.forward: argument ids: got i64 (1, 7), want at most context_length = 6 tokens in a row"},
		{"lm.forward", wire.Values{"layers.4.ln1.weight": normal(rng, 8)},
			"oracle: lm.forward: argument layers.2.ln1.weight: got nothing, want f32 (D=8)"},
		{"kvcache.rows", wire.Values{"max_len": wire.Int(4)},
			"oracle: kvcache.rows: argument calls: got i64 (3, 2), want at most 4 tokens a row"},
		{"kvcache.truncate", wire.Values{"keep": wire.Ints([]int64{4, 0}, 2)},
			"oracle: kvcache.truncate: argument keep: got i64 (2), want at most 3 tokens"},
		{"kvcache.truncate", wire.Values{"max_len": wire.Int(3)},
			"oracle: kvcache.truncate: argument ids: got i64 (2, 4), want at most 3 tokens a row"},
		{"kvcache.pair", wire.Values{"other_max_len": wire.Int(5)},
			"oracle: kvcache.pair: argument other_calls: got i64 (3, 1), want at most 5 tokens a row"},
		{"kvcache.mask", wire.Values{"n": wire.Int(1 << 20)},
			"oracle: kvcache.mask: argument n: got i64 1048576, want at most 16777216 elements in the mask"},
		{"lm.generate", wire.Values{"temperature": wire.Float(0.5)},
			"oracle: lm.generate: argument temperature: got f64 0.5, want 0: other text is random"},
		{"lm.generate", wire.Values{"prompt": wire.Ints([]int64{}, 0)},
			"oracle: lm.generate: argument prompt: got i64 (0), want at least one token"},
		{"lm.accounting", wire.Values{"num_heads": wire.Int(3)},
			"oracle: lm.accounting: argument num_heads: got i64 3, want a divisor of d_model = 8"},
		{"sample.probs", wire.Values{"temperature": wire.Float(-1)},
			"oracle: sample.probs: argument temperature: got f64 -1, want a number of at least 0"},
		{"sample.probs", wire.Values{"top_p": wire.Float(0)},
			"oracle: sample.probs: argument top_p: got f64 0, want 0 < top_p ≤ 1"},
	}
}

// Every argument of every function is left out, then replaced by things that
// might not fit. Some of them do; none may panic, and nothing missing passes.
func TestNoArgumentMakesEvalPanic(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for function, in := range cases(t, rng) {
		for argument, good := range in {
			without := with(in, nil)
			delete(without, argument)
			_, err := oracle.Eval(function, without)
			require.ErrorAs(t, err, new(oracle.InputError), "%s without %s", function, argument)
			for _, bad := range misfits(rng, good) {
				require.NotPanicsf(t, func() { _, _ = oracle.Eval(function, with(in, wire.Values{argument: bad})) },
					"%s with %s = %v", function, argument, bad)
			}
		}
	}
}

// misfits returns values of other types, shapes and contents than good.
func misfits(rng *rand.Rand, good wire.Value) []wire.Value {
	bad := []wire.Value{
		{}, {DType: "f16", Shape: []int{2}}, {DType: wire.F64, Shape: []int{-1, -2}, F64: []float64{1, 2}},
		{DType: good.DType, Shape: good.Shape},
		wire.String("text"), wire.Bools([]bool{true}, 1), wire.Float(0), wire.Float(-1),
		wire.Int(-1), wire.Int(0), wire.Int(7), wire.Int(1 << 40), wire.Ints([]int64{1 << 40}, 1), normal(rng, 0), normal(rng, 3, 0),
	}
	if good.DType != wire.F64 {
		return bad
	}
	for i := range good.Shape {
		for _, size := range []int{0, 1, good.Shape[i] + 1} {
			shape := slices.Clone(good.Shape)
			shape[i] = size
			bad = append(bad, normal(rng, shape...))
		}
	}
	return append(bad, normal(rng, append([]int{2}, good.Shape...)...))
}

func TestEvalLeavesItsArgumentsAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for function, in := range cases(t, rng) {
		before := wire.Values{}
		for name, v := range in {
			v.Shape, v.F64, v.I64 = slices.Clone(v.Shape), slices.Clone(v.F64), slices.Clone(v.I64)
			before[name] = v
		}
		_, err := oracle.Eval(function, in)
		require.NoError(t, err, function)
		require.Equal(t, before, in, function)
	}
}
