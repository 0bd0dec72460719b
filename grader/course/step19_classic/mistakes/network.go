//go:build mistake

package classic

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// b1-missing: the first bias is left out
//
// Why: The network of 2017 has a bias behind each projection.
//
// Hint: act(x W1ᵀ + b1).
func (*FeedForward) Forward() {
	if right {
		f.pre = plus(f.pre, f.W1.Forward(x), f.B1)
	} else {
		f.pre = tensor.ReuseLead(f.pre, x.Lead(1), f.B1.Value.Dim(0))
		copy(f.pre.Data, f.W1.Forward(x).Data)
	}
}

// b2-missing: the second bias is left out
//
// Why: The network of 2017 has a bias behind each projection.
//
// Hint: (…) W2ᵀ + b2.
func (*FeedForward) Forward() {
	if right {
		f.y = plus(f.y, f.W2.Forward(f.act), f.B2)
	} else {
		f.y = tensor.Reuse(f.y, x.Shape...)
		copy(f.y.Data, f.W2.Forward(f.act).Data)
	}
}

// b1-behind: the first bias is added behind the activation
//
// Why: A bias moves the place where the activation bends, and so it stands inside.
//
// Hint: act(x W1ᵀ + b1).
func (*FeedForward) Forward() {
	if right {
		f.pre = plus(f.pre, f.W1.Forward(x), f.B1)
		f.act = tensor.Reuse(f.act, f.pre.Shape...)
		f.Act.Forward(f.act.Data, f.pre.Data)
	} else {
		f.pre = tensor.ReuseLead(f.pre, x.Lead(1), f.B1.Value.Dim(0))
		copy(f.pre.Data, f.W1.Forward(x).Data)
		f.act = tensor.Reuse(f.act, f.pre.Shape...)
		f.Act.Forward(f.act.Data, f.pre.Data)
		f.act = plus(f.act, f.act, f.B1)
	}
}

// bias-first-row-only: a bias is added to the first row alone
//
// Why: Every row has the same bias.
//
// Hint: Add it in a loop over the rows.
func plus() {
	if right {
		for n := range x.Rows() {
			kernel.Add(dst.Row(n), x.Row(n), bias.Value.Data)
		}
	} else {
		copy(dst.Data, x.Data)
		if x.Rows() > 0 {
			kernel.Add(dst.Row(0), x.Row(0), bias.Value.Data)
		}
	}
}

// activation-missing: there is no activation
//
// Why: Two projections in a row are one: without the bend between them the network learns nothing
// that a matrix could not.
//
// Hint: f.Act.Forward between the two.
func (*FeedForward) Forward() {
	if right {
		f.Act.Forward(f.act.Data, f.pre.Data)
	} else {
		copy(f.act.Data, f.pre.Data)
	}
}

// activation-fixed: it is always GELU, whatever Act says
//
// Why: The network of 2017 has ReLU.
//
// Hint: f.Act.Forward and f.Act.Backward.
func (*FeedForward) Forward() {
	if right {
		f.Act.Forward(f.act.Data, f.pre.Data)
	} else {
		GELU(f.act.Data, f.pre.Data)
	}
}

// activation-fixed/derivative-too
//
// With: activation-fixed
func (*FeedForward) Backward() {
	if right {
		f.Act.Backward(f.dPre.Data, f.pre.Data, dAct.Data)
	} else {
		GELUBackward(f.dPre.Data, f.pre.Data, dAct.Data)
	}
}

// slope-of-output: the derivative is asked for at the activation's output
//
// Why: a' is a function of what went in.
//
// Hint: f.Act.Backward(dPre, pre, dAct).
func (*FeedForward) Backward() {
	if right {
		f.Act.Backward(f.dPre.Data, f.pre.Data, dAct.Data)
	} else {
		f.Act.Backward(f.dPre.Data, f.act.Data, dAct.Data)
	}
}

// slope-without-bias: the derivative is asked for at x W1ᵀ, without the bias
//
// Why: The activation bends at pre = x W1ᵀ + b1.
//
// Hint: Keep pre, with the bias.
func (*FeedForward) Backward() {
	if right {
		f.Act.Backward(f.dPre.Data, f.pre.Data, dAct.Data)
	} else {
		plain := f.pre.Clone()
		for n := range plain.Rows() {
			kernel.Axpy(-1, f.B1.Value.Data, plain.Row(n))
		}
		f.Act.Backward(f.dPre.Data, plain.Data, dAct.Data)
	}
}

// slope-missing: the gradient passes the activation as it is
//
// Why: The activation has a derivative.
//
// Hint: dPre = dAct ⊙ a'(pre).
func (*FeedForward) Backward() {
	if right {
		f.Act.Backward(f.dPre.Data, f.pre.Data, dAct.Data)
	} else {
		copy(f.dPre.Data, dAct.Data)
	}
}

// db1-before-slope: b1's gradient is the sum of dAct
//
// Why: The bias stands before the activation.
//
// Hint: db1 = Σ_n dPre_n.
func (*FeedForward) Backward() {
	if right {
		addRows(f.B1.Grad, f.dPre)
	} else {
		addRows(f.B1.Grad, dAct)
	}
}

// db1-lost: nothing is added to b1's gradient
//
// Why: A bias is a parameter like a weight.
//
// Hint: db1 = Σ_n dPre_n.
func (*FeedForward) Backward() {
	if right {
		addRows(f.B1.Grad, f.dPre)
	} else {
		_ = f.B1
	}
}

// db2-lost: nothing is added to b2's gradient
//
// Why: A bias is a parameter like a weight.
//
// Hint: db2 = Σ_n dy_n.
func (*FeedForward) Backward() {
	if right {
		addRows(f.B2.Grad, dy)
	} else {
		_ = f.B2
	}
}

// bias-gradient-averaged: the gradient of a bias is the mean over the rows
//
// Why: The loss is what averages, once. The chain rule adds.
//
// Hint: Sum over the rows, without a division.
func addRows() {
	if right {
		kernel.Axpy(1, x.Row(n), sum.Data)
	} else {
		kernel.Axpy(1/float32(x.Rows()), x.Row(n), sum.Data)
	}
}

// bias-gradient-last-row: only the last row reaches the gradient of a bias
//
// Why: An assignment in the loop over rows keeps the last.
//
// Hint: += in the loop.
func addRows() {
	if right {
		kernel.Axpy(1, x.Row(n), sum.Data)
	} else {
		copy(sum.Data, x.Row(n))
	}
}

// bias-gradient-overwritten: the gradient of a bias is overwritten instead of added to
//
// Why: Gradients collect over calls until the optimiser clears them.
//
// Hint: Grad += …
func addRows() {
	if right {
		for n := range x.Rows() {
			kernel.Axpy(1, x.Row(n), sum.Data)
		}
	} else {
		sum.Zero()
		for n := range x.Rows() {
			kernel.Axpy(1, x.Row(n), sum.Data)
		}
	}
}
