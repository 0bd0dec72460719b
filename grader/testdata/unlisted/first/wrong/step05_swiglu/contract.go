//go:build unlisted

package swiglu

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// silu-shorter-length: SiLU works on as many elements as both slices have
//
// Why: Slices of different lengths are taken without a ShapeError.
func SiLU() {
	if right {
		checkLength("SiLU: x", x, dst)
	} else {
		n := min(len(dst), len(x))
		dst, x = dst[:n], x[:n]
	}
}

// silu-longer-dst: SiLU refuses only a dst that is too short
//
// Why: A dst that is longer than x is taken without a ShapeError, and its end keeps what it held.
func SiLU(dst, x []float32) {
	if len(dst) < len(x) {
		panic(tensor.ShapeError{Op: "SiLU: x", Got: []int{len(x)}, Want: []int{len(dst)}})
	}
	kernel.Sigmoid(dst[:len(x)], x)
	kernel.Mul(dst[:len(x)], dst[:len(x)], x)
}

// dy-length-unchecked: SiLUBackward compares x with dx but not dy
//
// Why: A dy that is longer than dx is taken without a ShapeError; a shorter one runs over the end.
func SiLUBackward() {
	if right {
		checkLength("SiLUBackward: dy", dy, dx)
	} else {
	}
}

// x-of-three-dimensions-only: x must be (B, T, D)
//
// Why: Forward panics for a matrix or a vector, although any leading dimensions are allowed.
func (*SwiGLU) Forward() {
	if right {
		tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Lead, s.W1.Weight.Value.Dim(1))
	} else {
		tensor.CheckShape("SwiGLU.Forward: x", x, tensor.Any, tensor.Any, s.W1.Weight.Value.Dim(1))
	}
}

// silu-overflows-up: SiLU is computed as x·eˣ/(1 + eˣ)
//
// Why: For large x eˣ overflows and SiLU is NaN, where it should be x.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	for i, v := range x {
		e := float32(math.Exp(float64(v)))
		dst[i] = v * e / (1 + e)
	}
}

// derivative-overflows: the derivative is written with e⁻ˣ/(1 + e⁻ˣ)²
//
// Why: For very negative x e⁻ˣ overflows and SiLUBackward gives NaN, where it should give 0.
func SiLUBackward() {
	if right {
		ds := s * (1 - s)
	} else {
		e := float32(math.Exp(-float64(x[i])))
		ds := e / ((1 + e) * (1 + e))
	}
}

// clamped-to-eighty: x is limited to ±80 before the sigmoid is multiplied
//
// Why: SiLU of a large x is 80 and not x.
func SiLU(dst, x []float32) {
	checkLength("SiLU: x", x, dst)
	for i, v := range x {
		c := max(-80, min(80, v))
		dst[i] = c / (1 + float32(math.Exp(-float64(c))))
	}
}
