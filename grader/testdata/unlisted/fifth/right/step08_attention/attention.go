//go:build unlisted

package attention

import (
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// one-query-at-a-time: plain loops in float64 with a softmax of its own, new tensors in every call
//
// Why: the same formula for one query after the other; a row in which nothing may
// be attended to has no largest score and stays 0.
func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *Mask) *tensor.Tensor {
	tensor.CheckShape("Attention.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n, width := q.Lead(2), q.Dim(-2), q.Dim(-1)
	tensor.CheckLead("Attention.Forward: k", k, lead, tensor.Any, width)
	m := k.Dim(-2)
	tensor.CheckLead("Attention.Forward: v", v, lead, m, tensor.Any)
	c := v.Dim(-1)
	mask.check(q.Matrices(), n, m)

	a.q, a.k, a.v = q, k, v
	a.weights = tensor.ReuseLead(nil, lead, n, m)
	a.y = tensor.ReuseLead(nil, lead, n, c)
	root := math.Sqrt(float64(width))
	score, sum := make([]float64, m), make([]float64, c)
	for row := range q.Rows() { // the row-th query of all
		matrix := row / n
		query := q.Row(row)
		largest := math.Inf(-1)
		for j := range m {
			dot := 0.0
			for x, key := range k.Row(matrix*m + j) {
				dot += float64(query[x]) * float64(key)
			}
			score[j] = dot / root
			if mask != nil && !mask.Attend[(row*m+j)%len(mask.Attend)] {
				score[j] = math.Inf(-1)
			}
			if math.IsNaN(score[j]) || score[j] > largest {
				largest = score[j]
			}
		}
		if math.IsInf(largest, -1) {
			continue // all weights and y are 0
		}
		total := 0.0
		for j := range score {
			score[j] = math.Exp(score[j] - largest)
			total += score[j]
		}
		clear(sum)
		weights := a.weights.Row(row)
		for j := range score {
			weights[j] = float32(score[j] / total)
			for x, value := range v.Row(matrix*m + j) {
				sum[x] += float64(weights[j]) * float64(value)
			}
		}
		for x := range sum {
			a.y.Row(row)[x] = float32(sum[x])
		}
	}
	return a.y
}

// gradients-pair-by-pair: Backward walks over all pairs of a query and a key, in float64, and allocates every time
//
// Why: the five lines of the contract written as sums over pairs; a pair of weight
// 0 is left out, since nothing flows through it.
func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Attention.Backward: dy", dy, a.y.Shape...)
	n, m, c, width := a.q.Dim(-2), a.k.Dim(-2), a.v.Dim(-1), a.q.Dim(-1)
	gq, gk, gv := make([]float64, a.q.Len()), make([]float64, a.k.Len()), make([]float64, a.v.Len())
	dp := make([]float64, m)
	for row := range a.q.Rows() {
		matrix := row / n
		p, mean := a.weights.Row(row), 0.0
		for j, weight := range p {
			dp[j] = 0
			for x, g := range dy.Row(row) {
				dp[j] += float64(g) * float64(a.v.Row(matrix*m + j)[x])
				gv[(matrix*m+j)*c+x] += float64(weight) * float64(g)
			}
			mean += dp[j] * float64(weight)
		}
		for j, weight := range p {
			if weight == 0 {
				continue
			}
			ds := float64(weight) * (dp[j] - mean) / math.Sqrt(float64(width))
			for x := range width {
				gq[row*width+x] += ds * float64(a.k.Row(matrix*m + j)[x])
				gk[(matrix*m+j)*width+x] += ds * float64(a.q.Row(row)[x])
			}
		}
	}
	narrow := func(from []float64, like *tensor.Tensor) *tensor.Tensor {
		to := tensor.New(like.Shape...)
		for i, x := range from {
			to.Data[i] = float32(x)
		}
		return to
	}
	a.dq, a.dk, a.dv = narrow(gq, a.q), narrow(gk, a.k), narrow(gv, a.v)
	return a.dq, a.dk, a.dv
}

// a-goroutine-for-every-matrix: the products of every leading index run on a goroutine of their own, twice
//
// Why: the matrices do not overlap, and Forward waits for all of them.
func (*Attention) Forward() {
	if right {
		for i := range q.Matrices() {
			y, p, v := a.y.MatrixAt(i), a.weights.MatrixAt(i), v.MatrixAt(i)
			tensor.Mul(y, p, v) // (N, M)·(M, C) = (N, C)
		}
	} else {
		var all sync.WaitGroup
		for i := range q.Matrices() {
			all.Go(func() { tensor.Mul(a.y.MatrixAt(i).T(), v.MatrixAt(i).T(), a.weights.MatrixAt(i).T()) })
		}
		all.Wait()
	}
}

// permuted-number-by-number: the layer asks for new memory in every call and moves single numbers
//
// Why: element [b, t, h, i] goes to [b, h, t, i] and back, as the contract says it.
func (m *MultiHead) split(dst, src *tensor.Tensor, first int) *tensor.Tensor {
	batch, seq, width := src.Dim(0), src.Dim(1), 2*m.rope.Cos.Dim(1)
	dst = tensor.New(batch, m.heads, seq, width)
	for at := range dst.Data {
		i, t, h, b := at%width, at/width%seq, at/width/seq%m.heads, at/width/seq/m.heads
		dst.Data[at] = src.At(b, t, first+h*width+i)
	}
	return dst
}

func join(dst, src *tensor.Tensor, first int) {
	heads, seq, width := src.Dim(1), src.Dim(2), src.Dim(3)
	for at, x := range src.Data {
		i, t, h, b := at%width, at/width%seq, at/width/seq%heads, at/width/seq/heads
		dst.Set(x, b, t, first+h*width+i)
	}
}
