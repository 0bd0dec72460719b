//go:build mistake

package swiglu

// silu-derivative-first-term: SiLU's derivative is σ(x) alone: the term from σ' is missing
//
// Why: x·σ(x) is a product of two factors that both depend on x, so its derivative has two terms.
//
// Hint: SiLU'(x) = σ(x) + x·σ'(x), with σ' = σ·(1 − σ).
func SiLUBackward() {
	if right {
		ds := s * (1 - s)
		slope := s + x[i]*ds
	} else {
		slope := s
	}
}

// silu-derivative-second-term: SiLU's derivative is x·σ'(x) alone: the term from x is missing
//
// Why: x·σ(x) is a product of two factors that both depend on x, so its derivative has two terms.
//
// Hint: SiLU'(x) = σ(x) + x·σ'(x).
func SiLUBackward() {
	if right {
		slope := s + x[i]*ds
	} else {
		slope := x[i] * ds
	}
}

// silu-derivative-of-sigmoid: the sigmoid's derivative is used for SiLU's
//
// Why: x·σ(x) is a product of two factors that both depend on x, so its derivative has two terms.
//
// Hint: Apply the product rule to x·σ(x): σ(x) + x·σ(x)·(1 − σ(x)).
func SiLUBackward() {
	if right {
		slope := s + x[i]*ds
	} else {
		slope := ds
	}
}

// silu-derivative-sign: the second term of SiLU's derivative is subtracted
//
// Why: σ rises everywhere, so σ' = σ·(1 − σ) is positive.
//
// Hint: SiLU'(x) = σ(x)·(1 + x·(1 − σ(x))).
func SiLUBackward() {
	if right {
		slope := s + x[i]*ds
	} else {
		slope := s - x[i]*ds
	}
}

// silu-derivative-sigma-squared: σ' is taken to be σ² instead of σ·(1 − σ)
//
// Why: The slope of σ is largest at 0 and vanishes on both sides: it needs both σ and 1 − σ.
//
// Hint: SiLU'(x) = σ(x)·(1 + x·(1 − σ(x))).
func SiLUBackward() {
	if right {
		ds := s * (1 - s)
	} else {
		ds := s * s
	}
}

// silu-derivative-without-dy: SiLUBackward returns SiLU's derivative and does not multiply by dy
//
// Why: A backward function does not compute a derivative but passes a gradient on: the chain rule
// multiplies.
//
// Hint: dx[i] = dy[i]·SiLU'(x[i]).
func SiLUBackward() {
	if right {
		dx[i] = dy[i] * slope
	} else {
		dx[i] = slope
	}
}

// silu-slope-cut: the derivative of SiLU is 0 below −15
//
// Why: At −16 it is −1.7·10⁻⁶. The little that a SiLU unit still gets there is what brings it back;
// a ReLU unit gets nothing and stays dead.
//
// Hint: SiLU'(x) = σ(x)·(1 + x·(1 − σ(x))), for every x.
func SiLUBackward() {
	if right {
		slope := s + x[i]*ds
	} else {
		slope := s + x[i]*ds
		if x[i] < -15 {
			slope = 0
		}
	}
}
