//go:build mistake

package classic

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"math"
)

// dx-mean-missing: dx has no term for the mean
//
// Why: x_j is in μ too, which every number of the row feels. Without that term a constant that is
// added to a row would have a gradient, and changes nothing.
//
// Hint: dx = r·(dh − mean(dh) − h·mean(dh ⊙ h)).
func (*LayerNorm) Backward() {
	if right {
		level := kernel.Sum(dh) / d
		kernel.AddConst(dxn, -level, dh)
	} else {
		kernel.AddConst(dxn, 0, dh)
	}
}

// dx-spread-missing: dx has no term for the variance
//
// Why: x_j is in r too, which every number of the row feels.
//
// Hint: dx = r·(dh − mean(dh) − h·mean(dh ⊙ h)).
func (*LayerNorm) Backward() {
	if right {
		kernel.Axpy(-along, h, dxn)
	} else {
		_ = along
	}
}

// dx-direct-alone: dx is r·dh, of three terms the first
//
// Why: μ and r depend on x as well.
//
// Hint: dx = r·(dh − mean(dh) − h·mean(dh ⊙ h)).
func (*LayerNorm) Backward() {
	if right {
		level := kernel.Sum(dh) / d
		kernel.AddConst(dxn, -level, dh)
		kernel.Axpy(-along, h, dxn)
	} else {
		kernel.AddConst(dxn, 0, dh)
		_ = along
	}
}

// dx-sums: in dx stand sums where means belong
//
// Why: ∂μ/∂x_j = 1/D, and r has the same factor.
//
// Hint: Divide both by D.
func (*LayerNorm) Backward() {
	if right {
		along := kernel.Dot(dh, h) / d
		level := kernel.Sum(dh) / d
	} else {
		along := kernel.Dot(dh, h)
		level := kernel.Sum(dh) + 0*d
	}
}

// dx-without-r: dx is not multiplied by r
//
// Why: h = (x − μ)·r: every way from h to x passes r.
//
// Hint: dx = r·(…).
func (*LayerNorm) Backward() {
	if right {
		kernel.Scale(float32(r), dxn)
	} else {
		_ = r
	}
}

// dx-without-gain: dx is computed from dy, without the gain
//
// Why: What reaches h is dy ⊙ g.
//
// Hint: dh = dy ⊙ g first, and both means are of dh.
func (*LayerNorm) Backward() {
	if right {
		kernel.Mul(dh, dyn, g)
	} else {
		copy(dh, dyn)
	}
}

// dx-gain-at-the-end: the gain is multiplied at the end, and the means are of dy
//
// Why: The means run over dy ⊙ g: a gain cannot be taken out of them.
//
// Hint: dh = dy ⊙ g before anything else.
func (*LayerNorm) Backward() {
	if right {
		kernel.Mul(dh, dyn, g)
	} else {
		copy(dh, dyn)
	}
	if right {
		kernel.Scale(float32(r), dxn)
	} else {
		kernel.Scale(float32(r), dxn)
		kernel.Mul(dxn, dxn, g)
	}
}

// dx-with-x: the third term has x in place of h
//
// Why: ∂r/∂x_j = −r²·h_j/D, and h has lost its mean.
//
// Hint: h·mean(dh ⊙ h).
func (*LayerNorm) Backward() {
	if right {
		kernel.Axpy(-along, h, dxn)
	} else {
		kernel.Axpy(-along, l.x.Row(n), dxn)
	}
}

// dg-with-x-again: the gain's gradient is computed with x in place of h
//
// Why: The gain multiplies h.
//
// Hint: dg_i = Σ dy_i·h_i.
func (*LayerNorm) Backward() {
	if right {
		kernel.MulAdd(l.Gain.Grad.Data, dyn, h)
	} else {
		kernel.MulAdd(l.Gain.Grad.Data, dyn, l.x.Row(n))
	}
}

// dg-centred-alone: the gain's gradient is computed with x − μ, without r
//
// Why: The gain multiplies h = (x − μ)·r.
//
// Hint: dg_i = Σ dy_i·h_i.
func (*LayerNorm) Backward() {
	if right {
		kernel.MulAdd(l.Gain.Grad.Data, dyn, h)
	} else {
		for i, v := range l.x.Row(n) {
			l.Gain.Grad.Data[i] += dyn[i] * float32(float64(v)-l.mean[n])
		}
	}
}

// dg-sum-of-dy: the gain's gradient is that of the bias
//
// Why: A bias is added and a gain multiplies, so its gradient has what it multiplies.
//
// Hint: dg_i = Σ dy_i·h_i.
func (*LayerNorm) Backward() {
	if right {
		kernel.MulAdd(l.Gain.Grad.Data, dyn, h)
	} else {
		kernel.Axpy(1, dyn, l.Gain.Grad.Data)
	}
}

// db-lost: nothing is added to the bias's gradient
//
// Why: The bias is learnt as the gain is.
//
// Hint: db_i = Σ dy_i.
func (*LayerNorm) Backward() {
	if right {
		if l.Bias != nil {
			kernel.Axpy(1, dyn, l.Bias.Grad.Data)
		}
	} else {
		_ = l.Bias
	}
}

// db-with-gain: the bias's gradient is the sum of dh = dy ⊙ g
//
// Why: The bias is added behind the gain.
//
// Hint: db_i = Σ dy_i.
func (*LayerNorm) Backward() {
	if right {
		if l.Bias != nil {
			kernel.Axpy(1, dyn, l.Bias.Grad.Data)
		}
	} else {
		if l.Bias != nil {
			kernel.MulAdd(l.Bias.Grad.Data, dyn, g)
		}
	}
}

// db-averaged: the bias's gradient is the mean over the rows
//
// Why: The loss is what averages, once. The chain rule adds.
//
// Hint: Sum over the rows, without a division.
func (*LayerNorm) Backward() {
	if right {
		if l.Bias != nil {
			kernel.Axpy(1, dyn, l.Bias.Grad.Data)
		}
	} else {
		if l.Bias != nil {
			kernel.Axpy(1/float32(dy.Rows()), dyn, l.Bias.Grad.Data)
		}
	}
}

// params-last-row: only the last row reaches the gradients of gain and bias
//
// Why: An assignment in the loop over rows keeps the last.
//
// Hint: += in the loop.
func (*LayerNorm) Backward() {
	if right {
		kernel.MulAdd(l.Gain.Grad.Data, dyn, h)
	} else {
		kernel.Mul(l.Gain.Grad.Data, dyn, h)
	}
	if right {
		if l.Bias != nil {
			kernel.Axpy(1, dyn, l.Bias.Grad.Data)
		}
	} else {
		if l.Bias != nil {
			copy(l.Bias.Grad.Data, dyn)
		}
	}
}

// params-overwritten: the gradients of gain and bias are overwritten instead of added to
//
// Why: Gradients collect over calls until the optimiser clears them.
//
// Hint: Grad += …
func (*LayerNorm) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	} else {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
		for _, p := range l.Params() {
			p.ZeroGrad()
		}
	}
}
