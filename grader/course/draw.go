package course

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/wire"
)

// Normal draws a float32 array from N(0, sigma²).
func Normal(rng *rand.Rand, sigma float64, shape ...int) wire.Value {
	v := wire.Float32s(nil, shape...)
	v.F32 = make([]float32, v.Len())
	for i := range v.F32 {
		v.F32[i] = float32(sigma * rng.NormFloat64())
	}
	return v
}

// Whole draws small whole numbers, −3 to 3, as float32. Their products, and sums of
// them, are exact in any order.
func Whole(rng *rand.Rand, shape ...int) wire.Value {
	v := wire.Float32s(nil, shape...)
	v.F32 = make([]float32, v.Len())
	for i := range v.F32 {
		v.F32[i] = float32(rng.IntN(7) - 3)
	}
	return v
}

// Gain draws the gains of a norm: around 1, none of them equal to it.
func Gain(rng *rand.Rand, d int) wire.Value {
	v := Normal(rng, 0.3, d)
	for i := range v.F32 {
		v.F32[i] += 1
	}
	return v
}

// IDs draws integers 0 ≤ id < limit.
func IDs(rng *rand.Rand, limit int, shape ...int) wire.Value {
	v := wire.Ints(nil, shape...)
	v.I64 = make([]int64, v.Len())
	for i := range v.I64 {
		v.I64[i] = rng.Int64N(int64(limit))
	}
	return v
}

// DrawSize draws the input of a function that takes one size lo ≤ n ≤ hi.
func DrawSize(name string, lo, hi int) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values { return wire.Values{name: wire.Int(Between(rng, lo, hi))} }
}

// Between draws an integer lo ≤ n ≤ hi.
func Between(rng *rand.Rand, lo, hi int) int { return lo + rng.IntN(hi-lo+1) }

// Distinct draws n different integers lo ≤ i ≤ hi, so that no two dimensions
// of a case are equal and a transposed one cannot hide.
func Distinct(rng *rand.Rand, n, lo, hi int) []int {
	all := rng.Perm(hi - lo + 1)[:n]
	for i := range all {
		all[i] += lo
	}
	return all
}

// With returns a copy of in with some values replaced.
func With(in wire.Values, name string, v wire.Value) wire.Values {
	out := wire.Values{}
	for k, old := range in {
		out[k] = old
	}
	out[name] = v
	return out
}

// SameBits tells two numbers apart that compare equal, and finds NaN equal to itself.
func SameBits(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }

// TruncatedStd is the standard deviation of N(0, 1) cut at ±c:
// √(1 − 2cφ(c)/(2Φ(c) − 1)).
func TruncatedStd(c float64) float64 {
	density := math.Exp(-c*c/2) / math.Sqrt(2*math.Pi)
	return math.Sqrt(1 - 2*c*density/math.Erf(c/math.Sqrt2))
}

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
