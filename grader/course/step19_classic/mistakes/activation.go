//go:build mistake

package classic

import (
	"math"
)

// gelu-tanh: it is the approximation with tanh
//
// Why: GPT-2 was trained with it, because erf was slow. It is up to 0.0005 off.
//
// Hint: ½·x·erfc(−x/√2).
func GELU() {
	if right {
		dst[i] = float32(v * below(v))
	} else {
		dst[i] = float32(v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v))))
	}
}

// gelu-tanh/derivative-too
//
// With: gelu-tanh
func GELUBackward() {
	if right {
		density := math.Exp(-v*v/2) / math.Sqrt(2*math.Pi)
		slope := below(v) + v*density
	} else {
		t := math.Tanh(math.Sqrt(2/math.Pi) * (v + 0.044715*v*v*v))
		slope := (1+t)/2 + v/2*(1-t*t)*math.Sqrt(2/math.Pi)*(1+3*0.044715*v*v)
	}
}

// gelu-sigmoid: it is the approximation x·σ(1.702·x)
//
// Why: That stands in the paper as well, and is up to 0.02 off.
//
// Hint: ½·x·erfc(−x/√2).
func GELU() {
	if right {
		dst[i] = float32(v * below(v))
	} else {
		dst[i] = float32(v / (1 + math.Exp(-1.702*v)))
	}
}

// gelu-is-silu: it is the SiLU of step 05
//
// Why: SiLU has the logistic function where GELU has the normal distribution.
//
// Hint: ½·x·erfc(−x/√2).
func GELU() {
	if right {
		dst[i] = float32(v * below(v))
	} else {
		dst[i] = float32(v / (1 + math.Exp(-v)))
	}
}

// gelu-is-silu/derivative-too
//
// With: gelu-is-silu
func GELUBackward() {
	if right {
		density := math.Exp(-v*v/2) / math.Sqrt(2*math.Pi)
		slope := below(v) + v*density
	} else {
		s := 1 / (1 + math.Exp(-v))
		slope := s * (1 + v*(1-s))
	}
}

// gelu-cancels: Φ is written as ½·(1 + erf(x/√2)), which cancels far to the left
//
// Why: At −8 the two differ in the sixteenth digit, and float64 has no more: GELU comes out as 0
// or as noise.
//
// Hint: ½·erfc(−x/√2) is the same number with all its digits.
func below(x float64) float64 { return (1 + math.Erf(x/math.Sqrt2)) / 2 }

// gelu-cancels/float32: Φ is computed in float32
func below(x float64) float64 { return float64((1 + float32(math.Erf(x/math.Sqrt2))) / 2) }

// gelu-x-missing: it is Φ(x) alone
//
// Why: GELU lets x pass with the probability Φ(x).
//
// Hint: x·Φ(x).
func GELU() {
	if right {
		dst[i] = float32(v * below(v))
	} else {
		dst[i] = float32(below(v))
	}
}

// gelu-half-missing: the factor ½ is missing
//
// Why: erfc runs from 2 to 0.
//
// Hint: Φ(x) = ½·erfc(−x/√2).
func GELU() {
	if right {
		dst[i] = float32(v * below(v))
	} else {
		dst[i] = float32(2 * v * below(v))
	}
}

// gelu-root-missing: √2 is missing in Φ
//
// Why: erf belongs to e^(−t²), the normal distribution to e^(−t²/2).
//
// Hint: erfc(−x/√2).
func below(x float64) float64 { return math.Erfc(-x) / 2 }

