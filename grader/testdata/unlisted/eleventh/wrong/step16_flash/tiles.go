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
	"slices"
	"sync"
)

// copied-key-tiles: copied key tiles
//
// Why: Every tile allocates a transposed copy of its keys, (K, J). Nothing of it is kept and the numbers are right, but both
// passes together ask for K*N*M/R numbers: garbage that grows with N^2 (K=64, R=128, N=16384 causal: about 0.5 GB for each
// of Forward and Backward's half of the tiles) where the step asks for memory of a tile.
func (a *Attention) scores(i, first, queries, from, to int) tensor.Matrix {
	width := a.q.Dim(-1)
	q := a.q.MatrixAt(i).Block(first, 0, queries, width)
	k := a.k.MatrixAt(i).Block(from, 0, to-from, width)
	s := a.p.Matrix().Block(0, 0, queries, to-from)
	kt := tensor.New(width, to-from).Matrix() // in one piece, so that the product reads it row by row
	tensor.Copy(kt, k.T())
	tensor.Mul(s, q, kt) // (R, K)·(K, J) = (R, J)
	for r := range queries {
		kernel.Scale(scale(width), row(s, r))
		a.hide(row(s, r), i, first+r, from)
	}
	return s
}

// dy-leading-unchecked: dy leading unchecked
//
// Why: Of dy only (N, C) is checked, not its leading dimensions. y (2, 3, N, C) and dy (1, 3, N, C), as after a loss of the
// first text alone: no ShapeError, and dq, dk, dv of the second text are 0 without a word; with a larger dy it is a run
// time error of slices in place of a ShapeError.
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
	tensor.CheckShape("Attention.Backward: dy", dy, tensor.Lead, a.y.Dim(-2), a.y.Dim(-1))
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

// finite-in-place: finite in place
//
// Why: Backward replaces -Inf by 0 in L itself, which is the tensor that LogSumExp has handed out and that is valid until
// the next Forward. Causal, N=5, M=3: LogSumExp() is (-Inf, -Inf, ...) before Backward and (0, 0, ...) behind it, so that
// whoever joins two parts of the keys by their L after the backward pass gives rows without keys a weight of e^0.
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
	for i, l := range a.logs.Data {
		a.logs.Data[i] = finite(l) // so that no −Inf − (−Inf) comes in (9)
	}
	n := a.q.Dim(-2)
	for i := range dy.Matrices() {
		for first := 0; first < n; first += a.p.Dim(0) {
			a.sendBack(i, first, min(a.p.Dim(0), n-first), dy.MatrixAt(i))
		}
	}
	return a.dq, a.dk, a.dv
}

// first-tile-overwrites: first tile overwrites
//
// Why: O is not cleared: the first tile of keys overwrites it. A tile of queries that sees no tile of keys at all (causal,
// N > M, the first tiles of queries) is therefore never written, and y is reused memory: right in a new layer, but after
// a Forward of another shape or another mask (e.g. first mask nil, then causal, N=300, M=20; or TileN=2, N=5, M=2) the
// rows without keys hold the previous Forward's y in place of 0, and D and the user's output get them.
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
	}
	for from, to := range a.keys(first, queries) {
		s := a.scores(i, first, queries, from, to) // (1)
		for r := range queries {
			p := row(s, r)
			largest := max(m[r], kernel.Max(p)) // (2)
			past := exp(m[r] - finite(largest)) // what the sums so far are worth by the new maximum
			exponentials(p, p, finite(largest)) // (3)
			l[r] = past*l[r] + kernel.Sum(p)    // (4)
			if from > 0 {
				kernel.Scale(past, row(o, r)) // (5)
			}
			m[r] = largest
		}
		v := a.v.MatrixAt(i).Block(from, 0, to-from, a.v.Dim(-1))
		if from == 0 { // nothing is there yet
			tensor.Mul(o, s, v)
		} else {
			tensor.MulAdd(o, s, v) // (5) (R, J)·(J, C) = (R, C), s being P by now
		}
	}
	logs := a.logs.Data[i*a.q.Dim(-2)+first:][:queries]
	for r := range queries {
		if l[r] != 0 { // otherwise nothing may be attended to, and y is 0
			kernel.Scale(1/l[r], row(o, r)) // (6)
		}
		logs[r] = m[r] + float32(math.Log(float64(l[r]))) // (7)
	}
}

