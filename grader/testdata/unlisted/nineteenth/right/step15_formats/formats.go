//go:build unlisted

package formats

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"math"
)

// float64-rounding: float64 rounding
//
// Why: The 16-bit formats are computed as numbers instead of bits: the distance of neighbours at x is a power of two, |x| is divided by it in float64 (exact), rounded with math.RoundToEven, and the code is the count of steps; bfloat16 goes the same way. Float32 reads a table of all 65,536 float16s, made once when the program begins and never written again. Every code is the one of the contract, ties, subnormal numbers, −0, infinities and NaNs included, and float32 → float64 is exact, so that nothing is rounded twice.
func RoundBF16(x float32) BF16 {
	if math.IsNaN(float64(x)) {
		return 0x7fc0
	}
	sign := BF16(0)
	if math.Signbit(float64(x)) {
		sign = 0x8000
	}
	return sign | BF16(steps(math.Abs(float64(x)), 7, -126, 127))
}

func RoundFP16(x float32) FP16 {
	if math.IsNaN(float64(x)) {
		return 0x7e00
	}
	sign := FP16(0)
	if math.Signbit(float64(x)) {
		sign = 0x8000
	}
	return sign | FP16(steps(math.Abs(float64(x)), 10, -14, 15))
}

func steps(x float64, mantissa, lowest, highest int) int {
	infinite := (highest - lowest + 2) << mantissa
	if math.IsInf(x, 0) {
		return infinite
	}
	exponent := lowest // subnormal numbers are as far apart as the smallest normal ones
	if x > 0 {
		_, e := math.Frexp(x) // x is from 2^(e−1) to 2^e
		exponent = max(e-1, lowest)
	}
	// The numbers from 2^exponent to twice as much are this far apart. Scaling by a power
	// of two is exact, and so the only rounding is to an integer.
	count := int(math.RoundToEven(math.Ldexp(x, mantissa-exponent)))
	return min(count+(exponent-lowest)<<mantissa, infinite)
}

var floats = func() (all [1 << 16]float32) {
	for code := range all {
		size, exponent, mantissa := 0.0, code>>10&31, float64(code&(1<<10-1))
		switch {
		case exponent == 0:
			size = math.Ldexp(mantissa, -24)
		case exponent < 31:
			size = math.Ldexp(1024+mantissa, exponent-25)
		case mantissa == 0:
			size = math.Inf(1)
		default:
			size = math.NaN()
		}
		if code>>15 == 1 {
			size = math.Copysign(size, -1)
		}
		all[code] = float32(size)
	}
	return all
}()

func (h FP16) Float32() float32 { return floats[h] }

func shift(v uint32, n int) uint32 { panic("nobody calls this") }

func multiples(size uint32) uint32 { panic("nobody calls this") }
