//go:build unlisted

package linear

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// weight-not-transposed: y = x·W
//
// Why: Forward multiplies by W and not by its transpose: a square layer gives wrong numbers, any other panics.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix())
	}
}

// dx-by-transpose: dx = dy·Wᵀ
//
// Why: Backward multiplies dy by the transpose, as Forward does: dx is wrong for a square layer, any other panics.
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
	} else {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix().T())
	}
}

// dw-transposed: the weight's gradient is xᵀ·dy
//
// Why: The weight's gradient is transposed: (in, out) where (out, in) is wanted.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		tensor.MulAdd(dW.Matrix().T(), dy.Matrix().T(), l.x.Matrix())
	}
}

// dw-mean-over-rows: the weight's gradient is the mean over the rows
//
// Why: The weight's gradient is divided by the number of rows, where the sum is wanted.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		mean := tensor.New(dW.Shape...)
		tensor.Mul(mean.Matrix(), dy.Matrix().T(), l.x.Matrix())
		kernel.Axpy(1/float32(max(1, dy.Rows())), mean.Data, dW.Data)
	}
}

// dw-first-sequence: only the first matrix of a batch reaches the weight's gradient
//
// Why: For x (B, T, in) the weight's gradient is that of the first sequence: the others are left out.
func (*Linear) Backward() {
	if right {
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		if len(dy.Shape) > 2 && dy.Matrices() > 0 {
			tensor.MulAdd(dW.Matrix(), dy.MatrixAt(0).T(), l.x.MatrixAt(0))
		} else {
			tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
		}
	}
}

// last-row-left-out: the loop over the rows stops one early
//
// Why: The last row of y is not computed.
func (*Linear) Forward() {
	if right {
		tensor.Mul(l.y.Matrix(), x.Matrix(), W.Matrix().T())
	} else {
		for n := 0; n < x.Rows()-1; n++ {
			for i := range dOut {
				l.y.Row(n)[i] = kernel.Dot(x.Row(n), W.Row(i))
			}
		}
	}
}
