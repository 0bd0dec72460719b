//go:build unlisted

package flash

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"iter"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// float64-statistics: float64 statistics
//
// Why: Other defaults (48 queries, 80 keys), the heads inside the loop over tiles and from the last to the first, m and l in
// float64 with math.Exp, O is rescaled only where the maximum has moved, and 1/sqrt(K) goes into an own copy of the tile's
// queries (R, K) rather than into S. Same formulas, memory of a tile, hidden tiles left out.
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
	for i := dy.Matrices() - 1; i >= 0; i-- {
		for first := 0; first < n; first += a.p.Dim(0) {
			a.sendBack(i, first, min(a.p.Dim(0), n-first), dy.MatrixAt(i))
		}
	}
	return a.dq, a.dk, a.dv
}

type Attention struct {
	// A tile holds the scores of TileN queries and TileM keys, or of fewer at the end; 0
	// stands for 48 queries and 80 keys. They may divide N and M or not, and are read by Forward.
	TileN, TileM int

	q, k, v *tensor.Tensor  // what Forward was given, like the next
	mask    *attention.Mask // nil: everything may attend to everything
	y       *tensor.Tensor  // (…, N, C), reused by every Forward
	logs    *tensor.Tensor  // (…, N), L = ln Σ e^S: all that is kept of the scores

	weights    *tensor.Tensor // (…, N, M), if somebody has asked for them
	p, dp      *tensor.Tensor // (TileN, TileM): a tile of the scores, then of the weights; their gradient
	rows       *tensor.Tensor // (1, TileN): in Backward, D
	qs         *tensor.Tensor // (TileN, K): q/√K of a tile
	m, l       []float64      // (TileN): the statistics of a tile's queries
	dq, dk, dv *tensor.Tensor // (…, N, K), (…, M, K), (…, M, C)
}

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
	tileN, tileM := tile(a.TileN, 48, n), tile(a.TileM, 80, m)

	a.q, a.k, a.v, a.mask = q, k, v, mask
	a.y = tensor.ReuseLead(a.y, lead, n, v.Dim(-1))
	a.logs = tensor.ReuseLead(a.logs, lead, n)
	a.p, a.rows = tensor.Reuse(a.p, tileN, tileM), tensor.Reuse(a.rows, 1, tileN)
	a.qs = tensor.Reuse(a.qs, tileN, q.Dim(-1))
	a.m, a.l = append(a.m[:0], make([]float64, tileN)...), append(a.l[:0], make([]float64, tileN)...)
	for first := 0; first < n; first += tileN { // all heads have the same tiles: the heads inside
		for i := q.Matrices() - 1; i >= 0; i-- {
			a.attend(i, first, min(tileN, n-first))
		}
	}
	return a.y
}

func (a *Attention) attend(i, first, queries int) {
	// (1) S = q kᵀ/√K, and −Inf where the mask hides a pair
	// (2) m' = max(m, maxⱼ S)
	// (3) P = e^(S − m')
	// (4) l = e^(m − m')·l + Σⱼ P
	// (5) O = e^(m − m')·O + P v, which grows where y will be
	// (6) y = O/l
	// (7) L = m + ln l
	m, l := a.m[:queries], a.l[:queries]
	o := a.y.MatrixAt(i).Block(first, 0, queries, a.y.Dim(-1)) // (R, C)
	for r := range queries {
		m[r], l[r] = math.Inf(-1), 0
		clear(row(o, r))
	}
	for from, to := range a.keys(first, queries) {
		s := a.scores(i, first, queries, from, to) // (1)
		for r := range queries {
			p := row(s, r)
			largest := m[r] // (2)
			for _, s := range p {
				largest = max(largest, float64(s))
			}
			if math.IsInf(largest, -1) { // no key so far
				clear(p)
				continue
			}
			if past := math.Exp(m[r] - largest); past != 1 { // the maximum has moved
				l[r] *= past
				kernel.Scale(float32(past), row(o, r))
				m[r] = largest
			}
			for j, s := range p {
				e := math.Exp(float64(s) - largest) // (3)
				l[r] += e                           // (4)
				p[j] = float32(e)
			}
		}
		v := a.v.MatrixAt(i).Block(from, 0, to-from, a.v.Dim(-1))
		tensor.MulAdd(o, s, v) // (5) (R, J)·(J, C) = (R, C), s being P by now
	}
	logs := a.logs.Data[i*a.q.Dim(-2)+first:][:queries]
	for r := range queries {
		if l[r] != 0 { // otherwise nothing may be attended to, and y is 0
			kernel.Scale(float32(1/l[r]), row(o, r)) // (6)
		}
		logs[r] = float32(m[r] + math.Log(l[r])) // (7)
	}
}

