package initializers

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// drawing is a call of one of the functions that draw.
type drawing struct {
	function, output string
	in               wire.Values
	shape            []int
}

// drawings returns a call of each function that draws, of 10,000 numbers, with
// one seed and one name. In every one of them some draws are drawn again: 62 %
// at a cut of 0.5, and 27 of 10,000 at a cut of 3, which the weights have.
func drawings(rng *rand.Rand, cut float64) []drawing {
	x := sample(rng, 10_000, 1, cut)
	stream := wire.Values{"seed": x["seed"], "name": x["name"]}
	return []drawing{
		{"truncnormal.sample", "x", x, []int{10_000}},
		{"linear.weight", "w", course.With(course.With(stream, "d_out", wire.Int(50)), "d_in", wire.Int(200)), []int{50, 200}},
		{"embedding.weight", "w", course.With(course.With(stream, "vocab", wire.Int(50)), "d_model", wire.Int(200)), []int{50, 200}},
	}
}

// draw makes the call with another seed and name.
func (d drawing) draw(e *course.Exam, seed, name wire.Value) ([]float32, error) {
	return drawnArray(e, d.function, d.with(seed, name), d.output, d.shape...)
}

func (d drawing) with(seed, name wire.Value) wire.Values {
	return course.With(course.With(d.in, "seed", seed), "name", name)
}

// reproducible checks that a seed and a name settle every number, those that are
// drawn again as well, in one run of the program and in the next.
func reproducible(e *course.Exam) error {
	calls := drawings(e.Rng, 0.5)
	before := make([][]float32, len(calls)) // the draws of the first run, where there were any
	err := course.InTurn(len(calls), func(i int) error {
		d := calls[i]
		first, err := d.draw(e, d.in["seed"], d.in["name"])
		if err != nil {
			return err
		}
		before[i] = first
		second, err := d.draw(e, d.in["seed"], d.in["name"])
		if err != nil {
			return err
		}
		e.MarkOutcome(e.Check+"/the same/"+d.function, equal(first, second), 1, 0.05)
		if !slices.Equal(first, second) {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked(d.function, d.in),
				Message: lang.T("two calls with the same seed and the same name gave different numbers; something else than these two is in them, such as the time or the number of processors")}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := e.StartAnew(); err != nil {
		return err
	}
	return course.InTurn(len(calls), func(i int) error {
		d := calls[i]
		again, err := d.draw(e, d.in["seed"], d.in["name"])
		if err == nil && !slices.Equal(before[i], again) {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked(d.function, d.in),
				Message: lang.T("the program was started again, and the same seed and the same name gave different numbers; " +
					"something else than these two is in them, such as the time or a hash that changes with every start")}
		}
		return err
	})
}

// streams checks that another seed or another name leads to other numbers,
// and that the two do not make up for each other.
func streams(e *course.Exam) error {
	calls := drawings(e.Rng, 3)
	return course.InTurn(len(calls)+2, func(i int) error {
		switch i {
		case len(calls):
			return everyBit(e)
		case len(calls) + 1:
			return apart(e)
		}
		return calls[i].streams(e)
	})
}

func (d drawing) streams(e *course.Exam) error {
	seed, name := d.in["seed"], d.in["name"]
	next, other := wire.Int(int(seed.I64[0])+1), wire.String("layers.1.ffn.w1.weight")
	pairs := []struct {
		what         lang.Text
		seedA, nameA wire.Value
		seedB, nameB wire.Value
	}{
		{lang.T("another seed"), seed, name, next, name},
		{lang.T("another name"), seed, name, seed, other},
		{lang.T("the next seed and the name before"), next, name, seed, other},
		{lang.T("another name, with seed 0,"), wire.Int(0), name, wire.Int(0), other},
		{lang.T("the seed 12 for \"w\" and the seed 2 for \"w1\""), wire.Int(12), wire.String("w"), wire.Int(2), wire.String("w1")},
		{lang.T("the seed 12 for \"w\" and the seed 1 for \"2w\""), wire.Int(12), wire.String("w"), wire.Int(1), wire.String("2w")},
	}
	return course.InTurn(len(pairs), func(i int) error {
		p := pairs[i]
		first, err := d.draw(e, p.seedA, p.nameA)
		if err != nil {
			return err
		}
		second, err := d.draw(e, p.seedB, p.nameB)
		if err != nil {
			return err
		}
		same := equal(first, second)
		e.MarkOutcome(e.Check+"/"+p.what.String()+"/"+d.function, 1+same, 1, 0.05)
		if same > 0.02 {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked(d.function, d.with(p.seedB, p.nameB)),
				Message: lang.T("%s gave the same numbers (%.0f of 100 are equal)", p.what, 100*same)}
		}
		return nil
	})
}

