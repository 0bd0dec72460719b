package formats

import "github.com/stubformer/stubformer/reference/tensor"

// FP16 is an IEEE 754 binary16: 1 bit of sign, 5 of exponent, 10 of mantissa.
type FP16 uint16

// RoundFP16 returns the float16 nearest to x, of two that are equally near the even
// one. It goes there straight from float32: rounded twice, a number can end on the
// wrong side.
//
//	|x| ≥ 65520      infinite; 65504 is the largest float16
//	|x| < 2⁻¹⁴       subnormal, a multiple of 2⁻²⁴; 2⁻²⁵ and less is 0
//
// The sign stays, that of 0 too, and a NaN stays a NaN, whichever of them.
func RoundFP16(x float32) FP16 {
	panic(tensor.TODO("step15: RoundFP16"))
}

// Float32 returns the number that h stands for. It is exact: −0, subnormal numbers,
// infinities and NaNs included.
func (h FP16) Float32() float32 {
	panic(tensor.TODO("step15: FP16.Float32"))
}