func (a *Attention) scores(i, first, queries, from, to int) tensor.Matrix {
	width := a.q.Dim(-1)
	q := a.q.MatrixAt(i).Block(first, 0, queries, width)
	k := a.k.MatrixAt(i).Block(from, 0, to-from, width)
	s := a.p.Matrix().Block(0, 0, queries, to-from)
	qs := a.qs.Matrix().Block(0, 0, queries, width)
	for r := range queries {
		kernel.ScaleTo(row(qs, r), scale(width), row(q, r))
	}
	tensor.Mul(s, qs, k.T()) // (R, K)·(K, J) = (R, J)
	for r := range queries {
		a.hide(row(s, r), i, first+r, from)
	}
	return s
}

func tile(wanted, usual, n int) int {
	if wanted == 0 {
		wanted = usual
	}
	return min(wanted, n)
}

// keys-outside-forward: keys outside forward
//
// Why: Forward with the keys in the outer loop (FlashAttention of 2022): m (in the memory of L) and l are kept for all N,
// O in y, and the queries are walked from the bottom up until a tile of queries sees nothing of the keys. Same formulas,
// hidden tiles left out, memory O(N) + one tile.
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
	rows       *tensor.Tensor // (2, TileN): in Backward, D
	sums       *tensor.Tensor // (…, N), l
	dq, dk, dv *tensor.Tensor // (…, N, K), (…, M, K), (…, M, C)
}

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
	a.sums = tensor.ReuseLead(a.sums, lead, n)
	a.y.Zero()
	a.sums.Zero()
	a.logs.Fill(float32(math.Inf(-1))) // m, until the last key has come
	for i := range q.Matrices() {
		for from := 0; from < m; from += tileM {
			a.attend(i, from, min(from+tileM, m))
		}
	}
	for r, l := range a.sums.Data {
		if l != 0 {
			kernel.Scale(1/l, a.y.Row(r))
		}
		a.logs.Data[r] += float32(math.Log(float64(l)))
	}
	return a.y
}

func (a *Attention) attend(i, from, to int) {
	n, tileN := a.q.Dim(-2), a.p.Dim(0)
	v := a.v.MatrixAt(i).Block(from, 0, to-from, a.v.Dim(-1))
	for last := n; last > 0; { // from the bottom, where the keys are seen by all
		first := (last - 1) / tileN * tileN
		queries := last - first
		if a.sees(last-1) <= from { // nor does any query above
			return
		}
		m, l := a.logs.Data[i*n+first:][:queries], a.sums.Data[i*n+first:][:queries]
		o := a.y.MatrixAt(i).Block(first, 0, queries, v.Cols)
		s := a.scores(i, first, queries, from, to)
		for r := range queries {
			p := row(s, r)
			largest := max(m[r], kernel.Max(p))
			past := exp(m[r] - finite(largest))
			exponentials(p, p, finite(largest))
			l[r] = past*l[r] + kernel.Sum(p)
			kernel.Scale(past, row(o, r))
			m[r] = largest
		}
		tensor.MulAdd(o, s, v)
		last = first
	}
}

// parallel-heads: parallel heads
//
// Why: Matrices (heads) are shared among goroutines by an atomic counter; each goroutine has its own tile, dp, m and l (kept
// in the layer, so that nothing grows), and what a matrix writes (its y, L, dq, dk, dv) is its own. No order of addition
// depends on the number of cores. Memory: one tile for each core.
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
	a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	a.dv = tensor.Reuse(a.dv, a.v.Shape...)
	for _, sum := range []*tensor.Tensor{a.dq, a.dk, a.dv} {
		sum.Zero()
	}
	n := a.q.Dim(-2)
	a.share(dy.Matrices(), func(w *worker, i int) {
		for first := 0; first < n; first += a.tileN {
			a.sendBack(w, i, first, min(a.tileN, n-first), dy.MatrixAt(i))
		}
	})
	return a.dq, a.dk, a.dv
}