// names are such as a model has, and as are easily taken for each other: one is
// the beginning of the other, or has its letters in another order.
func names() []string {
	return []string{"", "a", "b", "ab", "ba", "layers.1.attn.k_proj.weight", "layers.11.attn.k_proj.weight", "layers.12.ffn.w1.weight",
		"layers.21.ffn.w1.weight", "layers.1.ffn.w2.weight", "layers.2.ffn.w1.weight", "layers.1.ffn.w1.weight", "layers.1.ffn.w1.weights",
		"layers.1.ffn.w1", "token_embeddings.weight", "token_embeddings.weighs", "lm_head.weight"}
}

// zeroSeed checks that the seed 0 settles the numbers like any other.
func zeroSeed(e *course.Exam, n int) error {
	in := wire.Values{"n": wire.Int(n), "sigma": wire.Float(1), "cut": wire.Float(3), "seed": wire.Int(0), "name": wire.String("w")}
	first, err := e.Array("truncnormal.sample", in, "x", n)
	if err != nil {
		return err
	}
	second, err := e.Array("truncnormal.sample", in, "x", n)
	if err == nil && !slices.Equal(first, second) {
		err = e.Fails("truncnormal.sample", in, "two calls with the same seed and the same name gave different numbers")
	}
	return err
}

// everyBit checks that every bit of the seed and every letter of the name counts.
func everyBit(e *course.Exam) error {
	const n = 9 // odd: some ways to draw make two numbers at a time
	seed := int64(e.Rng.Uint64())
	seen := map[[n]float32]wire.Values{}
	ask := func(seed int64, name string) error {
		in := wire.Values{"n": wire.Int(n), "sigma": wire.Float(1), "cut": wire.Float(3), "seed": wire.Int(int(seed)), "name": wire.String(name)}
		x, err := e.Array("truncnormal.sample", in, "x", n)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(x, func(v float32) bool { return v != v }) {
			return e.Fails("truncnormal.sample", in, "not every number is drawn: what was there before, NaN, is still there")
		}
		first := [n]float32(x)
		if other, ok := seen[first]; ok {
			return e.Fails("truncnormal.sample", in, "the seed %d and the name %q give the same numbers as the seed %d and the name %q",
				uint64(seed), name, uint64(other["seed"].I64[0]), other["name"].Text)
		}
		seen[first] = in
		return nil
	}
	for bit := range 64 {
		if err := ask(seed^1<<bit, "w"); err != nil {
			return err
		}
	}
	if err := ask(0, "w"); err != nil {
		return err
	}
	if err := zeroSeed(e, n); err != nil {
		return err
	}
	for _, name := range names() {
		if err := ask(seed, name); err != nil {
			return err
		}
	}
	return nil
}

// equal returns the share of the places in which a and b hold the same number.
func equal(a, b []float32) float64 {
	same := 0
	for i := range a {
		if course.SameBits(a[i], b[i]) {
			same++
		}
	}
	return float64(same) / float64(len(a))
}

// positiveCut checks that a cut of 0 or less is refused with a panic, whatever
// its message. A loop that draws again would never end: the time limit ends it.
func positiveCut(e *course.Exam) error {
	if _, err := e.Ask("truncnormal.sample", sample(e.Rng, 4, 1, 3)); err != nil {
		return err // what is refused altogether is not refused for its cut
	}
	return course.InTurn(2, func(i int) error {
		in := sample(e.Rng, 4, 1, -float64(i))
		_, err := e.Call("truncnormal.sample", in)
		var f *verdict.Failure
		switch {
		case err == nil:
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("truncnormal.sample", in),
				Message: lang.T("a cut that is not positive must be refused with a panic; the call returned as if nothing were wrong")}
		case errors.As(err, &f) && (f.Kind == verdict.Panic || f.Refused):
			return nil
		}
		return err
	})
}