// gelu-sign: Φ is that of −x
//
// Why: erfc falls and Φ rises.
//
// Hint: erfc(−x/√2), with the minus.
func below(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// gelu-erf-alone: erf stands where Φ belongs
//
// Why: erf runs from −1 to 1, and Φ from 0 to 1.
//
// Hint: Φ(x) = ½·(1 + erf(x/√2)).
func below(x float64) float64 { return math.Erf(x / math.Sqrt2) }

// gelu-slope-value-alone: the derivative is Φ(x) alone
//
// Why: x·Φ(x) is a product: its derivative has a term for each factor.
//
// Hint: Φ(x) + x·φ(x).
func GELUBackward() {
	if right {
		slope := below(v) + v*density
	} else {
		slope := below(v) + 0*density
	}
}

// gelu-slope-density-alone: the derivative is x·φ(x) alone
//
// Why: x·Φ(x) is a product: its derivative has a term for each factor.
//
// Hint: Φ(x) + x·φ(x).
func GELUBackward() {
	if right {
		slope := below(v) + v*density
	} else {
		slope := v * density
	}
}

// gelu-slope-without-x: the density in the derivative is not multiplied by x
//
// Why: The second term is x·Φ'(x).
//
// Hint: Φ(x) + x·φ(x).
func GELUBackward() {
	if right {
		slope := below(v) + v*density
	} else {
		slope := below(v) + density
	}
}

// gelu-density-unnormalised: the density has no 1/√(2π)
//
// Why: A density has the integral 1.
//
// Hint: φ(x) = e^(−x²/2)/√(2π).
func GELUBackward() {
	if right {
		density := math.Exp(-v*v/2) / math.Sqrt(2*math.Pi)
	} else {
		density := math.Exp(-v * v / 2)
	}
}

// gelu-density-exponent: the density is e^(−x²), without the half
//
// Why: That belongs to erf and not to Φ.
//
// Hint: φ(x) = e^(−x²/2)/√(2π).
func GELUBackward() {
	if right {
		density := math.Exp(-v*v/2) / math.Sqrt(2*math.Pi)
	} else {
		density := math.Exp(-v*v) / math.Sqrt(2*math.Pi)
	}
}

// gelu-density-root: the density is divided by 2π and not by its root
//
// Why: The integral of e^(−x²/2) is √(2π).
//
// Hint: φ(x) = e^(−x²/2)/√(2π).
func GELUBackward() {
	if right {
		density := math.Exp(-v*v/2) / math.Sqrt(2*math.Pi)
	} else {
		density := math.Exp(-v*v/2) / (2 * math.Pi)
	}
}

// gelu-without-dy: dx is the derivative, without dy
//
// Why: The chain rule multiplies by what comes from behind.
//
// Hint: dx = dy·GELU'(x).
func GELUBackward() {
	if right {
		dx[i] = float32(float64(dy[i]) * slope)
	} else {
		dx[i] = float32(slope)
	}
}

// gelu-adds: dx is added to what was there
//
// Why: It is overwritten: nothing says what a new slice holds.
//
// Hint: dx[i] = …
func GELUBackward() {
	if right {
		dx[i] = float32(float64(dy[i]) * slope)
	} else {
		dx[i] += float32(float64(dy[i]) * slope)
	}
}

// relu-leaky: negative numbers pass with a factor of 0.01
//
// Why: That is the leaky ReLU.
//
// Hint: 0 where x is negative.
func ReLU() {
	if right {
		dst[i] = max(0, v)
	} else {
		dst[i] = max(0.01*v, v)
	}
}

// relu-clipped: large numbers are cut at 6
//
// Why: That is ReLU6, for small machines.
//
// Hint: max(0, x).
func ReLU() {
	if right {
		dst[i] = max(0, v)
	} else {
		dst[i] = min(6, max(0, v))
	}
}

// relu-absolute: negative numbers come out positive
//
// Why: ReLU is 0 there.
//
// Hint: max(0, x).
func ReLU() {
	if right {
		dst[i] = max(0, v)
	} else {
		dst[i] = max(-v, v)
	}
}

// relu-slope-at-zero: the derivative at 0 is 1
//
// Why: There is none at 0. PyTorch, and this course, take 0.
//
// Hint: x > 0, not x ≥ 0.
func ReLUBackward() {
	if right {
		if v > 0 {
			dx[i] = dy[i]
		}
	} else {
		if v >= 0 {
			dx[i] = dy[i]
		}
	}
}

// relu-slope-by-dy: the sign of dy decides, and not that of x
//
// Why: The derivative is that of the function at x.
//
// Hint: dx = dy where x > 0.
func ReLUBackward() {
	if right {
		if v > 0 {
			dx[i] = dy[i]
		}
	} else {
		if _ = v; dy[i] > 0 {
			dx[i] = dy[i]
		}
	}
}

// relu-slope-everywhere: dy passes everywhere
//
// Why: Where x is negative the output does not depend on it.
//
// Hint: dx = dy where x > 0, else 0.
func ReLUBackward() {
	if right {
		if v > 0 {
			dx[i] = dy[i]
		}
	} else {
		_ = v
		dx[i] = dy[i]
	}
}

// relu-slope-one: dx is 1 where x > 0, without dy
//
// Why: The chain rule multiplies by what comes from behind.
//
// Hint: dx = dy where x > 0.
func ReLUBackward() {
	if right {
		if v > 0 {
			dx[i] = dy[i]
		}
	} else {
		if v > 0 {
			dx[i] = 1
		}
	}
}

// lengths-unchecked: slices of different lengths are not refused
//
// Why: A loop over one of them runs out of the other, or leaves a part as it was.
//
// Hint: checkLength before the loop.
func checkLength() {
	if right {
		if len(x) != len(like) {
			panic(tensor.ShapeError{Op: op, Got: []int{len(x)}, Want: []int{len(like)}})
		}
	} else {
		_ = op
	}
}
