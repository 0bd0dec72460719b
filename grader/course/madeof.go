package course

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// MadeOf checks that a layer looks at its weights in every call: it is made with
// ones, or with zeros, and asked again when they have become others.
func MadeOf(l Layer, weight string) func(*Exam) error {
	return func(e *Exam) error {
		tolerance := e.tolerances(l.Backward)
		for _, value := range []float32{1, 0} {
			m := &made{number: e.Rng.IntN(1 << 40)}
			var in wire.Values
			for _, c := range []struct {
				story lang.Text
				draw  func(*rand.Rand) wire.Values
			}{
				{lang.T("a layer that was made with %s of nothing but %g", weight, value), func(rng *rand.Rand) wire.Values {
					in = l.Draw(rng)
					return With(in, weight, filled(in[weight], value))
				}},
				{lang.T("the same layer with another %s, after it was made with one of nothing but %g", weight, value), func(rng *rand.Rand) wire.Values {
					return With(in, weight, drawnFrom(rng, in[weight], in[weight].Shape))
				}},
			} {
				now, want, err := e.Drawn(c.draw, nil, e.Solve(l.Backward), tolerance)
				if err != nil {
					return err
				}
				if err := l.through(e, m, now, want, c.story); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// filled is an array of v's shape that holds one number only.
func filled(v wire.Value, number float32) wire.Value {
	numbers := make([]float32, v.Len())
	for i := range numbers {
		numbers[i] = number
	}
	return wire.Float32s(numbers, v.Shape...)
}
