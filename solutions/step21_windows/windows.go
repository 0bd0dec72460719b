// Package windows holds what attention costs constant: a window of W keys and a few
// sinks at the beginning, with a cache that is a ring; and linear attention, whose past
// is one matrix.
//
// Letters: N queries, M keys, K d_k, C the width of a value, W the window, s the sinks,
// J the tokens of a chunk; in the cache D d_model, H heads, V vocabulary, T_max; "…"
// stands for any leading dimensions, usually (B, H). The numbers at the lines are those
// of the lesson's derivation.
package windows

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Window is scaled dot-product attention through a window. It has no parameters. The
// zero value is ready for use, and can stand in for the Attention of step 08.
//
// Source: Beltagy et al., "Longformer", 2020, section 3.1; the sinks are those of Xiao et
// al., "Efficient Streaming Language Models with Attention Sinks", 2023.
type Window struct {
	// W is how many keys a query sees, its own among them; 0 stands for 32. Sinks is s,
	// how many keys at the beginning of the text are seen by all later queries, too. They
	// are read by Forward.
	W, Sinks int

	q, k, v *tensor.Tensor // what Forward was given, like the next
	mask    *attention.Mask
	view    view // W and Sinks as Forward has read them

	p, dp      *tensor.Tensor // (…, N/R, R, s+R+W−1): the weights of every block of R queries; their gradient
	weights    *tensor.Tensor // (…, N, M), if somebody has asked for them
	y          *tensor.Tensor // (…, N, C), reused by every Forward
	dq, dk, dv *tensor.Tensor // (…, N, K), (…, M, K), (…, M, C)
}

// Forward computes attention in which query i, which stands at position p = i + M − N,
// sees key j if
//
//	0 ≤ p − j < W    or    j < s and j ≤ p
//
// and the mask allows it:
//
//	S = q kᵀ / √K     where a query sees a key, −Inf elsewhere
//	P = softmax(S)    by the row; 0 in a row that sees nothing
//	y = P v
//
// q is (…, N, K), k (…, M, K), v (…, M, C) and y (…, N, C). The mask is that of step 08.
// A nil mask, and one without Attend, allows everything that the window shows.
//
// R queries that stand side by side see R + W − 1 keys and the sinks. Their scores are
// computed together, and no others: work and memory are of size N·(R + W + s), not N·M.
//
// Forward keeps q, k, v and mask for Backward: the caller leaves them unchanged until
// then. y is valid until the next Forward. It panics with a ShapeError if the shapes do
// not fit together, or W or Sinks is negative.
func (a *Window) Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	// (1) S = q kᵀ/√K, −Inf where a query does not see a key or the mask does not allow it
	// (2) P = softmax(S), by the row; 0 in a row that sees nothing
	// (3) y = P v
	tensor.CheckShape("Window.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n := q.Lead(2), q.Dim(-2)
	tensor.CheckLead("Window.Forward: k", k, lead, tensor.Any, q.Dim(-1))
	m := k.Dim(-2)
	tensor.CheckLead("Window.Forward: v", v, lead, m, tensor.Any)
	checkMask(mask, q.Matrices(), n, m)
	if a.W < 0 || a.Sinks < 0 {
		op := fmt.Sprintf("Window.Forward: a window of %d keys and %d sinks for q", a.W, a.Sinks)
		panic(tensor.ShapeError{Op: op, Got: q.Shape})
	}

	a.q, a.k, a.v, a.mask, a.view = q, k, v, mask, newView(a.W, a.Sinks, n, m)
	a.p = tensor.Reuse(a.p, q.Matrices(), a.view.blocks(), a.view.rows, a.view.columns())
	a.p.Fill(float32(math.Inf(-1)))
	a.each(func(i int, b block) {
		for _, part := range b.parts {
			s, k := a.tile(a.p, i, b, part), a.keys(a.k, i, part)
			tensor.Mul(s, b.rows(a.q, i), k.T()) // (1) (R, K)·(K, J) = (R, J)
			a.hide(s, i, b, part)
		}
	})
	kernel.Scale(scale(q.Dim(-1)), a.p.Data) // (1) −Inf stays what it is
	a.p = softmax.Softmax(a.p, a.p, -1)      // (2)
	a.y = tensor.ReuseLead(a.y, lead, n, v.Dim(-1))
	a.y.Zero()
	a.each(func(i int, b block) {
		for _, part := range b.parts {
			tensor.MulAdd(b.rows(a.y, i), a.tile(a.p, i, b, part), a.keys(a.v, i, part)) // (3)
		}
	})
	return a.y
}

