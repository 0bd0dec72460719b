//go:build unlisted

package attention

import (
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// q-scaled-in-place: q is multiplied by 1/√K before the product
//
// Why: Forward changes the caller's q, and Backward works with the scaled one.
func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *Mask) *tensor.Tensor {
	tensor.CheckShape("Attention.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n, width := q.Lead(2), q.Dim(-2), q.Dim(-1)
	tensor.CheckLead("Attention.Forward: k", k, lead, tensor.Any, width)
	m := k.Dim(-2)
	tensor.CheckLead("Attention.Forward: v", v, lead, m, tensor.Any)
	c := v.Dim(-1)
	mask.check(q.Matrices(), n, m)

	a.q, a.k, a.v = q, k, v
	kernel.Scale(scale(width), q.Data)
	a.weights = tensor.ReuseLead(a.weights, lead, n, m)
	for i := range q.Matrices() {
		tensor.Mul(a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i).T())
	}
	mask.hide(a.weights.Data)
	a.weights = softmax.Softmax(a.weights, a.weights, -1)
	a.y = tensor.ReuseLead(a.y, lead, n, c)
	for i := range q.Matrices() {
		tensor.Mul(a.y.MatrixAt(i), a.weights.MatrixAt(i), v.MatrixAt(i))
	}
	return a.y
}

// dq-in-memory-of-q: dq and dk take the memory of q and k
//
// Why: Backward changes the caller's q and k, and makes dk of a q that is already dq.
func (*Attention) Backward() {
	if right {
		a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	} else {
		a.dq, a.dk = a.q, tensor.Reuse(a.dk, a.k.Shape...)
	}
}

// mask-completed-in-place: rows of the mask that allow nothing are opened for the first key
//
// Why: Forward changes the caller's mask, and a query that may attend nowhere gets a y that is not 0.
func (*Attention) Forward() {
	if right {
		mask.check(q.Matrices(), n, m)
	} else {
		mask.check(q.Matrices(), n, m)
		if mask != nil && m > 0 {
			for i := 0; i < len(mask.Attend); i += m {
				if !slices.Contains(mask.Attend[i:i+m], true) {
					mask.Attend[i] = true
				}
			}
		}
	}
}

// dv-in-memory-of-v: dv takes the memory of v
//
// Why: Backward changes the caller's v, and dP is made of a v that is already dv.
func (*Attention) Backward() {
	if right {
		a.dv = tensor.Reuse(a.dv, a.v.Shape...)
	} else {
		a.dv = a.v
	}
}

// y-in-memory-of-dq: Backward gives dq the memory of y
//
// Why: Backward overwrites the y that Forward returned, which is valid until the next Forward.
func (*Attention) Backward() {
	if right {
		a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	} else {
		a.dq, a.dk = tensor.Reuse(tensor.From(a.y.Data, len(a.y.Data)), a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	}
}
