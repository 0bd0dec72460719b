package kvcache

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// cut is how long the text is that is cut in every way.
const cut = 6

// everySplit reads one text in every way to cut it into calls: 2⁵ of them. All have
// the logits of the text at once.
func everySplit(e *course.Exam) error {
	tolerance := func(output string) float64 { return e.Tolerance("kvcache.forward", output) }
	in, want, err := e.Drawn(course.Drawing{Function: "kvcache.forward", Draw: func(rng *rand.Rand) wire.Values {
		in := drawModel(rng)
		drawIDs(rng, in, 1, cut, "ids", "max_len")
		in["calls"] = wire.Ints([]int64{cut}, 1, 1)
		return in
	}})
	if err != nil {
		return err
	}
	return course.InTurn(1<<(cut-1), func(places int) error {
		in := course.With(in, "calls", split(places))
		got, err := e.Ask("kvcache.forward", in)
		if err != nil {
			return err
		}
		return e.Compare("kvcache.forward", in, got, want, nil, tolerance)
	})
}

// split cuts the text behind token i where bit i of places is set.
func split(places int) wire.Value {
	calls := []int64{0}
	for i := range cut {
		calls[len(calls)-1]++
		if places>>i&1 == 1 && i < cut-1 {
			calls = append(calls, 0)
		}
	}
	return wire.Ints(calls, len(calls), 1)
}

// overflow reads a text whose scores are so large that their exponentials overflow
// unless the largest is subtracted first. They are compared coarsely, since scores
// near 300 are rounded in their fifth decimal.
func overflow(e *course.Exam) error {
	coarse := func(string) float64 { return 1e-3 }
	in, want, err := e.Drawn(course.Drawing{Function: "kvcache.forward", Draw: func(rng *rand.Rand) wire.Values {
		in := drawText(rng)
		for _, name := range []string{"layers.0.attn.q_proj.weight", "layers.0.attn.k_proj.weight"} {
			w := in[name]
			w.F32 = slices.Clone(w.F32)
			for i := range w.F32 {
				w.F32[i] *= 8
			}
			in[name] = w
		}
		return in
	}, Tolerance: coarse}, "logits")
	if err != nil {
		return err
	}
	got, err := e.Ask("kvcache.forward", in)
	if err != nil {
		return err
	}
	return e.Compare("kvcache.forward", in, got, want, []string{"logits"}, coarse)
}

// drawLarge draws a model and a prompt, behind which a few tokens are read, large
// enough for what is measured to be more than what a call needs anyway.
func drawLarge(rng *rand.Rand, vocab, prompt int) wire.Values {
	const d, f, heads = 48, 64, 3
	in := wire.Values{"num_heads": wire.Int(heads), "rope_theta": wire.Float(10000), "context_length": wire.Int(prompt + 20), "max_len": wire.Int(prompt + 10),
		"token_embeddings.weight": course.Normal(rng, 1, vocab, d), "ln_final.weight": course.Gain(rng, d),
		"lm_head.weight": course.Normal(rng, 1/math.Sqrt(d), vocab, d)}
	for _, layer := range []string{"layers.0.", "layers.1."} {
		in[layer+"ln1.weight"], in[layer+"ln2.weight"] = course.Gain(rng, d), course.Gain(rng, d)
		for _, p := range []string{"q", "k", "v", "output"} {
			in[layer+"attn."+p+"_proj.weight"] = course.Normal(rng, 1/math.Sqrt(d), d, d)
		}
		in[layer+"ffn.w1.weight"], in[layer+"ffn.w3.weight"] = course.Normal(rng, 1/math.Sqrt(d), f, d), course.Normal(rng, 1/math.Sqrt(d), f, d)
		in[layer+"ffn.w2.weight"] = course.Normal(rng, 1/math.Sqrt(f), d, f)
	}
	in["calls"] = wire.Ints([]int64{int64(prompt), 1, 1, 1, 3, 1}, 6, 1)
	in["ids"] = course.IDs(rng, vocab, 1, prompt+7)
	return in
}
