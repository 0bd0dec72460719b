//go:build unlisted

package linear

import (
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// workers-and-sums-in-float64: plain loops in goroutines, every sum in float64, new tensors in every call
//
// Why: each worker writes rows of its own, sums are more exact than they need be, and a new tensor is valid for longer.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	dOut, dIn := W.Dim(0), W.Dim(1)
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
	y := tensor.New(slices.Concat(x.Lead(1), []int{dOut})...)
	together(x.Rows(), func(n int) {
		for i := range dOut {
			sum := 0.0
			for j, w := range W.Row(i) {
				sum += float64(w) * float64(x.Row(n)[j])
			}
			y.Row(n)[i] = float32(sum)
		}
	})
	l.x, l.y = x, y
	return y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W, dW := l.Weight.Value, l.Weight.Grad
	dOut, dIn := W.Dim(0), W.Dim(1)
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, dIn)
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	x, dx := l.x, tensor.New(l.x.Shape...)
	together(x.Rows(), func(n int) {
		sum := make([]float64, dIn)
		for i, d := range dy.Row(n) {
			for j, w := range W.Row(i) {
				sum[j] += float64(d) * float64(w)
			}
		}
		for j, s := range sum {
			dx.Row(n)[j] = float32(s)
		}
	})
	together(dOut, func(i int) {
		sum := make([]float64, dIn)
		for n := range x.Rows() {
			for j, v := range x.Row(n) {
				sum[j] += float64(dy.Row(n)[i]) * float64(v)
			}
		}
		for j, s := range sum {
			dW.Row(i)[j] = float32(float64(dW.Row(i)[j]) + s)
		}
	})
	return dx
}

func together(n int, do func(i int)) {
	var wg sync.WaitGroup
	const workers = 5
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := w; i < n; i += workers {
				do(i)
			}
		}()
	}
	wg.Wait()
}

// halves-and-transposes: every product is written transposed and cut in half again and again, the gradient row by row first
//
// Why: (a·b)ᵀ = bᵀ·aᵀ, a product may be computed in parts, and a sum over rows is the sum of two sums over half of them.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	l.x = x
	l.y = tensor.ReuseLead(l.y, x.Lead(1), W.Dim(0))
	halve(l.y.Matrix().T(), W.Matrix(), x.Matrix().T())
	return l.y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	addHalves(l.Weight.Grad.Matrix(), dy.Matrix(), l.x.Matrix())
	l.dx = tensor.Reuse(l.dx, l.x.Shape...)
	halve(l.dx.Matrix().T(), W.Matrix().T(), dy.Matrix().T())
	return l.dx
}

func halve(dst, a, b tensor.Matrix) {
	if dst.Rows <= 4 || dst.Cols == 0 || a.Cols == 0 {
		tensor.Mul(dst, a, b)
		return
	}
	half := dst.Rows / 2
	halve(dst.Block(0, 0, half, dst.Cols), a.Block(0, 0, half, a.Cols), b)
	halve(dst.Block(half, 0, dst.Rows-half, dst.Cols), a.Block(half, 0, a.Rows-half, a.Cols), b)
}

func addHalves(dW, dy, x tensor.Matrix) {
	if dy.Rows <= 8 || dW.Rows == 0 || dW.Cols == 0 {
		tensor.MulAdd(dW.T(), x.T(), dy)
		return
	}
	half := dy.Rows / 2
	addHalves(dW, dy.Block(half, 0, dy.Rows-half, dy.Cols), x.Block(half, 0, x.Rows-half, x.Cols))
	addHalves(dW, dy.Block(0, 0, half, dy.Cols), x.Block(0, 0, half, x.Cols))
}
