package flash

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Backward takes dy (…, N, C), the gradient of the loss with respect to y. It
// returns dq (…, N, K), dk (…, M, K) and dv (…, M, C), and belongs to the last
// Forward. The weights are computed again, tile by tile, from q, k and L. The three
// are valid until the next Backward. It panics with a ShapeError if dy does not have
// the shape of y or no Forward came before.
func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	// Forward was S = q kᵀ/√K, P = e^(S−L), y = P v. Step 08 has the derivative:
	// dv = Pᵀ dy, dP = dy vᵀ, dS = P ⊙ (dP − Σⱼ dPⱼ·Pⱼ), dq = dS·k/√K, dk = dSᵀ·q/√K.
	// (8)  The sum runs over a whole row, of which a tile has a part. But dPⱼ = dy·vⱼ, and
	//      Σⱼ Pⱼ·vⱼ = y, so it is dy·y:  D = Σ dy ⊙ y, for every query
	// (9)  from L, not from m and l:  P = e^(S−L)
	// (10) a key is seen by many:     dv += Pᵀ dy
	// (11)                            dP = dy vᵀ
	// (12)                            dS = P ⊙ (dP − D)/√K
	// (13) a query sees many keys:    dq += dS·k
	// (14)                            dk += dSᵀ·q
	tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Attention.Backward: dy", dy, a.y.Shape...)
	a.dp = tensor.Reuse(a.dp, a.p.Shape...)
	a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	a.dv = tensor.Reuse(a.dv, a.v.Shape...)
	for _, sum := range []*tensor.Tensor{a.dq, a.dk, a.dv} {
		sum.Zero()
	}
	n := a.q.Dim(-2)
	for i := range dy.Matrices() {
		for first := 0; first < n; first += a.p.Dim(0) {
			a.sendBack(i, first, min(a.p.Dim(0), n-first), dy.MatrixAt(i))
		}
	}
	return a.dq, a.dk, a.dv
}

// sendBack adds what R queries of matrix i, those from first on, send back to
// themselves, to the keys and to the values.
func (a *Attention) sendBack(i, first, queries int, dy tensor.Matrix) {
	y := a.y.MatrixAt(i).Block(first, 0, queries, dy.Cols)
	dy = dy.Block(first, 0, queries, dy.Cols)
	d, width := a.rows.Row(0)[:queries], a.q.Dim(-1)
	for r := range queries {
		d[r] = kernel.Dot(row(dy, r), row(y, r)) // (8)
	}
	q, dq := a.q.MatrixAt(i).Block(first, 0, queries, width), a.dq.MatrixAt(i).Block(first, 0, queries, width)
	for from, to := range a.keys(first, queries) {
		k, dk := a.k.MatrixAt(i).Block(from, 0, to-from, width), a.dk.MatrixAt(i).Block(from, 0, to-from, width)
		v, dv := a.v.MatrixAt(i).Block(from, 0, to-from, dy.Cols), a.dv.MatrixAt(i).Block(from, 0, to-from, dy.Cols)
		dp := a.dp.Matrix().Block(0, 0, queries, to-from)

		p := a.again(i, first, queries, from, to) // (9)
		tensor.MulAdd(dv, p.T(), dy)              // (10) (J, R)·(R, C) = (J, C)
		tensor.Mul(dp, dy, v.T())                 // (11) (R, C)·(C, J) = (R, J)
		for r := range queries {
			ds, p := row(dp, r), row(p, r)
			kernel.AddConst(ds, -d[r], ds)
			kernel.Mul(ds, ds, p)
			kernel.Scale(scale(width), ds) // (12)
		}
		tensor.MulAdd(dq, dp, k)     // (13) (R, J)·(J, K) = (R, K)
		tensor.MulAdd(dk, dp.T(), q) // (14) (J, R)·(R, K) = (J, K)
	}
}

// again returns a tile of the weights P = e^(S−L), (R, J), which is valid until the
// next tile is computed.
func (a *Attention) again(i, first, queries, from, to int) tensor.Matrix {
	p := a.scores(i, first, queries, from, to)
	logs := a.logs.Data[i*a.q.Dim(-2)+first:][:queries]
	for r, l := range logs {
		exponentials(row(p, r), row(p, r), finite(l)) // (9)
	}
	return p
}
