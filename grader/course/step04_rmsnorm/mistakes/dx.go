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
		kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*r*mean, xn)
	} else {
		kernel.ScaledMul(l.dx.Row(n), r, dyn, g)
		_ = mean
	}
}

// dx-second-term-summed: dx's second term has the sum over the row where the mean belongs
//
// Why: The root holds a mean of squares, so its derivative carries the same 1/D.
//
// Hint: Divide Σ dh·h by D.
func (*RMSNorm) Backward() {
	if right {
		mean := r * kernel.Dot3(dyn, g, xn) / float64(len(g))
	} else {
		mean := r * kernel.Dot3(dyn, g, xn)
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
		kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*r*mean, xn)
	} else {
		kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, r*r*mean, xn)
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
		kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*r*mean, xn)
	} else {
		kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*mean, xn)
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
		kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*r*mean, xn)
	} else {
		kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -mean, xn)
	}
}

// dx-outer-factor-missing: dx lacks the factor 1/√(mean(x²) + ε) in front
//
// Why: h = x·r, so a change of x arrives at h multiplied by r.
//
// Hint: Multiply the whole bracket by r.
func (*RMSNorm) Backward() {
	if right {
		kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*r*mean, xn)
	} else {
		kernel.ScaledMulAdd(l.dx.Row(n), 1, dyn, g, -r*mean, xn)
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
		kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*r*mean, xn)
	} else {
		centre := 0.0
		for i := range dyn {
			centre += float64(dyn[i]) * float64(g[i]) / float64(len(g))
		}
		for i, v := range xn {
			l.dx.Row(n)[i] = float32(r * (float64(dyn[i])*float64(g[i]) - centre - float64(v)*r*mean))
		}
	}
}

// dx-sum-not-cleared: the sum in dx's second term is not set to 0 again for the next row
//
// Why: The first row is right, and every later one sees the rows before it.
//
// Hint: Declare the sum inside the loop over rows.
func (*RMSNorm) Backward() {
	if right {
		for n, r := range l.r {
			xn, dyn := l.x.Row(n), dy.Row(n)
			mean := r * kernel.Dot3(dyn, g, xn) / float64(len(g))
			kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*r*mean, xn)
			kernel.ScaledMulAdd(dg, r, dyn, xn, 1, dg)
		}
	} else {
		sum := 0.0
		for n, r := range l.r {
			xn, dyn := l.x.Row(n), dy.Row(n)
			sum += r * kernel.Dot3(dyn, g, xn)
			mean := sum / float64(len(g))
			kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*r*mean, xn)
			kernel.ScaledMulAdd(dg, r, dyn, xn, 1, dg)
		}
	}
}

// dx-gain-forgotten: dx does not contain the gain
//
// Why: y = h ⊙ g, so what reaches h is dy ⊙ g. With gains of 1 the mistake does not show.
//
// Hint: Begin with dh[i] = dy[i]·g[i], and use dh in both terms.
func (*RMSNorm) Backward() {
	if right {
		xn, dyn := l.x.Row(n), dy.Row(n)
	} else {
		xn, dyn := l.x.Row(n), dy.Row(n)
		g := slices.Repeat([]float32{1}, len(g))
	}
}

// dx-gain-in-first-term-only: the gain is missing in dx's second term
//
// Why: Both terms come from the gradient of the normalised row, dh = dy ⊙ g.
//
// Hint: The mean runs over dh ⊙ h, where dh holds the gain already.
func (*RMSNorm) Backward() {
	if right {
		mean := r * kernel.Dot3(dyn, g, xn) / float64(len(g))
	} else {
		mean := r * kernel.Dot3(dyn, slices.Repeat([]float32{1}, len(g)), xn) / float64(len(g))
	}
}

// dx-gain-in-second-term-only: the gain is missing in dx's first term
//
// Why: Both terms come from the gradient of the normalised row, dh = dy ⊙ g.
//
// Hint: dx = r·(dh − h·mean(dh ⊙ h)), with dh[i] = dy[i]·g[i].
func (*RMSNorm) Backward() {
	if right {
		kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*r*mean, xn)
	} else {
		kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, slices.Repeat([]float32{1}, len(g)), -r*r*mean, xn)
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
		mean := r * kernel.Dot3(dyn, g, xn) / float64(len(g))
		kernel.ScaledMulAdd(l.dx.Row(n), r, dyn, g, -r*r*mean, xn)
	} else {
		mean := r * kernel.Dot3(dyn, slices.Repeat([]float32{1}, len(g)), xn) / float64(len(g))
		for i, v := range xn {
			l.dx.Row(n)[i] = float32(float64(g[i]) * r * (float64(dyn[i]) - float64(v)*r*mean))
		}
	}
}