// Weights returns the softmax P (…, N, M) of the last Forward, for those who want to see
// what attends to what. It is made when it is asked for, and valid until the next Forward.
func (a *Window) Weights() *tensor.Tensor {
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	a.weights = tensor.ReuseLead(a.weights, a.q.Lead(2), n, m)
	a.weights.Zero()
	a.each(func(i int, b block) {
		for _, part := range b.parts {
			all := a.weights.MatrixAt(i).Block(b.first, part.from, b.queries, part.to-part.from)
			tensor.Copy(all, a.tile(a.p, i, b, part))
		}
	})
	return a.weights
}

// Backward takes dy (…, N, C), the gradient of the loss with respect to y. It returns dq
// (…, N, K), dk (…, M, K) and dv (…, M, C), and belongs to the last Forward. The three are
// valid until the next Backward. It panics with a ShapeError if dy does not have the shape
// of y or no Forward came before.
func (a *Window) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	// Forward was S = q kᵀ/√K, P = softmax(S), y = P v, for blocks of queries. The keys of
	// two blocks overlap, and what a key is sent back by both is added up.
	// (4) y = P v:             dv += Pᵀ dy
	// (5)                      dP = dy vᵀ
	// (6) P = softmax(S):      dS = P ⊙ (dP − Σⱼ Pⱼ·dPⱼ), by the row; 0 where P is 0
	// (7) S = q kᵀ/√K:         dq += dS·k/√K
	// (8)                      dk += dSᵀ·q/√K
	tensor.CheckShape("Window.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Window.Backward: dy", dy, a.y.Shape...)
	a.dp = tensor.Reuse(a.dp, a.p.Shape...)
	a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	a.dv = tensor.Reuse(a.dv, a.v.Shape...)
	for _, sum := range []*tensor.Tensor{a.dp, a.dq, a.dk, a.dv} {
		sum.Zero()
	}
	a.each(func(i int, b block) {
		for _, part := range b.parts {
			tensor.MulAdd(a.keys(a.dv, i, part), a.tile(a.p, i, b, part).T(), b.rows(dy, i)) // (4)
			tensor.Mul(a.tile(a.dp, i, b, part), b.rows(dy, i), a.keys(a.v, i, part).T())    // (5)
		}
	})
	a.dp = softmax.Backward(a.dp, a.p, a.dp, -1) // from here on dS
	kernel.Scale(scale(a.q.Dim(-1)), a.dp.Data)  // (7), (8)
	a.each(func(i int, b block) {
		for _, part := range b.parts {
			ds := a.tile(a.dp, i, b, part)
			tensor.MulAdd(b.rows(a.dq, i), ds, a.keys(a.k, i, part))     // (7)
			tensor.MulAdd(a.keys(a.dk, i, part), ds.T(), b.rows(a.q, i)) // (8)
		}
	})
	return a.dq, a.dk, a.dv
}

// each goes through the blocks of queries of all leading indices.
func (a *Window) each(do func(i int, b block)) {
	for i := range a.q.Matrices() {
		for at := range a.view.blocks() {
			do(i, a.view.block(at))
		}
	}
}

// tile is where t (…, N/R, R, s+R+W−1) holds a block's scores of some keys, (R, J).
func (a *Window) tile(t *tensor.Tensor, i int, b block, part span) tensor.Matrix {
	return t.MatrixAt(i*a.view.blocks()+b.at).Block(0, part.column, b.queries, part.to-part.from)
}

// keys returns rows from to to of matrix i of t (…, M, ·): some keys, or their values.
func (a *Window) keys(t *tensor.Tensor, i int, part span) tensor.Matrix {
	return t.MatrixAt(i).Block(part.from, 0, part.to-part.from, t.Dim(-1))
}

// hide sets the scores of a block to −Inf where its queries do not see the keys.
func (a *Window) hide(s tensor.Matrix, i int, b block, part span) {
	for r := range b.queries {
		for j := part.from; j < part.to; j++ {
			query := b.first + r
			if !a.view.sees(query, j) || !allows(a.mask, i, query, j) {
				s.Set(float32(math.Inf(-1)), r, j-part.from)
			}
		}
	}
}

// scale is 1/√K, which keeps the variance of a score from growing with K.
func scale(width int) float32 { return float32(1 / math.Sqrt(float64(width))) }
