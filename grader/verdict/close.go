package verdict

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

const (
	// nearBy is how far from what is expected the farthest element may be, as a share of
	// its size and of the array's, for all to be called close.
	nearBy = 0.01
	// leaning is how unlikely it is at most that errors which go both ways like those
	// of rounding lean to one side as much.
	leaning = 1e-3
	// steady is how many errors it takes to see that they lean to no side.
	steady = 30
)

// close says how close an output is that is wrong by little everywhere, and of how many
// bits such an error speaks. Rounding errs in both directions alike; a formula that is
// nearly right does not.
func (c *evidence) close() *Structure {
	apart, ok := c.farthest()
	if !ok || !floating(c.raw) || c.tolerance == 0 || len(c.wrong) < 4 || slices.ContainsFunc(c.given.Inputs, c.nearly) {
		return nil
	}
	text := lang.T("Every value is close to what is expected: within %s of its size and that of the array, where %s is allowed.", share(apart), share(c.tolerance))
	if c.given.terms != nil {
		text = lang.T("Every value is close to what is expected: within %s of its size and that of the array.", share(apart))
	}
	smaller, larger, size := c.leans()
	switch {
	case chance(min(smaller, larger), smaller+larger) < leaning:
		text = lang.T("%s Where it is wrong, it is too small in size at %d places and too large at %d. Rounding to the nearest errs both ways: look for bits that are cut off, or for a constant or an approximation in the formula.", text, smaller, larger)
	case smaller+larger >= steady:
		text = lang.T("%s The errors go both ways, as those of rounding do, and are as large as if numbers had about %d significant bits: float32 has 24, float16 11, bfloat16 8. A difference of two large numbers loses bits as well.", text, bitsOf(size))
	}
	return claim("close", text, func(c *evidence) bool { _, ok := c.farthest(); return ok })
}

// nearly reports whether an input is close to what is expected, as parameters are before
// an update: then a wrong update is close too.
func (c *evidence) nearly(in Array) bool {
	if !c.comparable(in) {
		return false
	}
	for i, x := range Numbers(in.Value) {
		if want := c.want[i]; !(math.Abs(x-want) <= 10*nearBy*(math.Abs(want)+c.fit.rms)) {
			return false
		}
	}
	return true
}

// farthest returns the largest error, as a share of the size of the element and of the
// array, and whether all are close.
func (c *evidence) farthest() (apart float64, ok bool) {
	for i, want := range c.want {
		if !finite(want) || !finite(c.got[i]) {
			if c.fit.agrees(c.got[i], want) {
				continue
			}
			return 0, false
		}
		apart = max(apart, math.Abs(c.got[i]-want)/(math.Abs(want)+c.fit.rms))
	}
	return apart, apart > 0 && apart <= nearBy
}

// leans counts the wrong elements that are too small and too large in size, and returns
// the root mean square of their errors relative to what is expected.
func (c *evidence) leans() (smaller, larger int, size float64) {
	squares := 0.0
	for _, i := range c.wrong {
		if want := c.want[i]; finite(want) && want != 0 {
			e := c.got[i]/want - 1
			if e < 0 {
				smaller++
			} else {
				larger++
			}
			e = (c.got[i] - want) / (math.Abs(want) + c.fit.rms)
			squares += e * e
		}
	}
	return smaller, larger, math.Sqrt(squares / float64(max(1, smaller+larger)))
}

// chance is how likely it is that of n coins at most few fall on one side, whichever
// it is.
func chance(few, n int) float64 {
	sum := 0.0
	for k := range few + 1 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		d, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(a - b - d - float64(n)*math.Ln2)
	}
	return min(1, 2*sum)
}

// bitsOf is how many significant bits numbers have whose rounding errs by size in the
// root mean square, as a share of their own size and of the array's. Rounding to b bits
// errs by 2⁻ᵇ/√3 of a number at the beginning of an octave and by half of that at its end;
// beside the size of the array, for numbers drawn from N(0, 1), it is a sixth of 2⁻ᵇ.
func bitsOf(size float64) int { return max(1, int(math.Round(-math.Log2(6*size)))) }

// share writes a small number as a percentage, or as a power of ten.
func share(x float64) string {
	if x >= 1e-5 {
		return significant(100*x, 2) + " %"
	}
	return significant(x, 2)
}
