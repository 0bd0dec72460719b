//go:build unlisted

package linear

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// loops-from-the-end: plain loops in float64 that run from the last index to the first
//
// Why: the sums of the stub in another order; the memory of y and dx is still used again.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	out, in := w.Shape[0], w.Shape[1]
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, in)
	l.x, l.y = x, tensor.ReuseLead(l.y, x.Lead(1), out)
	for n := x.Rows() - 1; n >= 0; n-- {
		for i := out - 1; i >= 0; i-- {
			sum := 0.0
			for j := in - 1; j >= 0; j-- {
				sum += float64(w.Data[i*in+j]) * float64(x.Data[n*in+j])
			}
			l.y.Data[n*out+i] = float32(sum)
		}
	}
	return l.y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	w, grad := l.Weight.Value, l.Weight.Grad
	out, in := w.Shape[0], w.Shape[1]
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, in)
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	rows := l.x.Rows()
	for j := in - 1; j >= 0; j-- {
		for n := rows - 1; n >= 0; n-- {
			sum := 0.0
			for i := out - 1; i >= 0; i-- {
				sum += float64(dy.Data[n*out+i]) * float64(w.Data[i*in+j])
			}
			l.dx.Data[n*in+j] = float32(sum)
		}
		for i := out - 1; i >= 0; i-- {
			sum := float64(grad.Data[i*in+j])
			for n := rows - 1; n >= 0; n-- {
				sum += float64(dy.Data[n*out+i]) * float64(l.x.Data[n*in+j])
			}
			grad.Data[i*in+j] = float32(sum)
		}
	}
	return l.dx
}

// product-of-the-transposes: every product is computed as its transpose, from copies
//
// Why: yᵀ = W·xᵀ, dxᵀ = Wᵀ·dyᵀ and dWᵀ = xᵀ·dy, which is made in memory of its own and added at the end.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, w.Dim(1))
	yt := tensor.New(w.Dim(0), x.Rows())
	tensor.Mul(yt.Matrix(), w.Matrix(), turned(x.Matrix()))
	l.x, l.y = x, tensor.ReuseLead(l.y, x.Lead(1), w.Dim(0))
	tensor.Copy(l.y.Matrix(), yt.Matrix().T())
	return l.y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, w.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	dwt := tensor.New(w.Dim(1), w.Dim(0))
	tensor.Mul(dwt.Matrix(), turned(l.x.Matrix()), dy.Matrix())
	for i := range w.Dim(0) {
		for j := range w.Dim(1) {
			l.Weight.Grad.Data[i*w.Dim(1)+j] += dwt.Data[j*w.Dim(0)+i]
		}
	}
	dxt := tensor.New(w.Dim(1), dy.Rows())
	tensor.Mul(dxt.Matrix(), turned(w.Matrix()), turned(dy.Matrix()))
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	tensor.Copy(l.dx.Matrix(), dxt.Matrix().T())
	return l.dx
}

func turned(m tensor.Matrix) tensor.Matrix {
	t := tensor.New(m.Cols, m.Rows)
	tensor.Copy(t.Matrix(), m.T())
	return t.Matrix()
}

// row-after-row: rows of x go through one by one, as sums of whole rows
//
// Why: dx_n = Σ_i dy_ni·W_i and dW_i += dy_ni·x_n are sums of vectors; y_ni is a dot product. What dx held is cleared first.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, w.Dim(1))
	y := tensor.ReuseLead(l.y, x.Lead(1), w.Dim(0))
	for n := range x.Rows() {
		for i := range w.Rows() {
			y.Row(n)[i] = kernel.Dot(w.Row(i), x.Row(n))
		}
	}
	l.x, l.y = x, y
	return y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, w.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	l.dx.Zero()
	for n := range dy.Rows() {
		for i, d := range dy.Row(n) {
			kernel.Axpy(d, w.Row(i), l.dx.Row(n))
			kernel.Axpy(d, l.x.Row(n), l.Weight.Grad.Row(i))
		}
	}
	return l.dx
}
