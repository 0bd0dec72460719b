// Package attention goes over the keys of a query once, with a running maximum,
// and keeps two numbers a query: the weights are computed again where they are
// needed.
package attention

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

type Attention struct {
	q, k, v, y *tensor.Tensor
	attend     []bool // a copy; nil for everything
	m, sum     []float64
}

func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *Mask) *tensor.Tensor {
	tensor.CheckShape("Attention.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	n, width := q.Dim(-2), q.Dim(-1)
	tensor.CheckLead("Attention.Forward: k", k, q.Lead(2), tensor.Any, width)
	keys := k.Dim(-2)
	tensor.CheckLead("Attention.Forward: v", v, q.Lead(2), keys, tensor.Any)
	if mask != nil && (mask.N != n || mask.M != keys) {
		panic(tensor.ShapeError{Op: "Attention.Forward: mask", Got: []int{mask.N, mask.M}, Want: []int{n, keys}})
	}
	if mask != nil && len(mask.Attend) != n*keys && len(mask.Attend) != n*keys*q.Matrices() {
		panic(tensor.ShapeError{Op: "Attention.Forward: mask.Attend", Got: []int{len(mask.Attend)}, Want: []int{n * keys}})
	}
	a.q, a.k, a.v, a.attend = q, k, v, nil
	if mask != nil {
		a.attend = append([]bool{}, mask.Attend...)
	}
	a.m, a.sum = make([]float64, q.Rows()), make([]float64, q.Rows())
	a.y = tensor.ReuseLead(nil, q.Lead(2), n, v.Dim(-1))
	for row := range q.Rows() {
		a.query(row)
	}
	return a.y
}

// query computes one row of y.
func (a *Attention) query(row int) {
	m, total, y := math.Inf(-1), 0.0, make([]float64, a.v.Dim(-1))
	for j := range a.k.Dim(-2) {
		s, ok := a.score(row, j)
		if !ok {
			continue
		}
		if s > m {
			shrink := math.Exp(m - s)
			m, total = s, total*shrink
			for c := range y {
				y[c] *= shrink
			}
		}
		p := math.Exp(s - m)
		total += p
		for c, v := range a.v.Row(row/a.q.Dim(-2)*a.k.Dim(-2) + j) {
			y[c] += p * float64(v)
		}
	}
	a.m[row], a.sum[row] = m, total
	for c, v := range y {
		if total > 0 {
			v /= total
		}
		a.y.Row(row)[c] = float32(v)
	}
}

// score returns the score of a query with key j, and whether it may attend to it.
func (a *Attention) score(row, j int) (float64, bool) {
	n, keys := a.q.Dim(-2), a.k.Dim(-2)
	if at := row*keys + j; a.attend != nil && !a.attend[at%len(a.attend)] {
		return 0, false
	}
	dot := 0.0
	for i, q := range a.q.Row(row) {
		dot += float64(q) * float64(a.k.Row(row/n*keys + j)[i])
	}
	return dot / math.Sqrt(float64(a.q.Dim(-1))), true
}

// weight returns one of the weights.
func (a *Attention) weight(row, j int) float64 {
	if s, ok := a.score(row, j); ok && a.sum[row] > 0 {
		return math.Exp(s-a.m[row]) / a.sum[row]
	}
	return 0
}

func (a *Attention) Weights() *tensor.Tensor {
	p := tensor.ReuseLead(nil, a.q.Lead(2), a.q.Dim(-2), a.k.Dim(-2))
	for row := range p.Rows() {
		for j := range p.Row(row) {
			p.Row(row)[j] = float32(a.weight(row, j))
		}
	}
	return p
}

// Backward uses Σ dP⊙P = Σ dy⊙y, which needs no weights.
func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Attention.Backward: dy", dy, a.y.Shape...)
	dqs, dks, dvs := make([]float64, a.q.Len()), make([]float64, a.k.Len()), make([]float64, a.v.Len())
	n, keys, width := a.q.Dim(-2), a.k.Dim(-2), a.q.Dim(-1)
	for row := range a.q.Rows() {
		d := 0.0
		for c, g := range dy.Row(row) {
			d += float64(g) * float64(a.y.Row(row)[c])
		}
		for j := range keys {
			p, key := a.weight(row, j), row/n*keys+j
			if p == 0 {
				continue
			}
			dp := 0.0
			for c, g := range dy.Row(row) {
				dvs[key*a.v.Dim(-1)+c] += p * float64(g)
				dp += float64(g) * float64(a.v.Row(key)[c])
			}
			ds := p * (dp - d) / math.Sqrt(float64(width))
			for i := range width {
				dqs[row*width+i] += ds * float64(a.k.Row(key)[i])
				dks[key*width+i] += ds * float64(a.q.Row(row)[i])
			}
		}
	}
	return rounded(dqs, a.q), rounded(dks, a.k), rounded(dvs, a.v)
}

// rounded returns sums as a tensor of the shape of t.
func rounded(sums []float64, t *tensor.Tensor) *tensor.Tensor {
	out := tensor.New(slices.Clone(t.Shape)...)
	for i, s := range sums {
		out.Data[i] = float32(s)
	}
	return out
}
