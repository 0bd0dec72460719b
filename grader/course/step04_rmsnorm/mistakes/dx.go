//go:build mistake

package rmsnorm

// dx-second-term-missing: dx lacks its second term, the one through the root
//
// Why: x_i stands in the numerator, and in the root that the whole row shares. If x_i grows, all
// of the row is divided by more.
//
// Hint: dx = r·(dh − h·mean(dh ⊙ h)), with h = x·r and dh = dy ⊙ g.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
		kernel.ScaleTo(dxn, r, dh)
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		kernel.ScaleTo(dxn, r, dh)
	}
}

// dx-second-term-summed: dx's second term has the sum over the row where the mean belongs
//
// Why: The root holds a mean of squares, so its derivative carries the same 1/D.
//
// Hint: Divide Σ dh·h by D.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dh, h)
	}
}

// dx-second-term-sign: dx's second term is added instead of subtracted
//
// Why: The root stands in the denominator: a larger x_i makes the rest of the row smaller, hence
// the minus.
//
// Hint: dx = r·(dh − h·mean(dh ⊙ h)).
func (*RMSNorm) Backward() {
	if right {
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		kernel.Axpy(r*mean, h, dxn)
	}
}

// dx-second-term-factor: dx's second term lacks one of its three factors 1/√(mean(x²) + ε)
//
// Why: The derivative of 1/√u is −½·u^(−3/2): three factors in all. One makes h of x inside the
// mean, one outside, and one stands in front.
//
// Hint: dx = r·(dh − h·mean(dh ⊙ h)): h = x·r both times, and the bracket ends after the second
// term.
func (*RMSNorm) Backward() {
	if right {
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		kernel.Axpy(-mean, h, dxn)
	}
}

// dx-x-for-h: dx's second term uses x where the normalised row belongs, inside the mean and
// outside
//
// Why: The derivative of 1/√u is −½·u^(−3/2): three factors in all. Two of them make h out of x.
//
// Hint: Work with h = x·r instead of x: dx = r·(dh − h·mean(dh ⊙ h)).
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
		kernel.ScaleTo(dxn, r, dh)
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		mean := kernel.Dot(dh, xn) / float32(len(g))
		kernel.ScaleTo(dxn, r, dh)
		kernel.Axpy(-r*mean, xn, dxn)
	}
}

// dx-outer-factor-missing: dx lacks the factor 1/√(mean(x²) + ε) in front
//
// Why: h = x·r, so a change of x arrives at h multiplied by r.
//
// Hint: Multiply the whole bracket by r.
func (*RMSNorm) Backward() {
	if right {
		kernel.ScaleTo(dxn, r, dh)
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		copy(dxn, dh)
		kernel.Axpy(-mean, h, dxn)
	}
}

// dx-layernorm: dx also subtracts the mean of dh, as LayerNorm's derivative does
//
// Why: That term belongs to a mean that was subtracted in the forward pass. RMSNorm subtracts
// none.
//
// Hint: Two terms, not three.
func (*RMSNorm) Backward() {
	if right {
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		centre := kernel.Sum(dh) / float32(len(g))
		kernel.Axpy(-r*mean, h, dxn)
		kernel.AddConst(dxn, -r*centre, dxn)
	}
}

// dx-sum-not-cleared: the sum in dx's second term is not set to 0 again for the next row
//
// Why: The first row is right, and every later one sees the rows before it.
//
// Hint: Declare the sum inside the loop over rows.
func (*RMSNorm) Backward() {
	if right {
		dg, h := l.Gain.Grad.Data, l.h.Data
	} else {
		dg, h := l.Gain.Grad.Data, l.h.Data
		sum := float32(0)
	}
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		sum += kernel.Dot(dh, h)
		mean := sum / float32(len(g))
	}
}

// dx-gain-forgotten: dx does not contain the gain
//
// Why: y = h ⊙ g, so what reaches h is dy ⊙ g. With gains of 1 the mistake does not show.
//
// Hint: Begin with dh[i] = dy[i]·g[i], and use dh in both terms.
func (*RMSNorm) Backward() {
	if right {
		kernel.Mul(dh, dyn, g)
	} else {
		copy(dh, dyn)
	}
}

// dx-gain-in-first-term-only: the gain is missing in dx's second term
//
// Why: Both terms come from the gradient of the normalised row, dh = dy ⊙ g.
//
// Hint: The mean runs over dh ⊙ h, where dh holds the gain already.
func (*RMSNorm) Backward() {
	if right {
		mean := kernel.Dot(dh, h) / float32(len(g))
	} else {
		mean := kernel.Dot(dyn, h) / float32(len(g))
	}
}

// dx-gain-in-second-term-only: the gain is missing in dx's first term
//
// Why: Both terms come from the gradient of the normalised row, dh = dy ⊙ g.
//
// Hint: dx = r·(dh − h·mean(dh ⊙ h)), with dh[i] = dy[i]·g[i].
func (*RMSNorm) Backward() {
	if right {
		kernel.ScaleTo(dxn, r, dh)
	} else {
		kernel.ScaleTo(dxn, r, dyn)
	}
}

// dx-gain-last: dx is multiplied by the gain at the end instead of at the beginning
//
// Why: The gain is the last thing that happens in the forward pass, so it is the first on the way
// back. The mean over the row mixes columns, so the order matters.
//
// Hint: Begin with dh[i] = dy[i]·g[i]; after that the gain occurs no more.
func (*RMSNorm) Backward() {
	if right {
		kernel.Mul(dh, dyn, g)
	} else {
		copy(dh, dyn)
	}
	if right {
		kernel.Axpy(-r*mean, h, dxn)
	} else {
		kernel.Axpy(-r*mean, h, dxn)
		kernel.Mul(dxn, dxn, g)
	}
}
