// Package formats keeps numbers in few bits: in 16 as bfloat16 and float16, in 8
// and 4 as integers that share a scale.
//
// Letters: N rows, I in, O out, G groups of a row; "…" stands for any leading
// dimensions.
package formats

import (
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// BF16 is a bfloat16, the upper half of a float32: 1 bit of sign, 8 of exponent,
// 7 of mantissa.
type BF16 uint16

// RoundBF16 returns the bfloat16 nearest to x. Of two that are equally near it takes
// the even one, whose last bit is 0. What is nearer to 2¹²⁸ than to the largest
// bfloat16 becomes infinite, subnormal numbers stay, and a NaN stays a NaN.
//
// Source: Kalamkar et al., "A Study of BFLOAT16 for Deep Learning Training", 2019.
func RoundBF16(x float32) BF16 {
	if x != x {
		return 0x7fc0 // a NaN whose only bits are among the lower 16 would become infinite
	}
	// The codes of one sign are in the order of their numbers, from 0 to infinity. So
	// a carry out of the mantissa goes into the exponent, and that is right.
	return BF16(shift(math.Float32bits(x), 16))
}

// Float32 returns the number that b stands for. It is exact.
func (b BF16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// shift returns v/2ⁿ, rounded to the nearest integer, ties to even, for n from 1 to 31.
func shift(v uint32, n int) uint32 {
	last := v >> n & 1 // the last bit that stays
	almostHalf := uint32(1)<<(n-1) - 1
	return (v + almostHalf + last) >> n // a half goes up only if last is 1
}

// DotBF16 returns Σ_i w_i·x_i. Products and sum are float32: a bfloat16 has 8
// significant bits, and 256 + 1 is 256 in it.
//
// It panics with a ShapeError if w and x differ in length.
func DotBF16(w []BF16, x []float32) float32 {
	if len(w) != len(x) {
		panic(tensor.ShapeError{Op: "DotBF16: x", Got: []int{len(x)}, Want: []int{len(w)}})
	}
	sum := float32(0)
	for i, b := range w {
		sum += b.Float32() * x[i]
	}
	return sum
}
