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
		for _, value := range []float32{1, 0} {
			m, err := l.made(e)
			if err != nil {
				return err
			}
			special := func(rng *rand.Rand) wire.Values {
				return With(e.resized(rng, l.Backward, m.first, 0, l.Least), weight, filled(m.first[weight], value))
			}
			in, want, err := l.drawn(e, special)
			if err != nil {
				return err
			}
			if err := l.through(e, m, in, want, lang.T("a layer that was made with %s of nothing but %g", weight, value)); err != nil {
				return err
			}
			in, want, err = l.another(e, m.first, 0)
			if err != nil {
				return err
			}
			story := lang.T("the same layer with another %s, after it was made with one of nothing but %g", weight, value)
			if err := l.through(e, m, in, want, story); err != nil {
				return err
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
