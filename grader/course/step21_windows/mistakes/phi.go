//go:build mistake

package windows

// phi-without-one: φ is elu(x), without the 1
//
// Why: Weights are products of two φ and must be positive: elu alone goes below 0, and a denominator may become 0.
//
// Hint: x + 1 for x ≥ 0, e^x below.
func Phi() {
	if right {
		if x >= 0 {
			y[i] = x + 1
		} else {
			y[i] = exp(x)
		}
	} else {
		if x >= 0 {
			y[i] = x
		} else {
			y[i] = exp(x) - 1
		}
	}
}

// phi-cancels: φ is elu(x) + 1, in which e^x is lost far to the left
//
// Why: e^x − 1 + 1 is 0 in float32 as soon as e^x is less than 2⁻²⁵, and wrong in its last digits before.
//
// Hint: Below 0 it is e^x itself.
func Phi() {
	if right {
		y[i] = exp(x)
	} else {
		below := exp(x) - 1
		y[i] = below + 1
	}
}

// phi-is-exp: φ is e^x on both sides
//
// Why: Above 0 φ grows as x does; e^x overflows at 89.
//
// Hint: x + 1 for x ≥ 0.
func Phi() {
	if right {
		y[i] = x + 1
	} else {
		y[i] = exp(x)
	}
}

// phi-is-relu: φ is 0 below 0
//
// Why: Where φ is 0 there is no gradient, and a query of which all φ are 0 sees nothing.
//
// Hint: e^x below 0.
func Phi() {
	if right {
		y[i] = exp(x)
	} else {
		y[i] = 0
	}
}

// slope-is-phi: φ is taken for its derivative
//
// Why: Below 0 both are e^x; above, x + 1 has the derivative 1.
//
// Hint: 1 for x ≥ 0.
func PhiBackward() {
	if right {
		if x < 0 {
			dx[i] *= exp(x)
		}
	} else {
		if x < 0 {
			dx[i] *= exp(x)
		} else {
			dx[i] *= x + 1
		}
	}
}

// slope-is-one: the derivative of φ is 1 everywhere
//
// Why: Below 0 φ is e^x, and so is its derivative.
//
// Hint: e^x for x < 0.
func PhiBackward() {
	if right {
		if x < 0 {
			dx[i] *= exp(x)
		}
	} else {
		_ = x
	}
}

// slope-cut: the derivative of φ is 0 below 0, as that of ReLU
//
// Why: Below 0 φ is e^x, and so is its derivative.
//
// Hint: e^x for x < 0.
func PhiBackward() {
	if right {
		if x < 0 {
			dx[i] *= exp(x)
		}
	} else {
		if x < 0 {
			dx[i] = 0
		}
	}
}

// lengths-not-checked: slices of different lengths are accepted
//
// Why: A mistake of the caller is to be said where it is made.
//
// Hint: checkLength.
func Phi() {
	if right {
		checkLength("Phi: x", len(x), len(y))
	} else {
		x = x[:min(len(x), len(y))]
	}
}
