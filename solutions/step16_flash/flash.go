// Package flash computes attention in tiles: the scores of some queries and some
// keys at a time, so that the N×M scores never exist as a whole.
//
// Letters: N queries, M keys, K d_k, C the width of a value, R the queries of a tile
// and J its keys; "…" stands for any leading dimensions, usually (B, H). The numbers
// at the lines are those of the lesson's derivation.
package flash

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Attention is scaled dot-product attention in tiles. It has no parameters. The zero
// value is ready for use. It computes what that of step 08 computes, and can stand in
// for it.
//
// Source: Dao et al., "FlashAttention", 2022, and Dao, "FlashAttention-2", 2023,
// section 3.1; the running maximum and sum are Milakov and Gimelshein's, 2018.
type Attention struct {
	// A tile holds the scores of TileN queries and TileM keys, or of fewer at the end; 0
	// stands for 128. They may divide N and M or not, and are read by Forward.
	TileN, TileM int

	q, k, v *tensor.Tensor  // what Forward was given, like the next
	mask    *attention.Mask // nil: everything may attend to everything
	y       *tensor.Tensor  // (…, N, C), reused by every Forward
	logs    *tensor.Tensor  // (…, N), L = ln Σ e^S: all that is kept of the scores

	weights    *tensor.Tensor // (…, N, M), if somebody has asked for them
	p, dp      *tensor.Tensor // (TileN, TileM): a tile of the scores, then of the weights; their gradient
	rows       *tensor.Tensor // (2, TileN): m and l of a tile's queries; in Backward, their D
	dq, dk, dv *tensor.Tensor // (…, N, K), (…, M, K), (…, M, C)
}

// Forward computes what Attention.Forward of step 08 computes,
//
//	S = q kᵀ / √K              (N, M)  where the mask does not allow a pair, −Inf
//	L = ln Σⱼ e^S              (N)     by the row, −Inf for one that may attend nowhere
//	y = e^(S−L) v              (N, C)  0 for such a row
//
// with memory for one tile of S: for every tile of queries it goes through the tiles
// of the keys. Tiles of which a causal mask hides everything are left out.
//
// q is (…, N, K), k (…, M, K), v (…, M, C) and y (…, N, C). A nil mask allows
// everything. A mask without Attend is causal, and aligned at the bottom right: the
// last query may attend to all keys, and each one before it to one key less,
//
//	i may attend to j where j ≤ i + M − N
//
// With Attend it is what it is in step 08: N·M entries, or as many for each leading
// index.
//
// Forward keeps q, k, v, mask and y for Backward: the caller leaves them unchanged
// until then. y is valid until the next Forward. It panics with a ShapeError if the
// shapes do not fit together or the size of a tile is negative.
func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	tensor.CheckShape("Attention.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n := q.Lead(2), q.Dim(-2)
	tensor.CheckLead("Attention.Forward: k", k, lead, tensor.Any, q.Dim(-1))
	m := k.Dim(-2)
	tensor.CheckLead("Attention.Forward: v", v, lead, m, tensor.Any)
	checkMask(mask, q.Matrices(), n, m)
	if a.TileN < 0 || a.TileM < 0 {
		op := fmt.Sprintf("Attention.Forward: tiles of %d queries and %d keys for q", a.TileN, a.TileM)
		panic(tensor.ShapeError{Op: op, Got: q.Shape})
	}
	tileN, tileM := tile(a.TileN, n), tile(a.TileM, m)

	a.q, a.k, a.v, a.mask = q, k, v, mask
	a.y = tensor.ReuseLead(a.y, lead, n, v.Dim(-1))
	a.logs = tensor.ReuseLead(a.logs, lead, n)
	a.p, a.rows = tensor.Reuse(a.p, tileN, tileM), tensor.Reuse(a.rows, 2, tileN)
	for i := range q.Matrices() {
		for first := 0; first < n; first += tileN {
			a.attend(i, first, min(tileN, n-first))
		}
	}
	return a.y
}

