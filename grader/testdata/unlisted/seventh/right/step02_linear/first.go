//go:build unlisted

package linear

import (
	"slices"
	"sync"
)

// closure-of-forward: Forward leaves a function behind that is the backward pass, with loops in float64 and new memory
//
// Why: the sums are the same; new memory is valid even longer than promised.
type Linear struct {
	Weight *tensor.Param

	back func(dy *tensor.Tensor) *tensor.Tensor
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	dOut, dIn := l.Weight.Value.Dim(0), l.Weight.Value.Dim(1)
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, dIn)
	shape := slices.Concat(x.Lead(1), []int{dOut})
	y := tensor.New(shape...)
	for n := range x.Rows() {
		for i := range dOut {
			sum := 0.0
			for j, v := range x.Row(n) {
				sum += float64(v) * float64(l.Weight.Value.Data[i*dIn+j])
			}
			y.Row(n)[i] = float32(sum)
		}
	}
	l.back = func(dy *tensor.Tensor) *tensor.Tensor {
		tensor.CheckShape("Linear.Backward: dy", dy, shape...)
		W, dW := l.Weight.Value, l.Weight.Grad
		dx := tensor.New(x.Shape...)
		for n := range x.Rows() {
			for j := range dIn {
				sum := 0.0
				for i, d := range dy.Row(n) {
					sum += float64(d) * float64(W.Data[i*dIn+j])
				}
				dx.Row(n)[j] = float32(sum)
			}
		}
		for i := range dOut {
			for j := range dIn {
				sum := float64(dW.Data[i*dIn+j])
				for n := range x.Rows() {
					sum += float64(dy.Row(n)[i]) * float64(x.Row(n)[j])
				}
				dW.Data[i*dIn+j] = float32(sum)
			}
		}
		return dx
	}
	return y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	if l.back == nil {
		panic(tensor.ShapeError{Op: "Linear.Backward before Forward"})
	}
	return l.back(dy)
}

// two-goroutines: dx and dW are computed at the same time, dW from a copy of x
//
// Why: neither product reads what the other writes, and a copy of x says the same as x.
func (*Linear) Backward() {
	if right {
		tensor.Mul(l.dx.Matrix(), dy.Matrix(), W.Matrix())
		tensor.MulAdd(dW.Matrix(), dy.Matrix().T(), l.x.Matrix())
	} else {
		var group sync.WaitGroup
		group.Go(func() { tensor.Mul(l.dx.Matrix().T(), W.Matrix().T(), dy.Matrix().T()) })
		group.Go(func() { tensor.MulAdd(dW.Matrix().T(), l.x.Matrix().T(), dy.Matrix()) })
		group.Wait()
	}
}

func (*Linear) Forward() {
	if right {
		l.x = x
	} else {
		l.x = x.Clone()
	}
}
