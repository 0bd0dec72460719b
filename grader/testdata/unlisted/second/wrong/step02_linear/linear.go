//go:build unlisted

package linear

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// buffer-of-first-batch: y is made once, for the first batch
//
// Why: a later batch of another size does not fit into y, and Forward panics.
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		if l.y == nil {
			l.y = tensor.ReuseLead(nil, x.Lead(1), dOut)
		}
	}
}

// dx-into-x: dx takes the memory of x
//
// Why: after Backward the x that belongs to the caller holds dx.
func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
		l.dx = l.x
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	}
}

// forward-clears-gradient: every Forward clears the weight's gradient
//
// Why: the gradient of a batch that goes through in two parts is that of the last part only.
func (*Linear) Forward() {
	if right {
		l.x = x
	} else {
		l.x = x
		l.Weight.ZeroGrad()
	}
}

// y-flattened: y is always a matrix (N, out)
//
// Why: for x of three dimensions the leading dimensions are lost: y is (B·T, out) and not (B, T, out).
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		l.y = tensor.Reuse(l.y, x.Rows(), dOut)
	}
}

// transposed-once: transposed copy of the weight is made once
//
// Why: after the optimiser has changed the weight Forward still multiplies by the old one.
type Linear struct {
	Weight *tensor.Param // (out, in)

	transposed *tensor.Tensor // (in, out)
	x, y, dx   *tensor.Tensor
}

func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		if l.transposed == nil {
			l.transposed = tensor.New(dIn, dOut)
			tensor.Copy(l.transposed.Matrix(), W.Matrix().T())
		}
		tensor.Mul(l.y.Matrix(), x.Matrix(), l.transposed.Matrix())
	}
}

// dx-into-y: dx takes the memory of y
//
// Why: y should be valid until the next Forward, but Backward overwrites it.
func (*Linear) Backward() {
	if right {
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	} else {
		grad := dy.Clone()
		l.dx = tensor.From(l.y.Data, l.y.Shape...)
		l.dx = tensor.Reuse(l.dx, l.x.Shape...)
		tensor.Mul(l.dx.Matrix(), grad.Matrix(), W.Matrix())
	}
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		tensor.MulAdd(dW.Matrix(), grad.Matrix().T(), l.x.Matrix())
	}
}

// weight-read-as-in-out: weight's memory is read as a matrix (in, out)
//
// Why: y is x times other numbers of the weight; the gradients fit that, and only the values tell.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Reshape(dIn, dOut).Matrix())
	}
}

func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		dOut, dIn := W.Dim(0), W.Dim(1)
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Reshape(dIn, dOut).Matrix().T())
		tensor.MulAdd(dW.Reshape(dIn, dOut).Matrix(), l.x.Matrix().T(), dy.Matrix())
	}
}

// divided-by-root-in: product is divided by √in
//
// Why: y, dx and dW are all too small by the factor √in, as in the "neural tangent" form of a layer.
func (*Linear) Forward() {
	if right {
		return l.y
	} else {
		kernel.Scale(float32(1/math.Sqrt(float64(dIn))), l.y.Data)
		return l.y
	}
}

func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		dy = dy.Clone()
		kernel.Scale(float32(1/math.Sqrt(float64(W.Dim(1)))), dy.Data)
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	}
}

// gradient-averaged: weight's gradient is the mean over the rows
//
// Why: dW is a sum over all rows; the mean is N times too small.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		part := tensor.New(dW.Shape...)
		tensor.Mul(part.Matrix(), dy.Matrix().T(), l.x.Matrix())
		kernel.Axpy(1/float32(max(1, dy.Rows())), part.Data, dW.Data)
	}
}

// gradient-of-last-sequence: weight's gradient lacks all but the last sequence
//
// Why: for x (B, T, in) every sequence overwrites the share of the one before it, so dW is only that of the last.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		part := tensor.New(dW.Shape...)
		if len(dy.Shape) < 2 {
			tensor.Mul(part.Matrix(), dy.Matrix().T(), l.x.Matrix())
		} else {
			for i := range dy.Matrices() {
				tensor.Mul(part.Matrix(), dy.MatrixAt(i).T(), l.x.MatrixAt(i))
			}
		}
		kernel.Add(dW.Data, dW.Data, part.Data)
	}
}
