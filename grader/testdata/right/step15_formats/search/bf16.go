// Package formats rounds by looking for the nearest code among all of them, in
// float64.
package formats

import (
	"math"
	"sort"

	"github.com/stubformer/stubformer/reference/tensor"
)

type BF16 uint16

func RoundBF16(x float32) BF16 {
	if math.IsNaN(float64(x)) {
		return 0xffc1
	}
	code := BF16(nearest(math.Abs(float64(x)), 0x7f80, func(code int) float64 {
		if code == 0x7f80 {
			return math.Ldexp(1, 128)
		}
		return float64(math.Float32frombits(uint32(code) << 16))
	}))
	if math.Signbit(float64(x)) {
		code |= 0x8000
	}
	return code
}

// nearest returns the code of the number nearest to size among those from 0 to most,
// of two that are equally near the even one.
func nearest(size float64, most int, value func(code int) float64) int {
	above := sort.Search(most+1, func(code int) bool { return value(code) >= size })
	if above == 0 || above > most {
		return min(above, most)
	}
	up, down := value(above)-size, size-value(above-1)
	if up < down || up == down && above%2 == 0 {
		return above
	}
	return above - 1
}

func (b BF16) Float32() float32 {
	sign := 1.0
	if b&0x8000 != 0 {
		sign = -1
	}
	exponent, mantissa := int(b>>7&255), float64(b&127)
	switch {
	case exponent == 255 && mantissa != 0:
		return float32(math.NaN())
	case exponent == 255:
		return float32(math.Inf(int(sign)))
	case exponent == 0:
		return float32(math.Copysign(math.Ldexp(mantissa, -126-7), sign))
	}
	return float32(sign * math.Ldexp(128+mantissa, exponent-127-7))
}

func DotBF16(w []BF16, x []float32) float32 {
	if len(w) != len(x) {
		panic(tensor.ShapeError{Op: "DotBF16: x", Got: []int{len(x)}, Want: []int{len(w)}})
	}
	sum := 0.0
	for i := len(w) - 1; i >= 0; i-- {
		sum += float64(w[i].Float32()) * float64(x[i])
	}
	return float32(sum)
}