// grow-only-logs: grow only logs
//
// Why: The memory for L only grows, and its shape stays that of the longest text so far. Forward with N=512 and then with
// N=10 (an evaluation, the last batch): LogSumExp() still has shape (..., 512), with the 10 new numbers in front and old
// ones behind. y and gradients are right, since they index from the front.
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
	if a.logs == nil || a.logs.Len() < q.Rows() { // otherwise there is room
		a.logs = tensor.New(slices.Concat(lead, []int{n})...)
	}
	a.p, a.rows = tensor.Reuse(a.p, tileN, tileM), tensor.Reuse(a.rows, 2, tileN)
	for i := range q.Matrices() {
		for first := 0; first < n; first += tileN {
			a.attend(i, first, min(tileN, n-first))
		}
	}
	return a.y
}

// keys-outside-no-offset: keys outside no offset
//
// Why: Backward goes through the keys in the outer loop (as the paper of 2022), and begins under a causal mask with the tile
// of queries that contains i = from. That is the first one that sees these keys only for N = M (for N > M it is merely
// early); with M > N the first is i = from - (M - N). New queries behind a cache, N=4, M=12, TileN=TileM=2: dq lacks all
// keys from 4 on, dk and dv of them lack the early queries or are 0. With one tile for all queries it is right.
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
	a.d = tensor.Reuse(a.d, a.logs.Shape...)
	for r := range a.d.Data {
		a.d.Data[r] = kernel.Dot(dy.Row(r), a.y.Row(r)) // (8)
	}
	m := a.k.Dim(-2)
	for i := range dy.Matrices() {
		for from := 0; from < m; from += a.p.Dim(1) {
			a.sendBack(i, from, min(from+a.p.Dim(1), m), dy.MatrixAt(i))
		}
	}
	return a.dq, a.dk, a.dv
}

func (a *Attention) sendBack(i, from, to int, dY tensor.Matrix) {
	n, width, tileN := a.q.Dim(-2), a.q.Dim(-1), a.p.Dim(0)
	k, dk := a.k.MatrixAt(i).Block(from, 0, to-from, width), a.dk.MatrixAt(i).Block(from, 0, to-from, width)
	v, dv := a.v.MatrixAt(i).Block(from, 0, to-from, dY.Cols), a.dv.MatrixAt(i).Block(from, 0, to-from, dY.Cols)
	start := 0
	if a.causal() { // the tiles of queries before that see none of these keys
		start = from / tileN * tileN
	}
	for first := start; first < n; first += tileN {
		queries := min(tileN, n-first)
		dy, d := dY.Block(first, 0, queries, dY.Cols), a.d.Data[i*n+first:][:queries]
		q, dq := a.q.MatrixAt(i).Block(first, 0, queries, width), a.dq.MatrixAt(i).Block(first, 0, queries, width)
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

// lse-by-exp: lse by exp
//
// Why: L is computed as ln(l*e^m) in float64 rather than m + ln l. y stays right, but for a row whose largest score passes
// 709 e^m is +Inf, so L = +Inf, all recomputed weights are 0 and dq, dk, dv are 0 (Weights too); below -745 L = -Inf.
// A user with q=(800), k=(1, 0.999), K=1 sees y right, LogSumExp = +Inf and gradients 0.
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
		logs[r] = float32(math.Log(float64(l[r]) * math.Exp(float64(m[r])))) // (7) ln(l·e^m)
	}
}

// one-query-sees-all: one query sees all
//
// Why: A short cut for one query, as in generating: the mask is dropped, because the last query of a causal mask sees all.
// A mask WITH entries is dropped too: N=1, M=5, Attend = (false, false, true, true, true) (padding on the left, a window)
// gives weight to the two hidden keys, and y = nonzero, L finite where Attend hides everything.
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

	if n == 1 { // one query is the last, and the last may attend to all keys
		mask = nil
	}
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

