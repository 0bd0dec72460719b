package kvcache

import (
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
