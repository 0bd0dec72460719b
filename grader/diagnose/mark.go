package diagnose

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/wire"
)

// Mark is one answer of a subject in short, beside the right one. A known
// mistake is recognised by its marks: they are small enough to be stored for
// every mistake and every fixture.
type Mark struct {
	Got, Want Sketch
	Tolerance float64 // of the elements, see fixtures
	Worst     float64 // the largest error of an element over its bound, for fixtures; 0 if none is finite and wrong

	// Chosen says that the input is not a fixture but one of a check's own
	// choosing, for a function that has fixtures. Such an answer counts only
	// where the fixtures show nothing.
	Chosen bool

	// Curve says that the answer is the loss of a training run, update by update.
	Curve bool
}

// slack is how many times the elements' tolerance a sum may differ between two
// answers of the same meaning.
const slack = 8

// storage is the tolerance of whole numbers, which must be equal: what is stored
// of a mistake is rounded, see Of.
const storage = 1e-8

// NumberMark is the mark of a single number: a statistic of random draws, a yes
// (1) or a no (0). The tolerance is relative.
func NumberMark(got, want, tolerance float64) Mark {
	number := func(x float64) Sketch { return SketchOf(wire.Floats([]float64{x}, 1)) }
	return Mark{Got: number(got), Want: number(want), Tolerance: tolerance / slack}
}

// Right reports whether the answer is the right one, as far as a sketch can tell.
func (m Mark) Right() bool { return m.Is(m.Want) }

// Is reports whether the answer is the one that s stands for.
func (m Mark) Is(s Sketch) bool { return m.Distance(s) <= 1 }

// Distance is how far the answer is from the one that s stands for, in units
// of what two answers of the same meaning may differ by.
func (m Mark) Distance(s Sketch) float64 {
	if !slices.Equal(m.Got.Shape, s.Shape) || len(m.Got.Sums) != len(s.Sums) || m.Got.NotFinite != s.NotFinite {
		return math.Inf(1)
	}
	bound := slack * math.Max(m.Tolerance, storage) * math.Max(s.RMS, m.Want.RMS)
	worst := 0.0
	for i := range s.Sums {
		if d := math.Abs(s.Sums[i] - m.Got.Sums[i]); d > 0 {
			worst = math.Max(worst, d/bound)
		}
	}
	return worst
}
