package formats

import "math"

// FP16 is an IEEE 754 binary16: 1 bit of sign, 5 of exponent, 10 of mantissa.
type FP16 uint16

// rebias is the difference between the biases of the exponents, 127 and 15.
const rebias = 112

// RoundFP16 returns the float16 nearest to x, and of two that are equally near the even
// one. It rounds once, straight from float32: a number that is rounded twice can end on
// the wrong side. From 65520 on the result is infinite; below 2⁻¹⁴ it is subnormal, a
// multiple of 2⁻²⁴; a NaN stays a NaN.
func RoundFP16(x float32) FP16 {
	bits := math.Float32bits(x)
	sign, size := FP16(bits>>16&0x8000), bits&0x7fffffff // size is the code of |x|
	switch {
	case x != x:
		return 0x7e00
	case size >= 0x477ff000: // 65520, halfway from 65504, the largest, to 65536
		return sign | 0x7c00
	case size < (rebias+1)<<23: // 2⁻¹⁴
		return sign | FP16(multiples(size))
	}
	return sign | FP16(shift(size-rebias<<23, 13)) // of 23 bits of mantissa 10 are left
}

// multiples returns how many times 2⁻²⁴ goes into the number of code size, below
// 2⁻¹⁴, rounded: that is the code of a subnormal float16.
func multiples(size uint32) uint32 {
	exponent, mantissa := int(size>>23), size&(1<<23-1)|1<<23 // mantissa·2^(exponent−150)
	if exponent < 102 {
		return 0 // less than 2⁻²⁵, half of the first multiple
	}
	return shift(mantissa, 126-exponent)
}

// Float32 returns the number that h stands for. It is exact.
func (h FP16) Float32() float32 {
	sign, exponent, mantissa := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&(1<<10-1))
	switch exponent {
	case 0: // subnormal
		size := float32(mantissa) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(size))
	case 31: // infinity and NaN
		return math.Float32frombits(sign | 0x7f800000 | mantissa<<13)
	}
	return math.Float32frombits(sign | (exponent+rebias)<<23 | mantissa<<13)
}
