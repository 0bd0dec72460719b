package initializers

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/grader/course"
)

// markDraws marks what is known of a sample that should follow N(0, σ²) on
// |x| ≤ cut·σ. No two samples are equal, so the marks are statistics. Each
// tolerance is six times what chance makes of it or more, for a sample of
// 200,000: a right sample is marked wrong less than once in 10⁹.
func markDraws(e *course.Exam, x []float32, sigma, cut float64) {
	n := float64(len(x))
	var sum, absolute, squares, outside, edge, zero float64
	for _, v := range x {
		z := float64(v) / sigma
		sum += z
		absolute += math.Abs(z)
		squares += z * z
		switch a := math.Abs(z); {
		case z == 0:
			zero++
		case a > cut*(1+1e-6):
			outside++
		case a > cut*(1-1e-6):
			edge++
		}
	}
	rms, want := math.Sqrt(squares/n), course.TruncatedStd(cut)
	mark := func(what string, got, want, tolerance float64) {
		e.MarkNumber(fmt.Sprintf("%s/σ=%.3g cut=%g n=%d/%s", e.Check, sigma, cut, len(x), what), got, want, tolerance)
	}
	mark("rms", 1+math.Log(rms/want), 1, 0.012)                  // its standard error is 0.0016 and less
	mark("mean", 1+sum/n/rms, 1, 0.015)                          // 0.0023
	mark("shape", absolute/n/rms, meanAbsolute(cut)/want, 0.008) // Geary's ratio: 0.0011
	// The root of a share k/n has the standard error 1/(2√n) = 0.0012, whatever k is.
	mark("outside", 1+math.Sqrt(outside/n), 1, 0.01)
	mark("edge", 1+math.Sqrt(edge/n), 1, 0.01)
	mark("zero", 1+math.Sqrt(zero/n), 1, 0.01)
}

// meanAbsolute is the mean of |z| of N(0, 1) cut at ±c: 2(φ(0) − φ(c))/(2Φ(c) − 1).
func meanAbsolute(c float64) float64 {
	return 2 * (1 - math.Exp(-c*c/2)) / math.Sqrt(2*math.Pi) / math.Erf(c/math.Sqrt2)
}
