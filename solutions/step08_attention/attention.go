// Package attention lets every token gather what it needs from the tokens
// before it.
//
// Letters: B batch, T time, D d_model, H heads, K d_k = D/H, N queries, M keys,
// C the width of a value; "…" stands for any leading dimensions, usually (B, H).
package attention

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// Attention is scaled dot-product attention. It has no parameters. The zero
// value is ready for use.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1.
type Attention struct {
	q, k, v *tensor.Tensor // what Forward was given

	weights    *tensor.Tensor // (…, N, M), first the scores and then their softmax
	y          *tensor.Tensor // (…, N, C), reused by every Forward
	dScores    *tensor.Tensor // (…, N, M), reused by every Backward, like the next
	dq, dk, dv *tensor.Tensor // (…, N, K), (…, M, K), (…, M, C)
}

// Forward computes, for every leading index,
//
//	S = q kᵀ / √K              (N, M)  one score for every query and key
//	P = softmax(S, masked)     (N, M)  the weights: each row sums to 1
//	y = P v                    (N, C)  for every query a weighted mean of the values
//
// q is (…, N, K), k (…, M, K), v (…, M, C) and y (…, N, C). Where the mask does
// not allow a pair, its score is −Inf before the softmax and its weight 0. A
// query that may attend nowhere gets weights of 0 and y = 0. A nil mask allows
// everything.
//
// Forward keeps q, k and v for Backward: the caller leaves them unchanged until
// then. y is valid until the next Forward. It panics with a ShapeError if the
// shapes do not fit together.
func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *Mask) *tensor.Tensor {
	tensor.CheckShape("Attention.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n, width := q.Lead(2), q.Dim(-2), q.Dim(-1)
	tensor.CheckLead("Attention.Forward: k", k, lead, tensor.Any, width)
	m := k.Dim(-2)
	tensor.CheckLead("Attention.Forward: v", v, lead, m, tensor.Any)
	c := v.Dim(-1)
	mask.check(q.Matrices(), n, m)

	a.q, a.k, a.v = q, k, v
	a.weights = tensor.ReuseLead(a.weights, lead, n, m)
	for i := range q.Matrices() {
		s, q, k := a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
		tensor.Mul(s, q, k.T()) // (N, K)·(K, M) = (N, M)
	}
	kernel.Scale(scale(width), a.weights.Data)
	mask.hide(a.weights.Data)
	a.weights = softmax.Softmax(a.weights, a.weights, -1)

	a.y = tensor.ReuseLead(a.y, lead, n, c)
	for i := range q.Matrices() {
		y, p, v := a.y.MatrixAt(i), a.weights.MatrixAt(i), v.MatrixAt(i)
		tensor.Mul(y, p, v) // (N, M)·(M, C) = (N, C)
	}
	return a.y
}

// Weights returns the softmax P (…, N, M) of the last Forward, for those who
// want to see what attends to what. It is valid until the next Forward.
func (a *Attention) Weights() *tensor.Tensor { return a.weights }

// Backward takes dy (…, N, C), the gradient of the loss with respect to y. It
// returns dq (…, N, K), dk (…, M, K) and dv (…, M, C), and belongs to the last
// Forward. They are valid until the next Backward. It panics with a ShapeError
// if dy does not have the shape of y or no Forward came before.
func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	// Forward was S = q kᵀ/√K, P = softmax(S), y = P v; the rules of a product are those of step 02.
	// (1) y = P v:               dv = Pᵀ dy
	// (2)                        dP = dy vᵀ
	// (3) P = softmax(S):        dS = P ⊙ (dP − Σⱼ dPⱼ·Pⱼ), row by row. Where P is 0,
	//                            dS is 0: nothing flows through a masked pair.
	// (4) S is scaled by 1/√K:   d(q kᵀ) = dS/√K
	// (5) and is a product:      dq = dS·k/√K
	// (6)                        dk = dSᵀ·q/√K
	tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Attention.Backward: dy", dy, a.y.Shape...)
	a.dv = tensor.Reuse(a.dv, a.v.Shape...)
	a.dScores = tensor.Reuse(a.dScores, a.weights.Shape...)
	for i := range dy.Matrices() {
		dv, dp := a.dv.MatrixAt(i), a.dScores.MatrixAt(i)
		p, v, dy := a.weights.MatrixAt(i), a.v.MatrixAt(i), dy.MatrixAt(i)
		tensor.Mul(dv, p.T(), dy) // (1) (M, N)·(N, C) = (M, C)
		tensor.Mul(dp, dy, v.T()) // (2) (N, C)·(C, M) = (N, M)
	}
	a.dScores = softmax.Backward(a.dScores, a.weights, a.dScores, -1) // (3)
	kernel.Scale(scale(a.q.Dim(-1)), a.dScores.Data)                  // (4)

	a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	for i := range dy.Matrices() {
		dq, dk := a.dq.MatrixAt(i), a.dk.MatrixAt(i)
		ds, q, k := a.dScores.MatrixAt(i), a.q.MatrixAt(i), a.k.MatrixAt(i)
		tensor.Mul(dq, ds, k)     // (5) (N, M)·(M, K) = (N, K)
		tensor.Mul(dk, ds.T(), q) // (6) (M, N)·(N, K) = (M, K)
	}
	return a.dq, a.dk, a.dv
}

// scale is 1/√K, which keeps the variance of a score from growing with K.
func scale(width int) float32 { return float32(1 / math.Sqrt(float64(width))) }
