package kvcache

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// sizes are those of a model, and what a cache of it reads.
type sizes struct {
	vocab, d, f, heads, layers int
	context, maxLen            int
	calls                      []int // how many tokens each of its calls reads, of every row
	rows                       int
}

// draw draws a model of these sizes and its calls.
func (s sizes) draw(rng *rand.Rand) wire.Values {
	weight := func(out, in int) wire.Value { return course.Normal(rng, 1/math.Sqrt(float64(in)), out, in) }
	in := wire.Values{"num_heads": wire.Int(s.heads), "rope_theta": wire.Float(10000), "context_length": wire.Int(s.context), "max_len": wire.Int(s.maxLen),
		"token_embeddings.weight": course.Normal(rng, 1, s.vocab, s.d), "ln_final.weight": course.Gain(rng, s.d), "lm_head.weight": weight(s.vocab, s.d)}
	for l := range s.layers {
		layer := fmt.Sprintf("layers.%d.", l)
		in[layer+"ln1.weight"], in[layer+"ln2.weight"] = course.Gain(rng, s.d), course.Gain(rng, s.d)
		for _, p := range []string{"q", "k", "v", "output"} {
			in[layer+"attn."+p+"_proj.weight"] = weight(s.d, s.d)
		}
		in[layer+"ffn.w1.weight"], in[layer+"ffn.w3.weight"], in[layer+"ffn.w2.weight"] = weight(s.f, s.d), weight(s.f, s.d), weight(s.d, s.f)
	}
	calls, tokens := wire.Ints(nil, len(s.calls), s.rows), 0
	for _, n := range s.calls {
		for range s.rows {
			calls.I64 = append(calls.I64, int64(n))
		}
		tokens += n
	}
	in["calls"], in["ids"] = calls, course.IDs(rng, s.vocab, s.rows, tokens)
	return in
}

// drawLarge draws a model and a prompt, behind which a few tokens are read, large
// enough for what is measured to be more than what a call needs anyway.
func drawLarge(rng *rand.Rand, vocab, prompt int) wire.Values {
	return sizes{vocab: vocab, d: 48, f: 64, heads: 3, layers: 2, context: prompt + 20, maxLen: prompt + 10, rows: 1,
		calls: []int{prompt, 1, 1, 1, 3, 1}}.draw(rng)
}

// drawWide draws a model whose heads are wider than the arrays that people set aside for one.
func drawWide(rng *rand.Rand) wire.Values {
	return sizes{vocab: 11, d: 2 * 134, f: 9, heads: 2, layers: 1, context: 9, maxLen: 8, rows: 1, calls: []int{3, 1, 2}}.draw(rng)
}

// drawMany draws a batch of more rows than people set aside room for.
func drawMany(rng *rand.Rand) wire.Values {
	return sizes{vocab: 13, d: 12, f: 9, heads: 3, layers: 1, context: 7, maxLen: 6, rows: 67, calls: []int{2, 1}}.draw(rng)
}

// drawLong draws a model that reads more tokens than people make tables of positions for.
func drawLong(rng *rand.Rand) wire.Values {
	return sizes{vocab: 5, d: 4, f: 3, heads: 2, layers: 1, context: 1101, maxLen: 1099, rows: 1, calls: []int{1090, 1, 3}}.draw(rng)
}
