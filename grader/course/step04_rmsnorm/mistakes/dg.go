//go:build mistake

package rmsnorm

// dg-with-x: the gain's gradient is computed with x instead of the normalised row
//
// Why: The gain multiplies what the norm has made of x, so that is its derivative.
//
// Hint: dg[i] = Σ_n dy[n,i]·x[n,i]·r[n].
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		kernel.MulAdd(dg, dyn, xn)
	}
}

// dg-with-gain: the gain's gradient contains the gain itself
//
// Why: y is linear in g: its derivative with respect to g does not contain g.
//
// Hint: dg[i] = Σ_n dy[n,i]·h[n,i]: use dy, not dh.
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		for i, d := range dyn {
			dg[i] += d * h[i] * g[i]
		}
	}
}

// dg-without-row: the gain's gradient is the sum of dy alone
//
// Why: That is the gradient of a bias. A gain multiplies, so its gradient holds what it
// multiplies.
//
// Hint: dg[i] = Σ_n dy[n,i]·h[n,i].
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		kernel.Add(dg, dg, dyn)
	}
}

// dg-overwritten: the gain's gradient is overwritten instead of added to
//
// Why: Gradients collect over calls until the optimiser clears them.
//
// Hint: Gain.Grad[i] += …
func (*RMSNorm) Backward() {
	if right {
		dg, h := l.Gain.Grad.Data, l.h.Data
	} else {
		dg, h := l.Gain.Grad.Data, l.h.Data
		clear(dg)
	}
}

// dg-averaged: the gain's gradient is averaged over the rows instead of summed
//
// Why: The loss is what averages, once. Every row went through the same gain, and the chain rule
// adds their shares.
//
// Hint: Sum over the rows, without a division.
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		for i, d := range dyn {
			dg[i] += d * h[i] / float32(dy.Rows())
		}
	}
}

// dg-last-row-only: only the last row reaches the gain's gradient
//
// Why: Every row went through the same gain. An assignment in the loop keeps the last one's share.
//
// Hint: += in the loop over rows.
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		if n == len(l.r)-1 {
			kernel.MulAdd(dg, dyn, h)
		}
	}
}

// dg-last-row-only/overwritten: each row overwrites the gain's gradient, so that only the last row
// is in it
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		kernel.Mul(dg, dyn, h)
	}
}

// dg-not-cleared: the gain's gradient still contains that of the call before
//
// Why: A buffer that is used again holds the last result. The first call is right and every later
// one is not.
//
// Hint: Set the sum to 0 before the loop over rows; only Gain.Grad is added to.
type RMSNorm struct {
	Gain *tensor.Param

	x     *tensor.Tensor
	r     []float32
	y, dx *tensor.Tensor
	h, dh *tensor.Tensor
	dg    []float32
}

func (*RMSNorm) Backward() {
	if right {
		dg, h := l.Gain.Grad.Data, l.h.Data
	} else {
		l.dg = slices.Grow(l.dg[:0], len(g))[:len(g)]
		dg, h := l.dg, l.h.Data
	}
	if right {
		return l.dx
	} else {
		kernel.Add(l.Gain.Grad.Data, l.Gain.Grad.Data, dg)
		return l.dx
	}
}

// dg-lost: nothing is added to the gain's gradient
//
// Why: The optimiser reads Gain.Grad. A sum that stays in a local variable trains nothing.
//
// Hint: Add the sum over the rows to Gain.Grad at the end.
func (*RMSNorm) Backward() {
	if right {
		kernel.MulAdd(dg, dyn, h)
	} else {
		_ = dg
	}
}

// no-forward-unchecked: Backward does not look whether a Forward came before
//
// Why: A nil pointer is all that the layer then says. An error that names the layer and what it
// lacks is found in a minute.
//
// Hint: Begin Backward with tensor.CheckShape of what Forward kept.
func (*RMSNorm) Backward() {
	if right {
		tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	} else {
	}
}
