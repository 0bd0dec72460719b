package flash

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Backward goes through the text twice: the queries take dq from their keys, and then the
// keys take dk and dv from their queries. Every score is computed by itself, twice.
func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Attention.Backward: dy", dy, a.y.Shape...)
	a.dq, a.dk, a.dv = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...), tensor.Reuse(a.dv, a.v.Shape...)
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	d := make([]float32, n)
	for i := range dy.Matrices() {
		q, k, v := a.q.MatrixAt(i), a.k.MatrixAt(i), a.v.MatrixAt(i)
		y, dy := a.y.MatrixAt(i), dy.MatrixAt(i)
		for r := range n {
			d[r] = kernel.Dot(row(y, r), row(dy, r))
		}
		for r := range n {
			own := row(a.dq.MatrixAt(i), r)
			clear(own)
			for j := range min(m, a.sees(r)) {
				p := a.weight(i, r, j)
				kernel.Axpy(scale(len(own))*p*(kernel.Dot(row(dy, r), row(v, j))-d[r]), row(k, j), own)
			}
		}
		for j := range m {
			dk, dv := row(a.dk.MatrixAt(i), j), row(a.dv.MatrixAt(i), j)
			clear(dk)
			clear(dv)
			for r := range n {
				if j < a.sees(r) {
					p := a.weight(i, r, j)
					kernel.Axpy(p, row(dy, r), dv)
					kernel.Axpy(scale(len(dk))*p*(kernel.Dot(row(dy, r), row(v, j))-d[r]), row(q, r), dk)
				}
			}
		}
	}
	return a.dq, a.dk, a.dv
}

// weight is P of query r and key j of matrix i.
func (a *Attention) weight(i, r, j int) float32 {
	s := []float32{kernel.Dot(row(a.q.MatrixAt(i), r), row(a.k.MatrixAt(i), j)) * scale(a.q.Dim(-1))}
	a.hide(s, i, r, j)
	if math.IsInf(float64(s[0]), -1) {
		return 0
	}
	return exp(s[0] - a.logs.Data[i*a.q.Dim(-2)+r])
}

// again returns a tile of the weights P = e^(S−L).
func (a *Attention) again(i, first, queries, from, to int) tensor.Matrix {
	p := a.p.Matrix().Block(0, 0, queries, to-from)
	for r := range queries {
		for j := range to - from {
			p.Set(a.weight(i, first+r, from+j), r, j)
		}
	}
	return p
}