// parallel-query-tiles: parallel query tiles
//
// Why: Backward shares the tiles of queries among goroutines. p, dp, D and dq are each one's own, but dk and dv, which all
// tiles of queries add to, are not: a data race, additions are lost. With more than one tile of queries and more than one
// core dk and dv are sometimes too small and differ from run to run (N=4096: nearly always); -race reports it.
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
	tileN, tileM := a.p.Dim(0), a.p.Dim(1)
	workers := min(runtime.GOMAXPROCS(0), (n+tileN-1)/tileN)
	for len(a.helpers) < workers {
		a.helpers = append(a.helpers, new(helper))
	}
	for i := range dy.Matrices() {
		var wait sync.WaitGroup
		for w, h := range a.helpers[:workers] {
			h.p, h.dp = tensor.Reuse(h.p, tileN, tileM), tensor.Reuse(h.dp, tileN, tileM)
			h.d = tensor.Reuse(h.d, tileN)
			wait.Go(func() { // each has buffers of its own, and every tile of queries belongs to one
				for first := w * tileN; first < n; first += workers * tileN {
					a.sendBack(h, i, first, min(tileN, n-first), dy.MatrixAt(i))
				}
			})
		}
		wait.Wait()
	}
	return a.dq, a.dk, a.dv
}

func (a *Attention) sendBack(h *helper, i, first, queries int, dy tensor.Matrix) {
	y := a.y.MatrixAt(i).Block(first, 0, queries, dy.Cols)
	dy = dy.Block(first, 0, queries, dy.Cols)
	d, width := h.d.Data[:queries], a.q.Dim(-1)
	for r := range queries {
		d[r] = kernel.Dot(row(dy, r), row(y, r)) // (8)
	}
	q, dq := a.q.MatrixAt(i).Block(first, 0, queries, width), a.dq.MatrixAt(i).Block(first, 0, queries, width)
	for from, to := range a.keys(first, queries) {
		k, dk := a.k.MatrixAt(i).Block(from, 0, to-from, width), a.dk.MatrixAt(i).Block(from, 0, to-from, width)
		v, dv := a.v.MatrixAt(i).Block(from, 0, to-from, dy.Cols), a.dv.MatrixAt(i).Block(from, 0, to-from, dy.Cols)
		dp := h.dp.Matrix().Block(0, 0, queries, to-from)

		p := a.again(h.p, i, first, queries, from, to) // (9)
		tensor.MulAdd(dv, p.T(), dy)                   // (10) (J, R)·(R, C) = (J, C)
		tensor.Mul(dp, dy, v.T())                      // (11) (R, C)·(C, J) = (R, J)
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

type helper struct {
	p, dp *tensor.Tensor // (TileN, TileM)
	d     *tensor.Tensor // (TileN)
}

func (a *Attention) again(buffer *tensor.Tensor, i, first, queries, from, to int) tensor.Matrix {
	p := a.scores(buffer, i, first, queries, from, to)
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

	weights    *tensor.Tensor // (…, N, M), if somebody has asked for them
	p          *tensor.Tensor // (TileN, TileM): a tile of the scores, then of the weights
	helpers    []*helper      // of Backward
	rows       *tensor.Tensor // (2, TileN): m and l of a tile's queries
	dq, dk, dv *tensor.Tensor // (…, N, K), (…, M, K), (…, M, C)
}

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
		s := a.scores(a.p, i, first, queries, from, to) // (1)
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

func (a *Attention) scores(buffer *tensor.Tensor, i, first, queries, from, to int) tensor.Matrix {
	width := a.q.Dim(-1)
	q := a.q.MatrixAt(i).Block(first, 0, queries, width)
	k := a.k.MatrixAt(i).Block(from, 0, to-from, width)
	s := buffer.Matrix().Block(0, 0, queries, to-from)
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
	for i := range a.q.Matrices() {
		for first := 0; first < n; first += a.p.Dim(0) {
			queries := min(a.p.Dim(0), n-first)
			for from, to := range a.keys(first, queries) {
				p := a.again(a.p, i, first, queries, from, to)
				tensor.Copy(a.weights.MatrixAt(i).Block(first, from, queries, to-from), p)
			}
		}
	}
	return a.weights
}

// scale-q-in-place: scale q in place
//
// Why: q is multiplied by 1/sqrt(K) in the caller's memory and multiplied back at the end. For K = 4, 16, 64 that is exact;
// for any other K (K = 8, 32, 43) the caller's q has changed in the last bit after every pass, and whoever reads q at the
// same time sees it scaled. If q and k are one tensor, Forward(x, x, x), k is scaled too: the scores are x x^T/K in place of
// x x^T/sqrt(K), and y, L and all gradients are wrong for every K but 1.
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
	a.scaled(func() {
		for i := range dy.Matrices() {
			for first := 0; first < n; first += a.p.Dim(0) {
				a.sendBack(i, first, min(a.p.Dim(0), n-first), dy.MatrixAt(i))
			}
		}
	})
	kernel.Scale(scale(a.q.Dim(-1)), a.dq.Data)
	return a.dq, a.dk, a.dv
}

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
			kernel.Mul(ds, ds, p) // (12), without the 1/√K: q has it, and dq gets it at the end
		}
		tensor.MulAdd(dq, dp, k)     // (13) (R, J)·(J, K) = (R, K)
		tensor.MulAdd(dk, dp.T(), q) // (14) (J, R)·(R, K) = (J, K)
	}
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
	a.scaled(func() {
		for i := range q.Matrices() {
			for first := 0; first < n; first += tileN {
				a.attend(i, first, min(tileN, n-first))
			}
		}
	})
	return a.y
}

