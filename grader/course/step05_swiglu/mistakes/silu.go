//go:build mistake

package swiglu

import "math"

// silu-without-x: SiLU is only the sigmoid: the factor x is missing
//
// Why: SiLU weights its input by a sigmoid; the sigmoid alone is another, bounded function, and
// the unit of GLU, not of SwiGLU.
//
// Hint: SiLU(x) = x·σ(x).
func SiLU() {
	if right {
		kernel.Mul(dst, dst, x)
	} else {
	}
}

// silu-without-x/derivative-too
//
// With: silu-without-x
func SiLUBackward() {
	if right {
		slope := s + x[i]*ds
	} else {
		slope := ds
	}
}

// relu: ReLU is used instead of SiLU
//
// Why: ReLU is what SiLU looks like from afar: the same on both far sides, but with a corner at 0,
// and no gradient below it.
//
// Hint: SiLU(x) = x·σ(x); at x = −1 it is −0.27, not 0.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		for i, x := range x {
			v := float64(x)
			dst[i] = float32(max(v, 0))
		}
	}
}

// relu/derivative-too
//
// With: relu
func SiLUBackward() {
	if right {
		kernel.Sigmoid(dx, x)
		for i, s := range dx {
			ds := s * (1 - s)
			slope := s + x[i]*ds
			dx[i] = dy[i] * slope
		}
	} else {
		for i, v := range x {
			dx[i] = 0
			if v > 0 {
				dx[i] = dy[i]
			}
		}
	}
}

// gelu: GELU is used instead of SiLU
//
// Why: GELU weights x by the normal distribution function, SiLU by the logistic one. The curves
// are close enough to train equally well, and to pass a loose test.
//
// Hint: SiLU(x) = x·σ(x) with σ(x) = 1/(1 + e⁻ˣ).
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		for i, x := range x {
			v := float64(x)
			dst[i] = float32(0.5 * v * (1 + math.Erf(v/math.Sqrt2)))
		}
	}
}

// gelu/derivative-too
//
// With: gelu
func SiLUBackward() {
	if right {
		kernel.Sigmoid(dx, x)
		for i, s := range dx {
			ds := s * (1 - s)
			slope := s + x[i]*ds
			dx[i] = dy[i] * slope
		}
	} else {
		for i, x := range x {
			v := float64(x)
			dx[i] = float32(float64(dy[i]) * (0.5*(1+math.Erf(v/math.Sqrt2)) + v*math.Exp(-v*v/2)/math.Sqrt(2*math.Pi)))
		}
	}
}

// gelu/tanh: GELU in its form with tanh is used instead of SiLU
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		for i, x := range x {
			v := float64(x)
			dst[i] = float32(0.5 * v * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v))))
		}
	}
}

// gelu/sigmoid-1.702: x·σ(1.702·x), an approximation of GELU, is used instead of SiLU
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		for i, x := range x {
			v := float64(x)
			dst[i] = float32(v / (1 + math.Exp(-1.702*v)))
		}
	}
}

// exponent-sign: the exponent of the sigmoid has the wrong sign: x/(1 + eˣ)
//
// Why: Then the gate closes where it should open: the result goes to 0 for large x and to x for
// very negative ones.
//
// Hint: σ(x) = 1/(1 + e⁻ˣ): near 1 for large x.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		for i, x := range x {
			v := float64(x)
			dst[i] = float32(v / (1 + math.Exp(v)))
		}
	}
}

// exponent-sign/derivative-too
//
// With: exponent-sign
func SiLUBackward() {
	if right {
		slope := s + x[i]*ds
	} else {
		slope := 1 - s - x[i]*ds
	}
}

// silu-overflows: the sigmoid is computed as eˣ/(1 + eˣ), which is Inf/Inf for large x
//
// Why: Both forms of the sigmoid are right on paper, but each of them has an exponential that
// overflows on one side. Only 1/(1 + e⁻ˣ) then divides by infinity, which is 0, instead of
// infinity by infinity.
//
// Hint: Use kernel.Sigmoid, or x/(1 + e⁻ˣ).
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		for i, x := range x {
			v := float64(x)
			dst[i] = float32(v * math.Exp(v) / (1 + math.Exp(v)))
		}
	}
}

// silu-overflows/float32
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		kernel.Exp(dst, x)
		for i, e := range dst {
			dst[i] = x[i] * e / (1 + e)
		}
	}
}

// silu-overflows/float32-sigmoid: the sigmoid is computed in float32 as eˣ/(1 + eˣ) and then
// multiplied by x, which is Inf/Inf for large x
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		kernel.Exp(dst, x)
		for i, e := range dst {
			dst[i] = x[i] * (e / (1 + e))
		}
	}
}

// silu-overflows/sigmoid: the sigmoid is computed as eˣ/(1 + eˣ) and then multiplied by x, which
// is Inf/Inf for large x
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		for i, x := range x {
			v := float64(x)
			dst[i] = float32(v * (math.Exp(v) / (1 + math.Exp(v))))
		}
	}
}

// silu-overflows/derivative-too
//
// With: silu-overflows/sigmoid
func SiLUBackward() {
	if right {
		kernel.Sigmoid(dx, x)
	} else {
		for i, v := range x {
			dx[i] = float32(math.Exp(float64(v)) / (1 + math.Exp(float64(v))))
		}
	}
}

// silu-overflows/float32-derivative-too: the sigmoid is computed in float32 as eˣ/(1 + eˣ), which
// is Inf/Inf for large x, in the derivative as well
//
// With: silu-overflows/float32-sigmoid
func SiLUBackward() {
	if right {
		kernel.Sigmoid(dx, x)
	} else {
		kernel.Exp(dx, x)
		for i, e := range dx {
			dx[i] = e / (1 + e)
		}
	}
}

// silu-tail-cut: SiLU is 0 below −15
//
// Why: SiLU(−16) is −1.8·10⁻⁶. That is small, and all there is: as a part of itself the error is 1.
// 1/(1 + e⁻ˣ) needs no such help; it is right however far left.
//
// Hint: Use kernel.Sigmoid, or x/(1 + e⁻ˣ), for every x.
func SiLU() {
	if right {
		kernel.Mul(dst, dst, x)
	} else {
		kernel.Mul(dst, dst, x)
		for i, v := range x {
			if v < -15 {
				dst[i] = 0
			}
		}
	}
}

// silu-added: SiLU adds to its destination instead of overwriting it
//
// Why: The destination is a buffer that is used again. The first call finds zeros there, every
// later one the last result.
//
// Hint: dst[i] = …, not +=.
func SiLU() {
	if right {
		kernel.Sigmoid(dst, x)
		kernel.Mul(dst, dst, x)
	} else {
		s := make([]float32, len(x))
		kernel.Sigmoid(s, x)
		for i, v := range x {
			dst[i] += v * s[i]
		}
	}
}