func (a *Attention) sendBack(w *worker, i, first, queries int, dy tensor.Matrix) {
	y := a.y.MatrixAt(i).Block(first, 0, queries, dy.Cols)
	dy = dy.Block(first, 0, queries, dy.Cols)
	d, width := w.rows.Row(0)[:queries], a.q.Dim(-1)
	for r := range queries {
		d[r] = kernel.Dot(row(dy, r), row(y, r)) // (8)
	}
	q, dq := a.q.MatrixAt(i).Block(first, 0, queries, width), a.dq.MatrixAt(i).Block(first, 0, queries, width)
	for from, to := range a.keys(first, queries) {
		k, dk := a.k.MatrixAt(i).Block(from, 0, to-from, width), a.dk.MatrixAt(i).Block(from, 0, to-from, width)
		v, dv := a.v.MatrixAt(i).Block(from, 0, to-from, dy.Cols), a.dv.MatrixAt(i).Block(from, 0, to-from, dy.Cols)
		dp := w.dp.Matrix().Block(0, 0, queries, to-from)

		p := a.again(w, i, first, queries, from, to) // (9)
		tensor.MulAdd(dv, p.T(), dy)                 // (10) (J, R)·(R, C) = (J, C)
		tensor.Mul(dp, dy, v.T())                    // (11) (R, C)·(C, J) = (R, J)
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

func (a *Attention) again(w *worker, i, first, queries, from, to int) tensor.Matrix {
	p := a.scores(w, i, first, queries, from, to)
	logs := a.logs.Data[i*a.q.Dim(-2)+first:][:queries]
	for r, l := range logs {
		exponentials(row(p, r), row(p, r), finite(l)) // (9)
	}
	return p
}

type Attention struct {
	// A tile holds the scores of TileN queries and TileM keys, or of fewer at the end; 0
	// stands for 128. They may divide N and M or not, and are read by Forward.
	TileN, TileM int

	q, k, v *tensor.Tensor  // what Forward was given, like the next
	mask    *attention.Mask // nil: everything may attend to everything
	y       *tensor.Tensor  // (…, N, C), reused by every Forward
	logs    *tensor.Tensor  // (…, N), L = ln Σ e^S: all that is kept of the scores

	weights      *tensor.Tensor // (…, N, M), if somebody has asked for them
	tileN, tileM int            // of the last Forward
	workers      []*worker      // one for each core
	dq, dk, dv   *tensor.Tensor // (…, N, K), (…, M, K), (…, M, C)
}

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
	a.tileN, a.tileM = tile(a.TileN, n), tile(a.TileM, m)

	a.q, a.k, a.v, a.mask = q, k, v, mask
	a.y = tensor.ReuseLead(a.y, lead, n, v.Dim(-1))
	a.logs = tensor.ReuseLead(a.logs, lead, n)
	a.share(q.Matrices(), func(w *worker, i int) {
		for first := 0; first < n; first += a.tileN {
			a.attend(w, i, first, min(a.tileN, n-first))
		}
	})
	return a.y
}

func (a *Attention) attend(w *worker, i, first, queries int) {
	// (1) S = q kᵀ/√K, and −Inf where the mask hides a pair
	// (2) m' = max(m, maxⱼ S)
	// (3) P = e^(S − m')
	// (4) l = e^(m − m')·l + Σⱼ P
	// (5) O = e^(m − m')·O + P v, which grows where y will be
	// (6) y = O/l
	// (7) L = m + ln l
	m, l := w.rows.Row(0)[:queries], w.rows.Row(1)[:queries]
	o := a.y.MatrixAt(i).Block(first, 0, queries, a.y.Dim(-1)) // (R, C)
	for r := range queries {
		m[r], l[r] = float32(math.Inf(-1)), 0
		clear(row(o, r))
	}
	for from, to := range a.keys(first, queries) {
		s := a.scores(w, i, first, queries, from, to) // (1)
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

func (a *Attention) scores(w *worker, i, first, queries, from, to int) tensor.Matrix {
	width := a.q.Dim(-1)
	q := a.q.MatrixAt(i).Block(first, 0, queries, width)
	k := a.k.MatrixAt(i).Block(from, 0, to-from, width)
	s := w.p.Matrix().Block(0, 0, queries, to-from)
	tensor.Mul(s, q, k.T()) // (R, K)·(K, J) = (R, J)
	for r := range queries {
		kernel.Scale(scale(width), row(s, r))
		a.hide(row(s, r), i, first+r, from)
	}
	return s
}

func (a *Attention) Weights() *tensor.Tensor {
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	a.weights = tensor.ReuseLead(a.weights, a.q.Lead(2), n, m)
	a.weights.Zero() // where no tile comes
	a.share(a.q.Matrices(), func(w *worker, i int) {
		for first := 0; first < n; first += a.tileN {
			queries := min(a.tileN, n-first)
			for from, to := range a.keys(first, queries) {
				p := a.again(w, i, first, queries, from, to)
				tensor.Copy(a.weights.MatrixAt(i).Block(first, from, queries, to-from), p)
			}
		}
	})
	return a.weights
}

func (a *Attention) keys(first, queries int) iter.Seq2[int, int] {
	seen, tile := a.sees(first+queries-1), a.tileM
	return func(yield func(from, to int) bool) {
		for from := 0; from < seen; from += tile {
			if !yield(from, min(from+tile, seen)) {
				return
			}
		}
	}
}

type worker struct {
	p, dp *tensor.Tensor // (TileN, TileM)
	rows  *tensor.Tensor // (2, TileN)
}

func (a *Attention) share(n int, f func(w *worker, i int)) {
	count := max(1, min(n, runtime.GOMAXPROCS(0)))
	for len(a.workers) < count {
		a.workers = append(a.workers, new(worker))
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	work := func(w *worker) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(w, i)
		}
	}
	for _, w := range a.workers[:count] {
		w.p = tensor.Reuse(w.p, a.tileN, a.tileM)
		w.dp = tensor.Reuse(w.dp, a.tileN, a.tileM)
		w.rows = tensor.Reuse(w.rows, 2, a.tileN)
		if w != a.workers[0] {
			wait.Go(func() { work(w) })
		}
	}
	work(a.workers[0])
	wait.Wait()
}

// running-logsumexp: running logsumexp
//
// Why: No m and l are carried, only L: each tile's own log-sum-exp (with the tile's own maximum) is joined by
// ln(e^L + e^T) = max + log1p(e^(-|L-T|)) in float64, and y is normalised after every tile: y = e^(L-L')y + e^(T-L')y_T. All
// exponents are <= 0, rows without keys stay -Inf and 0.
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
	rows       *tensor.Tensor // (1, TileN): in Backward, D
	running    []float64      // L of a tile's queries so far
	dq, dk, dv *tensor.Tensor // (…, N, K), (…, M, K), (…, M, C)
}

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
	a.p, a.rows = tensor.Reuse(a.p, tileN, tileM), tensor.Reuse(a.rows, 1, tileN)
	if len(a.running) < tileN {
		a.running = make([]float64, tileN)
	}
	for i := range q.Matrices() {
		for first := 0; first < n; first += tileN {
			a.attend(i, first, min(tileN, n-first))
		}
	}
	return a.y
}