func (a *Attention) scaled(f func()) {
	width := a.q.Dim(-1)
	kernel.Scale(scale(width), a.q.Data)
	f()
	kernel.Scale(float32(math.Sqrt(float64(width))), a.q.Data) // what the caller gave
}

func (a *Attention) scores(i, first, queries, from, to int) tensor.Matrix {
	width := a.q.Dim(-1)
	q := a.q.MatrixAt(i).Block(first, 0, queries, width)
	k := a.k.MatrixAt(i).Block(from, 0, to-from, width)
	s := a.p.Matrix().Block(0, 0, queries, to-from)
	tensor.Mul(s, q, k.T()) // (R, K)·(K, J) = (R, J), q being q/√K by now
	for r := range queries {
		a.hide(row(s, r), i, first+r, from)
	}
	return s
}

func (a *Attention) Weights() *tensor.Tensor {
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	a.weights = tensor.ReuseLead(a.weights, a.q.Lead(2), n, m)
	a.weights.Zero() // where no tile comes
	a.scaled(func() {
		for i := range a.q.Matrices() {
			for first := 0; first < n; first += a.p.Dim(0) {
				queries := min(a.p.Dim(0), n-first)
				for from, to := range a.keys(first, queries) {
					p := a.again(i, first, queries, from, to)
					tensor.Copy(a.weights.MatrixAt(i).Block(first, from, queries, to-from), p)
				}
			}
		}
	})
	return a.weights
}

// shared-scratch: shared scratch
//
// Why: The tile buffers are one package variable that all layers share. One after the other that is right. Two layers in two
// goroutines (training with "shards": 2, a server with two models) write the same tile: a data race, y and gradients are
// garbage that differs from run to run, or a panic when their tiles have different sizes; go test -race reports it.
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
	a.prepare()
	a.dq, a.dk = tensor.Reuse(a.dq, a.q.Shape...), tensor.Reuse(a.dk, a.k.Shape...)
	a.dv = tensor.Reuse(a.dv, a.v.Shape...)
	for _, sum := range []*tensor.Tensor{a.dq, a.dk, a.dv} {
		sum.Zero()
	}
	n := a.q.Dim(-2)
	for i := range dy.Matrices() {
		for first := 0; first < n; first += a.tileN {
			a.sendBack(i, first, min(a.tileN, n-first), dy.MatrixAt(i))
		}
	}
	return a.dq, a.dk, a.dv
}

