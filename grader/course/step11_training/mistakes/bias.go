//go:build mistake

package training

// no-bias-correction: AdamW has no bias correction
//
// Why: Both means start at 0 and are too small at first, m ten times and v twenty to a thousand
// times. Their quotient is then wrong for many steps.
//
// Hint: Divide m by 1 − β1ᵗ and v by 1 − β2ᵗ, with t = 1 in the first step.
func (*AdamW) update() {
	if right {
		t := float64(o.Steps)
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	} else {
		bias1, bias2 := 1.0, 1.0
	}
}

// bias-correction-of-m-only: only m is corrected for its start at 0, and v is not
//
// Why: v starts at 0 as well, and with β2 near 1 it stays too small for longer than m. Without the
// correction the first steps are many times too long.
//
// Hint: v/(1 − β2ᵗ) stands under the root.
func (*AdamW) update() {
	if right {
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	} else {
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1.0
	}
}

// bias-correction-of-v-only: only v is corrected for its start at 0, and m is not
//
// Why: m starts at 0 too: after the first step it is (1 − β1)·g, a tenth of the gradient.
//
// Hint: m/(1 − β1ᵗ) stands in the numerator.
func (*AdamW) update() {
	if right {
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	} else {
		bias1, bias2 := 1.0, 1-math.Pow(o.Beta2, t)
	}
}

// t-from-zero: t is 0 in the first step's bias correction, and one behind in all later ones
//
// Why: 1 − β⁰ is 0, so the first step divides by 0 and every parameter is NaN from then on.
//
// Hint: Count the step first, then use the count.
func (*AdamW) Step() {
	if right {
		o.Steps++
	} else {
		defer func() { o.Steps++ }()
	}
}

// t-one-ahead: the bias correction is one step ahead: t is 2 in the first step
//
// Why: After the first step m is (1 − β1)·g, and only 1 − β1¹ makes g of it again.
//
// Hint: t = 1 in the first step: count each step once.
func (*AdamW) update() {
	if right {
		t := float64(o.Steps)
	} else {
		t := float64(o.Steps + 1)
	}
}

// t-counts-parameters: t is counted once for each parameter instead of once for each step
//
// Why: With a single parameter nothing shows. In a model the correction is over within a step or
// two, and each parameter has another one.
//
// Hint: Count before the loop over the parameters, not in it.
func (*AdamW) Step() {
	if right {
		o.Steps++
	} else {
	}
	if right {
		o.movers.run(len(o.Params), lr)
	} else {
		for i := range o.Params {
			o.Steps++
			o.update(i, lr)
		}
	}
}

// bias-correction-without-power: the bias correction is 1 − β in every step, without the power t
//
// Why: That is right in the first step. Later the means hold many gradients, and 1 − βᵗ has come
// near 1.
//
// Hint: math.Pow(β, t), with t the number of steps so far.
func (*AdamW) update() {
	if right {
		t := float64(o.Steps)
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	} else {
		bias1, bias2 := 1-o.Beta1, 1-o.Beta2
	}
}

// corrected-means-kept: the corrected means are stored as m and v, and are corrected again in the
// next step
//
// Why: The correction is for this step's use only. The running means themselves go on uncorrected.
//
// Hint: Put m/(1 − β1ᵗ) and v/(1 − β2ᵗ) into variables of their own.
func (*AdamW) update() {
	if right {
		kernel.ScaleTo(mHat, float32(1/bias1), m)
		kernel.ScaleTo(vHat, float32(1/bias2), v)
	} else {
		kernel.ScaleTo(mHat, float32(1/bias1), m)
		kernel.ScaleTo(vHat, float32(1/bias2), v)
		copy(m, mHat)
		copy(v, vHat)
	}
}

// correction-ends: from update 1,000 on AdamW takes the means as they are
//
// Why: With β2 = 0.999 v̂ is there still 1.58 times v: the steps are suddenly a quarter longer. The
// correction ends by itself, since βᵗ goes to 0.
//
// Hint: m̂ = m/(1 − β1ᵗ) and v̂ = v/(1 − β2ᵗ), for every t.
func (*AdamW) update() {
	if right {
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
	} else {
		bias1, bias2 := 1-math.Pow(o.Beta1, t), 1-math.Pow(o.Beta2, t)
		if o.Steps >= 1000 {
			bias1, bias2 = 1, 1
		}
	}
}
