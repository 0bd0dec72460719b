package attention

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// lowScores checks that a hidden key stays hidden however low the allowed scores are:
// nothing but −Inf lies below all of them.
func lowScores(e *course.Exam) error {
	mask := wire.Bools([]bool{true, false, false, true, true, false, false, false, true}, 3, 3)
	for _, magnitude := range []float32{1e4, 1e16, 1e19} { // the scores are −1.4 times its square
		q, k := make([]float32, 6), make([]float32, 6)
		for i := range q {
			q[i], k[i] = magnitude, -magnitude
		}
		in := wire.Values{"q": wire.Float32s(q, 3, 2), "k": wire.Float32s(k, 3, 2), "v": course.Normal(e.Rng, 1, 3, 4), "mask": mask}
		if err := e.Against("attention.forward", in, nil); err != nil {
			return err
		}
	}
	return nil
}

// manyMatrices has so many leading indices that they are divided among workers, with a
// remainder.
func manyMatrices(function string) course.Drawing {
	const lead, n, m, k = 67, 3, 5, 4
	return course.Drawing{Function: function, Draw: func(rng *rand.Rand) wire.Values {
		in := wire.Values{"q": course.Normal(rng, 1, lead, n, k), "k": course.Normal(rng, 1, lead, m, k), "v": course.Normal(rng, 1, lead, m, k+1),
			"mask": wire.Bools(make([]bool, n*m), n, m)}
		for i := range in["mask"].Bool {
			in["mask"].Bool[i] = i%m <= i/m+2
		}
		if function == "attention.backward" {
			in["dy"] = course.Normal(rng, 1, lead, n, k+1)
		}
		return in
	}}
}