func (a *Attention) sendBack(i, first, queries int, dy tensor.Matrix) {
	y := a.y.MatrixAt(i).Block(first, 0, queries, dy.Cols)
	dy = dy.Block(first, 0, queries, dy.Cols)
	d, width := scratch.rows.Row(0)[:queries], a.q.Dim(-1)
	for r := range queries {
		d[r] = kernel.Dot(row(dy, r), row(y, r)) // (8)
	}
	q, dq := a.q.MatrixAt(i).Block(first, 0, queries, width), a.dq.MatrixAt(i).Block(first, 0, queries, width)
	for from, to := range a.keys(first, queries) {
		k, dk := a.k.MatrixAt(i).Block(from, 0, to-from, width), a.dk.MatrixAt(i).Block(from, 0, to-from, width)
		v, dv := a.v.MatrixAt(i).Block(from, 0, to-from, dy.Cols), a.dv.MatrixAt(i).Block(from, 0, to-from, dy.Cols)
		dp := scratch.dp.Matrix().Block(0, 0, queries, to-from)

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
	dq, dk, dv   *tensor.Tensor // (…, N, K), (…, M, K), (…, M, C)
}

var scratch struct {
	p, dp *tensor.Tensor // (TileN, TileM): a tile of the scores, then of the weights; their gradient
	rows  *tensor.Tensor // (2, TileN): m and l of a tile's queries; in Backward, their D
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
	a.prepare()
	for i := range q.Matrices() {
		for first := 0; first < n; first += a.tileN {
			a.attend(i, first, min(a.tileN, n-first))
		}
	}
	return a.y
}

func (a *Attention) prepare() {
	scratch.p = tensor.Reuse(scratch.p, a.tileN, a.tileM)
	scratch.dp = tensor.Reuse(scratch.dp, a.tileN, a.tileM)
	scratch.rows = tensor.Reuse(scratch.rows, 2, a.tileN)
}

func (a *Attention) attend(i, first, queries int) {
	// (1) S = q kᵀ/√K, and −Inf where the mask hides a pair
	// (2) m' = max(m, maxⱼ S)
	// (3) P = e^(S − m')
	// (4) l = e^(m − m')·l + Σⱼ P
	// (5) O = e^(m − m')·O + P v, which grows where y will be
	// (6) y = O/l
	// (7) L = m + ln l
	m, l := scratch.rows.Row(0)[:queries], scratch.rows.Row(1)[:queries]
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

func (a *Attention) scores(i, first, queries, from, to int) tensor.Matrix {
	width := a.q.Dim(-1)
	q := a.q.MatrixAt(i).Block(first, 0, queries, width)
	k := a.k.MatrixAt(i).Block(from, 0, to-from, width)
	s := scratch.p.Matrix().Block(0, 0, queries, to-from)
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
	a.prepare()
	for i := range a.q.Matrices() {
		for first := 0; first < n; first += a.tileN {
			queries := min(a.tileN, n-first)
			for from, to := range a.keys(first, queries) {
				p := a.again(i, first, queries, from, to)
				tensor.Copy(a.weights.MatrixAt(i).Block(first, from, queries, to-from), p)
			}
		}
	}
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

// skip-by-last-row: skip by last row
//
// Why: A saving for masks with entries: a tile is left out if the LAST query of the tile may see none of its keys. For a
// causal mask the last query sees the most, for any other mask it need not. A sliding window (i sees i-w < j <= i) or a
// padding/document mask: query 128 with window 16 sees keys 113..127, but query 255 does not, so tile (128..255, 0..127)
// is skipped and these keys are lost for queries 128..142: y, L, weights and gradients wrong there.
func (a *Attention) sendBack(i, first, queries int, dy tensor.Matrix) {
	y := a.y.MatrixAt(i).Block(first, 0, queries, dy.Cols)
	dy = dy.Block(first, 0, queries, dy.Cols)
	d, width := a.rows.Row(0)[:queries], a.q.Dim(-1)
	for r := range queries {
		d[r] = kernel.Dot(row(dy, r), row(y, r)) // (8)
	}
	q, dq := a.q.MatrixAt(i).Block(first, 0, queries, width), a.dq.MatrixAt(i).Block(first, 0, queries, width)
	for from, to := range a.keys(i, first, queries) {
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
	for from, to := range a.keys(i, first, queries) {
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

func (a *Attention) Weights() *tensor.Tensor {
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	a.weights = tensor.ReuseLead(a.weights, a.q.Lead(2), n, m)
	a.weights.Zero() // where no tile comes
	for i := range a.q.Matrices() {
		for first := 0; first < n; first += a.p.Dim(0) {
			queries := min(a.p.Dim(0), n-first)
			for from, to := range a.keys(i, first, queries) {
				p := a.again(i, first, queries, from, to)
				tensor.Copy(a.weights.MatrixAt(i).Block(first, from, queries, to-from), p)
			}
		}
	}
	return a.weights
}

func (a *Attention) keys(i, first, queries int) iter.Seq2[int, int] {
	last := first + queries - 1
	seen, tile := a.sees(last), a.p.Dim(1)
	return func(yield func(from, to int) bool) {
		for from := 0; from < seen; from += tile {
			to := min(from+tile, seen)
			if entries := a.entries(i, last); entries != nil && !slices.Contains(entries[from:to], true) {
				continue // hidden as a whole
			}
			if !yield(from, to) {
				return
			}
		}
	}
}

func (a *Attention) entries(matrix, i int) []bool {
	if a.mask == nil || len(a.mask.Attend) == 0 {
		return nil
	}
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	all := a.mask.Attend[matrix*n*m%len(a.mask.Attend):] // of this leading index, or of all
	return all[i*m:][:m]
}

func (a *Attention) hide(s []float32, matrix, i, from int) {
	hidden := float32(math.Inf(-1))
	switch {
	case a.causal():
		for j := max(0, a.sees(i)-from); j < len(s); j++ {
			s[j] = hidden
		}
	case a.mask != nil:
		for j, attend := range a.entries(matrix, i)[from:][:len(s)] {
			if !attend {
				s[j] = hidden
			}
		}
	}
}

// skip-only-square: skip only square
//
// Why: Hidden tiles are left out only where N = M; with a cache (M > N) or N > M every tile is computed and then masked.
// Numbers are right. A prompt of 4096 tokens behind 128 cached ones (N=4096, M=4224, causal) takes nearly twice the
// products and time of N=M=4096, though its mask hides as many tiles. The doc promises: "Tiles of which a causal mask
// hides everything are left out".
func (a *Attention) end(i int) int {
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	if a.causal() && n == m {
		return i + 1
	}
	return m
}

func (a *Attention) keys(first, queries int) iter.Seq2[int, int] {
	seen, tile := a.end(first+queries-1), a.p.Dim(1)
	return func(yield func(from, to int) bool) {
		for from := 0; from < seen; from += tile {
			if !yield(from, min(from+tile, seen)) {
				return
			}
		}
	}
}

func (a *Attention) hide(s []float32, matrix, i, from int) {
	hidden := float32(math.Inf(-1))
	switch n, m := a.q.Dim(-2), a.k.Dim(-2); {
	case a.causal():
		for j := max(0, i+1+m-n-from); j < len(s); j++ {
			s[j] = hidden
		}
	case a.mask != nil:
		all := a.mask.Attend[matrix*n*m%len(a.mask.Attend):] // of this leading index, or of all
		for j, attend := range all[i*m+from:][:len(s)] {
			if !attend {
				s[j] = hidden
			}
		}
	}
}

// stale-max: stale max
//
// Why: The maximum is taken over the whole row of the tile's buffer, not over the J keys that the last (or the
// causally trimmed) tile really has; the rest of the buffer holds weights (0..1) of an earlier tile. Harmless while scores
// are moderate, since any shift gives the same quotient. With a row whose scores are all below about -90 and a number of
// keys that TileM does not divide (or a causal mask, where the tile is trimmed) m becomes up to 1, every e^(S-m) is 0:
// y = 0 and L = -Inf (or, where e^(S-m) is just still
// subnormal, y = +-Inf, as 1/l overflows) where y should be the weighted mean; e.g. q=(1), k=(-100,-101,-102), K=1, TileM=2.
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
			largest := max(m[r], kernel.Max(a.p.Row(r))) // (2)
			past := exp(m[r] - finite(largest))          // what the sums so far are worth by the new maximum
			exponentials(p, p, finite(largest))          // (3)
			l[r] = past*l[r] + kernel.Sum(p)             // (4)
			kernel.Scale(past, row(o, r))                // (5)
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

// strip-of-all-keys: strip of all keys
//
// Why: Only the queries are taken in tiles: TileM is not used, the buffers p and dp are (TileN, M), and there is no running
// maximum at all. The numbers are right; the memory is not that of a tile: 128 x M in place of 128 x 128, twice
// (16,384 keys: 16.8 MB of scratch in place of 0.13 MB), and a user who sets TileN=4096, TileM=16 gets 4096 x M.
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
	tileN := tile(a.TileN, n)

	a.q, a.k, a.v, a.mask = q, k, v, mask
	a.y = tensor.ReuseLead(a.y, lead, n, v.Dim(-1))
	a.logs = tensor.ReuseLead(a.logs, lead, n)
	a.p, a.rows = tensor.Reuse(a.p, tileN, m), tensor.Reuse(a.rows, 2, tileN)
	for i := range q.Matrices() {
		for first := 0; first < n; first += tileN {
			a.attend(i, first, min(tileN, n-first))
		}
	}
	return a.y
}

func (a *Attention) attend(i, first, queries int) {
	// (1) S = q kᵀ/√K, and −Inf where the mask hides a pair
	// (2) m = maxⱼ S
	// (3) P = e^(S − m)
	// (4) l = Σⱼ P
	// (5) O = P v
	// (6) y = O/l
	// (7) L = m + ln l
	m, l := a.rows.Row(0)[:queries], a.rows.Row(1)[:queries]
	o := a.y.MatrixAt(i).Block(first, 0, queries, a.y.Dim(-1)) // (R, C)
	for r := range queries {
		m[r], l[r] = float32(math.Inf(-1)), 0
		clear(row(o, r))
	}
	if seen := a.sees(first + queries - 1); seen > 0 {
		s := a.scores(i, first, queries, 0, seen) // (1)
		for r := range queries {
			p := row(s, r)
			m[r] = kernel.Max(p)             // (2)
			exponentials(p, p, finite(m[r])) // (3)
			l[r] = kernel.Sum(p)             // (4)
		}
		tensor.Mul(o, s, a.v.MatrixAt(i).Block(0, 0, seen, a.v.Dim(-1))) // (5)
	}
	logs := a.logs.Data[i*a.q.Dim(-2)+first:][:queries]
	for r := range queries {
		if l[r] != 0 { // otherwise nothing may be attended to, and y is 0
			kernel.Scale(1/l[r], row(o, r)) // (6)
		}
		logs[r] = m[r] + float32(math.Log(float64(l[r]))) // (7)
	}
}

// two-passes-forward: two passes forward
//
// Why: Forward goes through the keys twice: once for L, once for y = e^(S-L) v, with every S = q k^T/sqrt(K) computed again.
// Numbers and memory are right, the quadratic work is 3 products in place of 2 and two exponentials in place of one
// (N=8192: Forward takes about 1.6 times as long). The lesson's running correction of O ("in one pass") is not there.
// (Debatable whether that is wrong: the text of Forward does not say how many products it may take.)
func (a *Attention) attend(i, first, queries int) {
	// (1) S = q kᵀ/√K, and −Inf where the mask hides a pair
	// (2) m' = max(m, maxⱼ S)
	// (3) P = e^(S − m')
	// (4) l = e^(m − m')·l + Σⱼ P
	// (7) L = m + ln l
	// (5) y += e^(S − L) v
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
			largest := max(m[r], kernel.Max(p))                   // (2)
			exponentials(p, p, finite(largest))                   // (3)
			l[r] = exp(m[r]-finite(largest))*l[r] + kernel.Sum(p) // (4)
			m[r] = largest
		}
	}
	logs := a.logs.Data[i*a.q.Dim(-2)+first:][:queries]
	for r := range queries {
		logs[r] = m[r] + float32(math.Log(float64(l[r]))) // (7)
	}
	for from, to := range a.keys(first, queries) { // L is known: nothing has to be corrected
		p := a.again(i, first, queries, from, to)
		v := a.v.MatrixAt(i).Block(from, 0, to-from, a.v.Dim(-1))
		tensor.MulAdd(o, p, v) // (5) (R, J)·(J, C) = (R, C)
	}
}

// weights-cached: weights cached
//
// Why: Weights returns what it has computed before when the shape is the same, and no Forward forgets it. Forward(q1..),
// Weights(), Forward(q2.. of the same shape), Weights() returns the weights of q1 in place of those of q2 (a user who
// plots attention for two texts of the same length sees the same picture twice).
func (a *Attention) Weights() *tensor.Tensor {
	n, m := a.q.Dim(-2), a.k.Dim(-2)
	if a.weights != nil && slices.Equal(a.weights.Shape, slices.Concat(a.q.Lead(2), []int{n, m})) {
		return a.weights // asked for before
	}
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

// zero-in-forward: zero in forward
//
// Why: dq, dk and dv are zeroed in Forward, not in Backward. Backward twice after one Forward (two losses on one output)
// returns the SUM of both, e.g. twice the gradient for the same dy; and the gradients, which are promised valid until the
// next Backward, are already zeroed by the next Forward (an evaluation between Backward and the optimizer).
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
	n := a.q.Dim(-2)
	for i := range dy.Matrices() {
		for first := 0; first < n; first += a.p.Dim(0) {
			a.sendBack(i, first, min(a.p.Dim(0), n-first), dy.MatrixAt(i))
		}
	}
	return a.dq, a.dk, a.dv
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
	// Backward adds to these
	a.dq, a.dk, a.dv = tensor.Reuse(a.dq, q.Shape...), tensor.Reuse(a.dk, k.Shape...), tensor.Reuse(a.dv, v.Shape...)
	for _, sum := range []*tensor.Tensor{a.dq, a.dk, a.dv} {
		sum.Zero()
	}
	for i := range q.Matrices() {
		for first := 0; first < n; first += tileN {
			a.attend(i, first, min(tileN, n-first))
		}
	}
	return a.y
}
