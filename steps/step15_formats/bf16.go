// Package formats keeps numbers in few bits: in 16 as bfloat16 and float16, in 8
// and 4 as integers that share a scale.
// This is step 15; the lesson is in README.md beside this file.
//
// Letters: N rows, I in, O out, G groups of a row; "…" stands for any leading
// dimensions.
package formats

import "github.com/stubformer/stubformer/reference/tensor"

// BF16 is a bfloat16, the upper half of a float32: 1 bit of sign, 8 of exponent,
// 7 of mantissa.
type BF16 uint16

// RoundBF16 returns the bfloat16 nearest to x. Of two that are equally near it takes
// the even one, whose last bit is 0. What is at least as near to 2¹²⁸ as to the
// largest bfloat16 becomes infinite, with its sign. −0 stays −0, subnormal numbers
// stay, and a NaN stays a NaN, whichever of them.
//
// math.Float32bits returns the 32 bits of a float32.
//
// Source: Kalamkar et al., "A Study of BFLOAT16 for Deep Learning Training", 2019.
func RoundBF16(x float32) BF16 {
	panic(tensor.TODO("step15: RoundBF16"))
}

// Float32 returns the number that b stands for. It is exact: −0, subnormal numbers,
// infinities and NaNs included.
func (b BF16) Float32() float32 {
	panic(tensor.TODO("step15: BF16.Float32"))
}

// DotBF16 returns Σ_i w_i·x_i. Products and sum are float32: a bfloat16 has 8
// significant bits, and 256 + 1 is 256 in it.
//
// It panics with a ShapeError if w and x differ in length:
//
//	panic(tensor.ShapeError{Op: "DotBF16: x", Got: []int{len(x)}, Want: []int{len(w)}})
func DotBF16(w []BF16, x []float32) float32 {
	panic(tensor.TODO("step15: DotBF16"))
}
