package windows

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Window goes through the queries one by one. Of every query it keeps the weights, and the
// keys that they belong to.
type Window struct {
	W, Sinks int

	q, k, v, y          *tensor.Tensor
	window, sinks       int
	p                   [][]float32 // of every query, over what it sees
	weights, dq, dk, dv *tensor.Tensor
}

func (a *Window) Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	tensor.CheckShape("Window.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckLead("Window.Forward: k", k, q.Lead(2), tensor.Any, q.Dim(-1))
	tensor.CheckLead("Window.Forward: v", v, k.Lead(1), tensor.Any)
	n, m := q.Dim(-2), k.Dim(-2)
	checkMask(mask, q.Matrices(), n, m)
	if min(a.W, a.Sinks) < 0 {
		panic(tensor.ShapeError{Op: "Window.Forward: W and Sinks", Got: []int{a.W, a.Sinks}, Want: []int{0, 0}})
	}
	a.q, a.k, a.v, a.window, a.sinks = q, k, v, a.W, a.Sinks
	if a.window == 0 {
		a.window = 32
	}
	a.y = tensor.ReuseLead(a.y, q.Lead(1), v.Dim(-1))
	a.y.Zero()
	for len(a.p) < q.Rows() {
		a.p = append(a.p, nil)
	}
	for row := range q.Rows() {
		a.p[row] = a.p[row][:0]
		for j := range a.seen(row) {
			s := float32(math.Inf(-1))
			if allows(mask, row/n, row%n, j) {
				s = kernel.Dot(q.Row(row), k.Row(row/n*m+j)) * scale(q.Dim(-1))
			}
			a.p[row] = append(a.p[row], s)
		}
		normalise(a.p[row])
		at := 0
		for j := range a.seen(row) {
			kernel.Axpy(a.p[row][at], v.Row(row/n*m+j), a.y.Row(row))
			at++
		}
	}
	return a.y
}

// seen goes through the keys that a row's query sees: first the window, from its end, then the
// sinks before it.
func (a *Window) seen(row int) func(func(int) bool) {
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	p := row%n + m - n
	return func(yield func(int) bool) {
		j := p
		for ; j >= 0 && p-j < a.window; j-- {
			if !yield(j) {
				return
			}
		}
		for j = min(j, a.sinks-1); j >= 0; j-- {
			if !yield(j) {
				return
			}
		}
	}
}

// normalise is the softmax in place, zeros for a row of −∞.
func normalise(p []float32) {
	largest, total := kernel.Max(p), 0.0
	for i, s := range p {
		p[i] = 0
		if !math.IsInf(float64(s), -1) {
			p[i] = float32(math.Exp(float64(s) - float64(largest)))
		}
		total += float64(p[i])
	}
	if total > 0 {
		kernel.Scale(float32(1/total), p)
	}
}

func (a *Window) Weights() *tensor.Tensor {
	a.weights = tensor.ReuseLead(a.weights, a.q.Lead(1), a.k.Dim(-2))
	a.weights.Zero()
	for row := range a.q.Rows() {
		at := 0
		for j := range a.seen(row) {
			a.weights.Row(row)[j] = a.p[row][at]
			at++
		}
	}
	return a.weights
}

func (a *Window) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Window.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Window.Backward: dy", dy, a.y.Shape...)
	a.dq, a.dk, a.dv = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...), tensor.Reuse(a.dv, a.v.Shape...)
	a.dq.Zero()
	a.dk.Zero()
	a.dv.Zero()
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	for row := range dy.Rows() {
		mean, at := float32(0), 0
		for j := range a.seen(row) { // Σ P·dP with the dP of below: they may be large
			mean += a.p[row][at] * kernel.Dot(dy.Row(row), a.v.Row(row/n*m+j))
			at++
		}
		at = 0
		for j := range a.seen(row) {
			key, p := row/n*m+j, a.p[row][at]
			ds := p * (kernel.Dot(dy.Row(row), a.v.Row(key)) - mean) * scale(a.q.Dim(-1))
			kernel.Axpy(ds, a.k.Row(key), a.dq.Row(row))
			kernel.Axpy(ds, a.q.Row(row), a.dk.Row(key))
			kernel.Axpy(p, dy.Row(row), a.dv.Row(key))
			at++
		}
	}
	return a.dq, a.dk, a.dv
}

func scale(width int) float32 { return float32(math.Pow(float64(width), -0.5)) }
