// Package rmsnorm keeps nothing but x: Backward finds the norms again. Its rows
// are divided among goroutines, and the gain's gradient is a sum of their sums.
package rmsnorm

import (
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

const Eps = 1e-5

type RMSNorm struct {
	Gain *tensor.Param

	x, y, dx *tensor.Tensor
}

func New(gain *tensor.Param) *RMSNorm {
	tensor.CheckShape("rmsnorm.New: gain", gain.Value, tensor.Any)
	return &RMSNorm{Gain: gain}
}

func (l *RMSNorm) Params() []*tensor.Param { return []*tensor.Param{l.Gain} }

func inverse(row []float32) float32 {
	return float32(1 / math.Sqrt(kernel.SumSquares(row)/float64(len(row))+Eps))
}

func (l *RMSNorm) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("RMSNorm.Forward: x", x, tensor.Lead, l.Gain.Value.Len())
	l.x, l.y = x, tensor.Reuse(l.y, x.Shape...)
	for n := range x.Rows() {
		y := l.y.Row(n)
		kernel.ScaleTo(y, inverse(x.Row(n)), x.Row(n))
		kernel.Mul(y, y, l.Gain.Value.Data)
	}
	return l.y
}

func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	const workers = 3
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	var all sync.WaitGroup
	var parts [workers][]float32
	for w := range workers {
		parts[w] = make([]float32, len(g))
		all.Go(func() {
			for n := w; n < l.x.Rows(); n += workers {
				l.backward(l.dx.Row(n), l.x.Row(n), dy.Row(n), parts[w])
			}
		})
	}
	all.Wait()
	for _, part := range parts {
		kernel.Add(l.Gain.Grad.Data, l.Gain.Grad.Data, part)
	}
	return l.dx
}

// backward does one row.
func (l *RMSNorm) backward(dx, x, dy, dg []float32) {
	r, g := inverse(x), l.Gain.Value.Data
	h, dh := make([]float32, len(x)), make([]float32, len(x))
	kernel.ScaleTo(h, r, x)
	kernel.Mul(dh, dy, g)
	kernel.MulAdd(dg, dy, h)
	kernel.ScaleTo(dx, r, dh)
	kernel.Axpy(-r*kernel.Dot(dh, h)/float32(len(x)), h, dx)
}
