//go:build unlisted

package linear

import (
	"math"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// dx-in-memory-of-x: dx is written over the x that Forward was given
//
// Why: Backward takes x for dx once dW is done; its numbers are right, but the caller's x is changed.
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

// transpose-of-the-first-weight: Forward multiplies by a transposed copy of the weight made in the first call
//
// Why: after the weight has been changed, as by an optimiser, Forward still computes with the old one.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		if l.wt == nil {
			l.wt = tensor.New(dIn, dOut)
			tensor.Copy(l.wt.Matrix(), W.Matrix().T())
		}
		tensor.Mul(l.y.Matrix(), x.Matrix(), l.wt.Matrix())
	}
}

type Linear struct {
	Weight *tensor.Param

	x  *tensor.Tensor
	y  *tensor.Tensor
	dx *tensor.Tensor
	wt *tensor.Tensor
}

// shape-kept-at-same-length: y keeps its former shape if the number of elements is the same
//
// Why: after x (2, 3, in) an x (3, 2, in) or (6, in) gives a y that is still (2, 3, out), and Backward refuses the right dy.
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		if l.y == nil || l.y.Len() != x.Rows()*dOut {
			l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
		}
	}
}

// forward-clears-grad: Forward sets the weight's gradient to zero
//
// Why: what earlier Backwards added to Weight.Grad is lost at the next Forward, so gradients of several batches do not add up.
func (*Linear) Forward() {
	if right {
		l.x = x
	} else {
		l.x = x
		l.Weight.ZeroGrad()
	}
}

// backward-forgets-x: Backward lets go of x when it is done
//
// Why: a second Backward after the same Forward panics as if no Forward had come before.
func (*Linear) Backward() {
	if right {
		return l.dx
	} else {
		l.x = nil
		return l.dx
	}
}

// y-shared-by-shape: layers of the same sizes share one y
//
// Why: y comes from a table of the package by the shapes of x and W, so the Forward of one layer overwrites the y that
// another layer of the same size returned.
func (*Linear) Forward() {
	if right {
		l.y = tensor.ReuseLead(l.y, x.Lead(1), dOut)
	} else {
		key := tensor.ShapeString(x.Shape) + tensor.ShapeString(W.Shape)
		y, _ := outputs.LoadOrStore(key, tensor.New(slices.Concat(x.Lead(1), []int{dOut})...))
		l.y = y.(*tensor.Tensor)
	}
}

var outputs sync.Map

// empty-x-returned: Forward returns x itself if it has no rows
//
// Why: y of an empty batch is (…, in) and the caller's own tensor, not (…, out), and Backward refuses the dy that fits.
func (*Linear) Forward() {
	if right {
		l.x = x
	} else {
		l.x = x
		if x.Rows() == 0 {
			l.y = x
			return l.y
		}
	}
}

// one-row-overwrites-dw: the shortcut for a single row stores the outer product in the weight's gradient instead of adding it
//
// Why: with N = 1 what Weight.Grad held before is lost; with more rows it stays in the sum.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		if l.x.Rows() == 1 {
			for i, d := range dy.Data {
				kernel.ScaleTo(dW.Row(i), d, l.x.Data)
			}
		} else {
			tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
		}
	}
}

// dw-of-the-first-matrices: dW goes through as many matrices as the first dimension says
//
// Why: right for x (N, in) and (B, T, in), but with more leading dimensions, (B, H, T, in), only B of the B·H matrices
// reach dW.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		if len(l.x.Shape) <= 2 {
			tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
		} else {
			for b := range l.x.Dim(0) {
				tensor.MulAdd(dW.Matrix(), dy.MatrixAt(b).T(), l.x.MatrixAt(b))
			}
		}
	}
}

// divided-by-root-in: the product is divided by √in
//
// Why: y = x·Wᵀ/√in, and both gradients have the same factor 1/√in, as they must for this wrong formula.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
		kernel.Scale(float32(1/math.Sqrt(float64(dIn))), l.y.Data)
	}
}

func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		scaled := dy.Clone()
		kernel.Scale(float32(1/math.Sqrt(float64(W.Dim(1)))), scaled.Data)
		tensor.Mul(l.dx.Matrix(), scaled.Matrix(), W.Matrix())
		tensor.MulAdd(dW.Matrix(), scaled.Matrix().T(), l.x.Matrix())
	}
}

// weight-read-as-in-by-out: Forward reads the memory of W (out, in) as if it were (in, out)
//
// Why: element (j, i) of the matrix that x is multiplied by is W.Data[j·out+i] and not W.Data[i·in+j]; for a square W
// that is x·W without the transpose. Backward is that of x·Wᵀ.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		tensor.Mul(l.y.Matrix(), x.Matrix(), tensor.Matrix{Rows: dIn, Cols: dOut, Data: W.Data, Down: dOut, Right: 1})
	}
}

// dx-through-the-gradient: dx is dy times Weight.Grad instead of Weight.Value
//
// Why: Grad stands where the value should: dx is 0 while the gradient is cleared, and depends on earlier Backwards
// otherwise.
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	} else {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), dW.Matrix())
	}
}
