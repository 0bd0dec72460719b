package diagnose

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

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

// SketchOf makes the sketch of a value.
func SketchOf(v wire.Value) Sketch {
	x := numbers(v)
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

// numbers returns what a sketch is made of: the elements, or a hash of a text.
func numbers(v wire.Value) []float64 {
	if v.DType != wire.Text {
		return verdict.Numbers(v)
	}
	h := fnv.New32a()
	h.Write([]byte(v.Text))
	return []float64{float64(h.Sum32())}
}
