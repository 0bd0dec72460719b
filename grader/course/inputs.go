package course

import (
	"math"

	"github.com/stubformer/stubformer/reference/wire"
)

// Extremes are the inputs on which a formula that is right on paper breaks.
// Each size has a call of its own: next to 1e30 an error in 0.5 would not show.
func Extremes(name string) []wire.Values {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	var inputs []wire.Values
	for _, v := range [][]float32{{-200, -90, -20, 0, 20, 90, 200}, {-1e30, 1e30}, {-1e-30, 0, 1e-30}, {inf, nan, 0.5}} {
		inputs = append(inputs, wire.Values{name: wire.Float32s(v, len(v))})
	}
	return inputs
}

// FiniteExtremes are those extremes at which every function of the course is
// finite, with a gradient that is not the same everywhere.
func FiniteExtremes(x, dy string) []wire.Values {
	inputs := Extremes(x)[:3]
	for _, in := range inputs {
		in[dy] = Ones(in[x].Len())
		for i := range in[dy].F32 {
			in[dy].F32[i] -= float32(i) / 8
		}
	}
	return inputs
}

// Ones is an array of n ones.
func Ones(n int) wire.Value {
	v := wire.Float32s(make([]float32, n), n)
	for i := range v.F32 {
		v.F32[i] = 1
	}
	return v
}