func (a *Attention) attend(i, first, queries int) {
	// (1) S = q kᵀ/√K, and −Inf where the mask hides a pair
	// The tile's own log-sum-exp is  T = ln Σⱼ e^S,  with all keys so far  L' = ln(e^L + e^T), and
	// y = e^(L − L')·y + e^(S − L')·v: y is the mean of the values so far after every tile.
	logs := a.running[:queries]
	o := a.y.MatrixAt(i).Block(first, 0, queries, a.y.Dim(-1)) // (R, C)
	for r := range queries {
		logs[r] = math.Inf(-1)
		clear(row(o, r))
	}
	for from, to := range a.keys(first, queries) {
		s := a.scores(i, first, queries, from, to) // (1)
		for r := range queries {
			p := row(s, r)
			largest := finite(kernel.Max(p)) // of this tile alone
			exponentials(p, p, largest)
			sum := kernel.Sum(p)
			own := float64(largest) + math.Log(float64(sum))
			both := logAddExp(logs[r], own)
			if sum > 0 {
				kernel.Scale(float32(math.Exp(own-both))/sum, p)
				kernel.Scale(float32(math.Exp(logs[r]-both)), row(o, r))
			}
			logs[r] = both
		}
		v := a.v.MatrixAt(i).Block(from, 0, to-from, a.v.Dim(-1))
		tensor.MulAdd(o, s, v) // (5) (R, J)·(J, C) = (R, C), s being e^(S−L') by now
	}
	for r, l := range logs {
		a.logs.Data[i*a.q.Dim(-2)+first+r] = float32(l)
	}
}

