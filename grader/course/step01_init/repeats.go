package initializers

import (
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// equalDraws is how many draws in a row must be those of before for it to be no chance.
const equalDraws = 20

// unrepeated checks that a generator does not begin again.
func unrepeated(e *course.Exam, function string, in wire.Values, x []float32) error {
	from, period := repetition(x)
	switch {
	case period < 2: // they do not repeat, or are all one number, of which others speak
		return nil
	case from == 0:
		return e.Fails(function, in, "the numbers repeat after %d: the generator begins again", period)
	}
	return e.Fails(function, in, "from draw %d on the numbers repeat after every %d: the generator has come into a circle", from, period)
}

// repetition returns the draw from which the numbers repeat to their end, and after how
// many; 0 and 0 if they do not. It is the prefix function of Knuth, Morris and Pratt (1977)
// of the numbers read backwards: one of length m whose longest border is b has the period
// m − b.
func repetition(x []float32) (from, period int) {
	x = slices.Clone(x)
	slices.Reverse(x)
	border := make([]int, len(x)+1) // of the first m numbers, at most m − 1 long
	longest := 0
	for m := 2; m <= len(x); m++ {
		b := border[m-1]
		for b > 0 && x[b] != x[m-1] {
			b = border[b]
		}
		if x[b] == x[m-1] {
			b++
		}
		border[m] = b
		if p := m - b; m >= 2*p && b >= equalDraws {
			longest, period = m, p
		}
	}
	if period == 0 {
		return 0, 0
	}
	return len(x) - longest, period
}