// attend computes y and L of R queries of matrix i, those from first on. m is the
// largest score so far, l is Σ e^(S−m) over the keys so far, and O is Σ e^(S−m)·v.
func (a *Attention) attend(i, first, queries int) {
	// (1) S = q kᵀ/√K, and −Inf where the mask hides a pair
	// (2) m' = max(m, maxⱼ S)
	// (3) P = e^(S − m')
	// (4) l = e^(m − m')·l + Σⱼ P
	// (5) O = e^(m − m')·O + P v, which grows where y will be
	// (6) y = O/l
	// (7) L = m + ln l
	m, l := a.rows.Row(0)[:queries], a.rows.Row(1)[:queries]
	o := a.y.MatrixAt(i).Block(first, 0, queries, a.y.Dim(-1)) // (R, C)
	for r := range queries {
		m[r], l[r] = float32(math.Inf(-1)), 0
		clear(row(o, r))
	}
	for from, to := range a.keys(first, queries) {
		s := a.scores(i, first, queries, from, to) // (1)
		for r := range queries {
			p := row(s, r)
			largest := max(m[r], kernel.Max(p)) // (2)
			past := exp(m[r] - finite(largest)) // what the sums so far are worth by the new maximum
			exponentials(p, p, finite(largest)) // (3)
			l[r] = past*l[r] + kernel.Sum(p)    // (4)
			kernel.Scale(past, row(o, r))       // (5)
			m[r] = largest
		}
		v := a.v.MatrixAt(i).Block(from, 0, to-from, a.v.Dim(-1))
		tensor.MulAdd(o, s, v) // (5) (R, J)·(J, C) = (R, C), s being P by now
	}
	logs := a.logs.Data[i*a.q.Dim(-2)+first:][:queries]
	for r := range queries {
		if l[r] != 0 { // otherwise nothing may be attended to, and y is 0
			kernel.Scale(1/l[r], row(o, r)) // (6)
		}
		logs[r] = m[r] + float32(math.Log(float64(l[r]))) // (7)
	}
}

// scores returns a tile of S = q kᵀ/√K, (R, J): of R queries of matrix i, those from
// first on, and of the keys from up to to. It is valid until the next call.
func (a *Attention) scores(i, first, queries, from, to int) tensor.Matrix {
	width := a.q.Dim(-1)
	q := a.q.MatrixAt(i).Block(first, 0, queries, width)
	k := a.k.MatrixAt(i).Block(from, 0, to-from, width)
	s := a.p.Matrix().Block(0, 0, queries, to-from)
	tensor.Mul(s, q, k.T()) // (R, K)·(K, J) = (R, J)
	for r := range queries {
		kernel.Scale(scale(width), row(s, r))
		a.hide(row(s, r), i, first+r, from)
	}
	return s
}

// LogSumExp returns L (…, N) of the last Forward: the logarithm of the sum of e^S, for
// every query. It is valid until the next Forward.
func (a *Attention) LogSumExp() *tensor.Tensor { return a.logs }

// Weights returns the softmax P (…, N, M) of the last Forward, for those who want to
// see what attends to what. It is computed when it is asked for, takes the memory that
// Forward saves, and is valid until the next Forward.
func (a *Attention) Weights() *tensor.Tensor {
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	a.weights = tensor.ReuseLead(a.weights, a.q.Lead(2), n, m)
	a.weights.Zero() // where no tile comes
	for i := range a.q.Matrices() {
		for first := 0; first < n; first += a.p.Dim(0) {
			queries := min(a.p.Dim(0), n-first)
			for from, to := range a.keys(first, queries) {
				p := a.again(i, first, queries, from, to)
				tensor.Copy(a.weights.MatrixAt(i).Block(first, from, queries, to-from), p)
			}
		}
	}
	return a.weights
}

// tile returns how many of n queries or keys a tile has room for.
func tile(wanted, n int) int {
	const usual = 128
	if wanted == 0 {
		wanted = usual
	}
	return min(wanted, n)
}

// exponentials sets p to e^(s−c).
func exponentials(p, s []float32, c float32) {
	kernel.AddConst(p, -c, s)
	kernel.Exp(p, p)
}

// exp is e^x.
func exp(x float32) float32 { return float32(math.Exp(float64(x))) }

// finite is x, and 0 where that is −Inf: then all scores are, and e^(−Inf−0) is the
// weight 0 where −Inf−(−Inf) would be NaN.
func finite(x float32) float32 {
	if math.IsInf(float64(x), -1) {
		return 0
	}
	return x
}

// row returns row r of m.
func row(m tensor.Matrix, r int) []float32 { return m.Data[r*m.Down:][:m.Cols] }

// scale is 1/√K, which keeps the variance of a score from growing with K.
func scale(width int) float32 { return float32(1 / math.Sqrt(float64(width))) }