func logAddExp(x, y float64) float64 {
	x, y = max(x, y), min(x, y)
	if math.IsInf(x, -1) {
		return x
	}
	return x + math.Log1p(math.Exp(y-x))
}

// two-sweeps-backward: two sweeps backward
//
// Why: Backward in two sweeps, as the Triton kernels do it: one over the queries for dq, one over the keys for dk and dv.
// Each output is finished in one place. S and dP are computed twice (7 products in place of 5), all of them only where the
// mask leaves something; with Forward 9 half products, still less than the 12 of step 08. Memory O(N). Numbers the same.
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
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	a.d = tensor.Reuse(a.d, a.logs.Shape...)
	for r := range a.d.Data {
		a.d.Data[r] = kernel.Dot(dy.Row(r), a.y.Row(r)) // (8)
	}
	tileN, tileM := a.p.Dim(0), a.p.Dim(1)
	for i := range dy.Matrices() {
		q, k, y := a.q.MatrixAt(i), a.k.MatrixAt(i), dy.MatrixAt(i)
		dq, dk, dv := a.dq.MatrixAt(i), a.dk.MatrixAt(i), a.dv.MatrixAt(i)
		for first := 0; first < n; first += tileN { // the queries: each has its dq from here
			queries := min(tileN, n-first)
			for from, to := range a.keys(first, queries) {
				_, ds := a.tile(i, first, queries, from, to, y)
				tensor.MulAdd(dq.Block(first, 0, queries, q.Cols), ds, k.Block(from, 0, to-from, k.Cols)) // (13)
			}
		}
		for from := 0; from < m; from += tileM { // and the keys: each has its dk and dv
			to := min(from+tileM, m)
			for first := a.firstThatSees(from) / tileN * tileN; first < n; first += tileN {
				queries := min(tileN, n-first)
				p, ds := a.tile(i, first, queries, from, to, y)
				tensor.MulAdd(dv.Block(from, 0, to-from, y.Cols), p.T(), y.Block(first, 0, queries, y.Cols))  // (10)
				tensor.MulAdd(dk.Block(from, 0, to-from, k.Cols), ds.T(), q.Block(first, 0, queries, q.Cols)) // (14)
			}
		}
	}
	return a.dq, a.dk, a.dv
}

func (a *Attention) firstThatSees(j int) int {
	if !a.causal() {
		return 0
	}
	return max(0, j-a.k.Dim(-2)+a.q.Dim(-2))
}

func (a *Attention) tile(i, first, queries, from, to int, dy tensor.Matrix) (p, ds tensor.Matrix) {
	p = a.again(i, first, queries, from, to) // (9)
	ds = a.dp.Matrix().Block(0, 0, queries, to-from)
	v := a.v.MatrixAt(i).Block(from, 0, to-from, dy.Cols)
	tensor.Mul(ds, dy.Block(first, 0, queries, dy.Cols), v.T()) // (11)
	d := a.d.Data[i*a.q.Dim(-2)+first:][:queries]
	for r := range queries {
		kernel.AddConst(row(ds, r), -d[r], row(ds, r))
		kernel.Mul(row(ds, r), row(ds, r), row(p, r))
		kernel.Scale(scale(a.q.Dim(-1)), row(ds, r)) // (12)
	}
	return p, ds
}

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
	rows       *tensor.Tensor // (2, TileN): m and l of a tile's queries
	d          *tensor.Tensor // (…, N), D
	dq, dk, dv *tensor.Tensor // (…, N, K), (…, M, K), (…, M, C)
}
