//go:build unlisted

package attention

import (
	"math"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// plain-loops: Attention by loops in float64, query after query, without a tensor of scores
//
// Why: Right: only pairs that the mask allows are looked at; all others have the weight 0.
func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *Mask) *tensor.Tensor {
	tensor.CheckShape("Attention.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n, width := q.Lead(2), q.Dim(-2), q.Dim(-1)
	tensor.CheckLead("Attention.Forward: k", k, lead, tensor.Any, width)
	m := k.Dim(-2)
	tensor.CheckLead("Attention.Forward: v", v, lead, m, tensor.Any)
	mask.check(q.Matrices(), n, m)
	a.q, a.k, a.v = q, k, v
	a.weights = tensor.New(append(slices.Clone(lead), n, m)...)
	a.y = tensor.New(append(slices.Clone(lead), n, v.Dim(-1))...)
	score := make([]float64, m)
	for row := range q.Rows() {
		matrix, largest, sum := row/n, math.Inf(-1), 0.0
		for j := range score {
			score[j] = math.Inf(-1)
			if mask == nil || mask.Attend[(row*m+j)%len(mask.Attend)] {
				score[j] = 0
				for c, x := range q.Row(row) {
					score[j] += float64(x) * float64(k.Row(matrix*m + j)[c])
				}
				score[j] /= math.Sqrt(float64(width))
				largest = max(largest, score[j])
			}
		}
		if math.IsInf(largest, -1) {
			continue
		}
		for j := range score {
			score[j] = math.Exp(score[j] - largest)
			sum += score[j]
		}
		y := make([]float64, v.Dim(-1))
		for j := range score {
			a.weights.Row(row)[j] = float32(score[j] / sum)
			if score[j] != 0 {
				for c, x := range v.Row(matrix*m + j) {
					y[c] += score[j] / sum * float64(x)
				}
			}
		}
		for c, x := range y {
			a.y.Row(row)[c] = float32(x)
		}
	}
	return a.y
}

// matrices-in-parallel: Backward gives every leading index to a goroutine and sums in float64
//
// Why: Right: the matrices of different leading indices have nothing to do with each other.
func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Attention.Backward: dy", dy, a.y.Shape...)
	dq, dk, dv = tensor.New(a.q.Shape...), tensor.New(a.k.Shape...), tensor.New(a.v.Shape...)
	root := math.Sqrt(float64(a.q.Dim(-1)))
	var all sync.WaitGroup
	for at := range a.q.Matrices() {
		all.Go(func() {
			q, k, v, p, d := a.q.MatrixAt(at), a.k.MatrixAt(at), a.v.MatrixAt(at), a.weights.MatrixAt(at), dy.MatrixAt(at)
			gq, gk, gv := dq.MatrixAt(at), dk.MatrixAt(at), dv.MatrixAt(at)
			for i := range p.Rows {
				dp, dot := make([]float64, p.Cols), 0.0
				for j := range dp {
					for c := range d.Cols {
						dp[j] += float64(d.At(i, c)) * float64(v.At(j, c))
						gv.Set(gv.At(j, c)+p.At(i, j)*d.At(i, c), j, c)
					}
					dot += dp[j] * float64(p.At(i, j))
				}
				for j := range dp {
					ds := float32(float64(p.At(i, j)) * (dp[j] - dot) / root)
					for c := range q.Cols {
						gq.Set(gq.At(i, c)+ds*k.At(j, c), i, c)
						gk.Set(gk.At(j, c)+ds*q.At(i, c), j, c)
					}
				}
			}
		})
	}
	all.Wait()
	return dq, dk, dv
}

// causal-by-append: the mask is appended row by row, by repeating
//
// Why: Right: i + 1 times true and then false to the end of the row.
func Causal(n int) *Mask {
	attend := []bool{}
	for i := range n {
		attend = append(attend, slices.Repeat([]bool{true}, i+1)...)
		attend = append(attend, slices.Repeat([]bool{false}, n-i-1)...)
	}
	return &Mask{N: n, M: n, Attend: attend}
}

// split-by-elements: heads are split and joined number by number, by At and Set
//
// Why: Right: [b, t, h, i] goes to [b, h, t, i] and back.
func (m *MultiHead) split(dst, src *tensor.Tensor, first int) *tensor.Tensor {
	width := 2 * m.rope.Cos.Dim(1)
	dst = tensor.New(src.Dim(0), m.heads, src.Dim(1), width)
	for b := range src.Dim(0) {
		for t := range src.Dim(1) {
			for c := range m.heads * width {
				dst.Set(src.At(b, t, first+c), b, c/width, t, c%width)
			}
		}
	}
	return dst
}

func join(dst, src *tensor.Tensor, first int) {
	for b := range src.Dim(0) {
		for h := range src.Dim(1) {
			for t := range src.Dim(2) {
				for i := range src.Dim(3) {
					dst.Set(src.At(b, h, t, i), b, t, first+h*src.Dim(3)+i)
				}
			}
		}
	}
}
