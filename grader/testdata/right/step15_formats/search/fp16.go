package formats

import "math"

type FP16 uint16

func RoundFP16(x float32) FP16 {
	if math.IsNaN(float64(x)) {
		return 0x7c01
	}
	code := FP16(nearest(math.Abs(float64(x)), 0x7c00, func(code int) float64 {
		if code == 0x7c00 {
			return 65536
		}
		return float64(FP16(code).Float32())
	}))
	if math.Signbit(float64(x)) {
		code |= 0x8000
	}
	return code
}

func (h FP16) Float32() float32 {
	sign := 1.0
	if h>>15 == 1 {
		sign = -1
	}
	exponent, mantissa := int(h>>10&31), float64(h&1023)
	switch {
	case exponent == 31 && mantissa != 0:
		return float32(math.NaN())
	case exponent == 31:
		return float32(math.Inf(int(sign)))
	case exponent == 0:
		return float32(math.Copysign(mantissa/(1<<24), sign))
	}
	return float32(sign * math.Ldexp(1024+mantissa, exponent-15-10))
}

// shift returns v/2ⁿ, rounded to the nearest integer, ties to even.
func shift(v uint32, n int) uint32 { return uint32(math.RoundToEven(math.Ldexp(float64(v), -n))) }
