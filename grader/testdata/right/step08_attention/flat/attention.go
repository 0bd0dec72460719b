// Package attention runs every head on a goroutine of its own, scales the queries
// and not the scores, and masks by leaving a score out.
package attention

import (
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

type Attention struct{ q, k, v, p, y *tensor.Tensor }

func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *Mask) *tensor.Tensor {
	tensor.CheckShape("Attention.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	n := q.Dim(-2)
	tensor.CheckLead("Attention.Forward: k", k, q.Lead(2), tensor.Any, q.Dim(-1))
	m := k.Dim(-2)
	tensor.CheckLead("Attention.Forward: v", v, q.Lead(2), m, tensor.Any)
	if mask != nil {
		if mask.N != n || mask.M != m {
			panic(tensor.ShapeError{Op: "Attention.Forward: mask", Got: []int{mask.N, mask.M}, Want: []int{n, m}})
		}
		if len(mask.Attend) != n*m && len(mask.Attend) != q.Matrices()*n*m {
			panic(tensor.ShapeError{Op: "Attention.Forward: entries of the mask", Got: []int{len(mask.Attend)}, Want: []int{n, m}})
		}
	}
	a.q, a.k, a.v = q, k, v
	a.p, a.y = tensor.ReuseLead(a.p, q.Lead(2), n, m), tensor.ReuseLead(a.y, q.Lead(2), n, v.Dim(-1))
	each(q.Matrices(), func(h int) {
		scaled := tensor.New(n, q.Dim(-1))
		tensor.Copy(scaled.Matrix(), q.MatrixAt(h))
		kernel.Scale(float32(1/math.Sqrt(float64(q.Dim(-1)))), scaled.Data)
		tensor.Mul(a.p.MatrixAt(h), scaled.Matrix(), k.MatrixAt(h).T())
		for i := range n {
			var attend []bool
			if mask != nil {
				from := (h*n + i) * m % max(1, len(mask.Attend)) // of one mask for all, or of each one's own
				attend = mask.Attend[from : from+m]
			}
			weigh(a.p.Row(h*n+i), attend)
		}
		tensor.Mul(a.y.MatrixAt(h), a.p.MatrixAt(h), v.MatrixAt(h))
	})
	return a.y
}

// weigh turns scores into weights; a nil attend allows everything.
func weigh(s []float32, attend []bool) {
	m := math.Inf(-1)
	for j, x := range s {
		if attend == nil || attend[j] {
			m = max(m, float64(x))
		}
	}
	total := 0.0
	for j, x := range s {
		if s[j] = 0; attend == nil || attend[j] {
			e := math.Exp(float64(x) - m)
			s[j] = float32(e)
			total += e
		}
	}
	for j := range s {
		if total > 0 {
			s[j] = float32(float64(s[j]) / total)
		}
	}
}

func (a *Attention) Weights() *tensor.Tensor { return a.p }

func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Attention.Backward: dy", dy, a.y.Shape...)
	dq, dk, dv = tensor.New(a.q.Shape...), tensor.New(a.k.Shape...), tensor.New(a.v.Shape...)
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	each(a.q.Matrices(), func(h int) {
		p, ds := a.p.MatrixAt(h), tensor.New(n, m)
		tensor.Mul(dv.MatrixAt(h), p.T(), dy.MatrixAt(h))
		tensor.Mul(ds.Matrix(), dy.MatrixAt(h), a.v.MatrixAt(h).T())
		for i := range n {
			row, weights := ds.Row(i), a.p.Row(h*n+i)
			dot := kernel.Dot(row, weights)
			for j := range row {
				row[j] = weights[j] * (row[j] - dot) / float32(math.Sqrt(float64(a.q.Dim(-1))))
			}
		}
		tensor.Mul(dq.MatrixAt(h), ds.Matrix(), a.k.MatrixAt(h))
		tensor.Mul(dk.MatrixAt(h), ds.Matrix().T(), a.q.MatrixAt(h))
	})
	return dq, dk, dv
}

// each calls do for 0 ≤ i < n, all at the same time.
func each(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}
