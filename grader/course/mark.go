package course

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/verdict"
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

// Sketch stands for an array: its shape, and some weighted sums over all of its
// finite elements. The weights are ±1/√n, drawn from a fixed seed, so two arrays
// have the same sketch only if they are equal, but for a chance in many billions.
type Sketch struct {
	Shape     []int     `json:"shape,omitempty"`
	RMS       float64   `json:"rms"`
	Sums      []float64 `json:"sums"`
	NotFinite uint32    `json:"not_finite,omitempty"` // a hash of where NaN and the infinities stand; 0 if there are none
}

// sums is the number of weighted sums in a sketch.
const sums = 6

// slack is how many times the elements' tolerance a sum may differ between two
// answers of the same meaning.
const slack = 8

// storage is the tolerance of whole numbers, which must be equal: what is stored
// of a mistake is rounded, see grader/diagnose.
const storage = 1e-8

// Mark notes an answer to a fixture under a name.
func (e *Exam) Mark(name string, got, want wire.Value, tolerance float64) {
	m := Mark{Got: SketchOf(got), Want: SketchOf(want), Tolerance: tolerance}
	if d := verdict.Compare(name, got, want, tolerance); d != nil {
		m.Worst = d.Worst
	}
	e.Marks[name] = m
}

// MarkChosen notes the answers of a function to an input of a check's own
// choosing.
func (e *Exam) MarkChosen(name, function string, got, want wire.Values) {
	for _, output := range SortedNames(want) {
		e.Marks[name+"/"+output] = Mark{Got: SketchOf(got[output]), Want: SketchOf(want[output]),
			Tolerance: e.Tolerance(function, output), Chosen: len(e.Fixtures.Cases(function)) > 0}
	}
}

// MarkNumber notes a single number under a name: a statistic of random draws,
// a yes (1) or a no (0). The tolerance is relative.
func (e *Exam) MarkNumber(name string, got, want, tolerance float64) {
	e.Marks[name] = Mark{Got: SketchOf(wire.Floats([]float64{got}, 1)), Want: SketchOf(wire.Floats([]float64{want}, 1)), Tolerance: tolerance / slack}
}

// MarkFlag marks whether something holds that should.
func (e *Exam) MarkFlag(what string, holds bool) {
	e.MarkNumber(e.Check+"/"+what, map[bool]float64{true: 2, false: 1}[holds], 2, 0.05)
}

// Right tells whether the answer is the right one, as far as a sketch can tell.
func (m Mark) Right() bool { return m.Is(m.Want) }

// Is tells whether the answer is the one that s stands for.
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

// Apart is how far two arrays are from each other, as a share of the size of the
// second: a good guess, since a sketch has a few sums only. It is +Inf if they
// cannot be compared.
func (s Sketch) Apart(from Sketch) float64 {
	if !slices.Equal(s.Shape, from.Shape) || len(s.Sums) != len(from.Sums) || s.NotFinite != 0 || from.NotFinite != 0 || from.RMS == 0 {
		return math.Inf(1)
	}
	squares := 0.0
	for i := range s.Sums {
		d := (s.Sums[i] - from.Sums[i]) / from.RMS
		squares += d * d
	}
	return math.Sqrt(squares / float64(max(1, len(s.Sums))))
}

// sketch makes the sketch of a value.
func SketchOf(v wire.Value) Sketch {
	x := Numbers(v)
	s := Sketch{Shape: v.Shape, Sums: make([]float64, sums)}
	if len(x) == 0 {
		return s
	}
	rng := rand.New(rand.NewPCG(uint64(len(x)), 0x736b65746368)) // "sketch"
	places, squares := fnv.New32a(), 0.0
	for i, f := range x {
		signs := rng.Uint64()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			fmt.Fprint(places, i, f)
			s.NotFinite = places.Sum32()
			continue
		}
		squares += f * f
		for i := range s.Sums {
			sign := float64(int(signs>>i&1)*2 - 1)
			s.Sums[i] += sign * f
		}
	}
	s.RMS = math.Sqrt(squares / float64(len(x)))
	for i := range s.Sums {
		s.Sums[i] /= math.Sqrt(float64(len(x)))
	}
	return s
}

// Numbers returns the elements of a value as float64; a text counts by a hash.
func Numbers(v wire.Value) []float64 {
	var x []float64
	switch v.DType {
	case wire.F32:
		for _, f := range v.F32 {
			x = append(x, float64(f))
		}
	case wire.F64:
		x = v.F64
	case wire.I64:
		for _, n := range v.I64 {
			x = append(x, float64(n))
		}
	case wire.Bool:
		for _, b := range v.Bool {
			x = append(x, map[bool]float64{true: 1}[b])
		}
	case wire.Text:
		h := fnv.New32a()
		h.Write([]byte(v.Text))
		x = []float64{float64(h.Sum32())}
	}
	return x
}
