//go:build mistake

package training

// betas-swapped: β1 and β2 are swapped
//
// Why: The mean of the gradient follows quickly (β1 = 0.9), the mean of its square slowly (β2 =
// 0.95 to 0.999), so that the length of a step does not jump.
//
// Hint: β1 belongs to m, β2 to v.
func (*AdamW) update() {
	if right {
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
		beta1, rest1 := float32(o.Beta1), float32(1-o.Beta1)
		beta2, rest2 := float32(o.Beta2), float32(1-o.Beta2)
	} else {
		bias1, bias2 := 1-math.Pow(o.Beta2, t), 1-math.Pow(o.Beta1, t)
		beta1, rest1 := float32(o.Beta2), float32(1-o.Beta2)
		beta2, rest2 := float32(o.Beta1), float32(1-o.Beta1)
	}
}

// betas-swapped/not-in-the-correction: β1 and β2 are swapped, but not in the bias correction
func (*AdamW) update() {
	if right {
		beta1, rest1 := float32(o.Beta1), float32(1-o.Beta1)
		beta2, rest2 := float32(o.Beta2), float32(1-o.Beta2)
	} else {
		beta1, rest1 := float32(o.Beta2), float32(1-o.Beta2)
		beta2, rest2 := float32(o.Beta1), float32(1-o.Beta1)
	}
}

// v-of-g: v is the mean of the gradient, not of its square
//
// Why: The root of a mean that may be negative is NaN. v measures how large the gradients are,
// whatever their sign.
//
// Hint: v = β2·v + (1 − β2)·g².
func (*AdamW) update() {
	if right {
		kernel.Mul(square, g, g)
		kernel.Axpby(rest2, square, beta2, v)
	} else {
		_ = square
		kernel.Axpby(rest2, g, beta2, v)
	}
}

// v-of-absolute: v is the mean of |g| instead of g²
//
// Why: The root that is taken of v later undoes the square. Of |g| it makes something with the
// unit of √g.
//
// Hint: v = β2·v + (1 − β2)·g².
func (*AdamW) update() {
	if right {
		kernel.Mul(square, g, g)
	} else {
		for j, x := range g {
			square[j] = float32(math.Abs(float64(x)))
		}
	}
}

// v-of-m: v is the mean of m² instead of g²
//
// Why: m has averaged the noise away already. v is to know how much noise there was.
//
// Hint: Square the gradient, not its mean.
func (*AdamW) update() {
	if right {
		kernel.Mul(square, g, g)
	} else {
		kernel.Mul(square, m, m)
	}
}

// m-accumulated: m is β1·m + g, without the factor 1 − β1
//
// Why: That is the momentum of plain gradient descent. It is a sum and not a mean: with β1 = 0.9
// ten times as large.
//
// Hint: m = β1·m + (1 − β1)·g.
func (*AdamW) update() {
	if right {
		beta1, rest1 := float32(o.Beta1), float32(1-o.Beta1)
	} else {
		beta1, rest1 := float32(o.Beta1), float32(1)
	}
}

// v-accumulated: v is β2·v + g², without the factor 1 − β2
//
// Why: Without the factor v is a sum and not a mean, 20 to 1000 times as large, and the steps are
// that much shorter.
//
// Hint: v = β2·v + (1 − β2)·g².
func (*AdamW) update() {
	if right {
		beta2, rest2 := float32(o.Beta2), float32(1-o.Beta2)
	} else {
		beta2, rest2 := float32(o.Beta2), float32(1)
	}
}

// m-weights-swapped: m gives β1 to the new gradient and 1 − β1 to the old mean
//
// Why: A running mean changes slowly: nearly all of it is the old one.
//
// Hint: m = β1·m + (1 − β1)·g, with β1 near 1.
func (*AdamW) update() {
	if right {
		kernel.Axpby(rest1, g, beta1, m)
	} else {
		kernel.Axpby(beta1, g, rest1, m)
	}
}

// v-weights-swapped: v gives β2 to the new square and 1 − β2 to the old mean
//
// Why: A running mean changes slowly: nearly all of it is the old one.
//
// Hint: v = β2·v + (1 − β2)·g², with β2 near 1.
func (*AdamW) update() {
	if right {
		kernel.Axpby(rest2, square, beta2, v)
	} else {
		kernel.Axpby(beta2, square, rest2, v)
	}
}

// moves-along-g: the parameter moves along g instead of m
//
// Why: That is RMSProp. Adam moves along the mean of the last gradients, which is steadier than
// each of them.
//
// Hint: The numerator is m/(1 − β1ᵗ).
func (*AdamW) update() {
	if right {
		kernel.Div(mHat, mHat, vHat)
	} else {
		kernel.Div(mHat, g, vHat)
	}
}

// step-clears-gradients: AdamW's step sets the gradients to 0 after it has used them
//
// Why: Whoever asked for the step may want to look at the gradients after it, and whoever adds
// gradients up decides when a new sum begins.
//
// Hint: Step reads the gradients. The trainer sets them to 0 before the next Backward.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr), mHat, p)
	} else {
		kernel.Axpy(float32(-lr), mHat, p)
		clear(g)
	}
}

// moves-uphill: the step is added to the parameter instead of subtracted
//
// Why: The gradient points to where the loss grows.
//
// Hint: p = p − lr·…
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr), mHat, p)
	} else {
		kernel.Axpy(float32(lr), mHat, p)
	}
}

// root-of-v-forgotten: m is divided by v instead of by √v
//
// Why: v has the unit of g². Only its root makes the step independent of how large the gradients
// are.
//
// Hint: Divide by √(v/(1 − β2ᵗ)) + ε.
func (*AdamW) update() {
	if right {
		kernel.Sqrt(vHat, vHat)
	} else {
	}
}

// adam-eps-inside-root: AdamW's ε stands inside the root: √(v + ε)
//
// Why: Inside the root ε = 1e-8 counts as 1e-4. Gradients smaller than that then hardly move
// anything.
//
// Hint: First the root, then + ε: √v̂ + ε.
func (*AdamW) update() {
	if right {
		kernel.Sqrt(vHat, vHat)
		kernel.AddConst(vHat, float32(o.Eps), vHat)
	} else {
		kernel.AddConst(vHat, float32(o.Eps), vHat)
		kernel.Sqrt(vHat, vHat)
	}
}

// adam-eps-missing: AdamW has no ε
//
// Why: A parameter whose gradient was always 0 has m = 0 and v = 0, and 0/0 is NaN. The rows of
// the embedding of tokens that did not occur are such.
//
// Hint: Divide by √v̂ + ε.
func (*AdamW) update() {
	if right {
		kernel.AddConst(vHat, float32(o.Eps), vHat)
	} else {
	}
}
