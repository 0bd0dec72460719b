//go:build unlisted

package attention

import (
	"math"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// rows-in-float64: scores, softmax, means and gradients row by row in float64, in goroutines, in new memory every time
//
// Why: only the order of the sums and their precision differ; what is returned is nobody else's and stays valid even longer than it has to.
func (*Attention) Forward() {
	if right {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
		for i := range q.Matrices() {
			s, q, k := a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
			tensor.Mul(s, q, k.T())
		}
		kernel.Scale(scale(width), a.weights.Data)
		mask.hide(a.weights.Data)
		a.weights = softmax.Softmax(a.weights, a.weights, -1)

		a.y = tensor.ReuseLead(a.y, lead, n, c)
		for i := range q.Matrices() {
			y, p, v := a.y.MatrixAt(i), a.weights.MatrixAt(i), v.MatrixAt(i)
			tensor.Mul(y, p, v)
		}
		return a.y
	} else {
		a.weights = tensor.ReuseLead(nil, lead, n, m)
		a.y = tensor.ReuseLead(nil, lead, n, c)
		var all sync.WaitGroup
		for i := range q.Matrices() {
			all.Go(func() {
				q, k, v, p, y := q.MatrixAt(i), k.MatrixAt(i), v.MatrixAt(i), a.weights.MatrixAt(i), a.y.MatrixAt(i)
				for row := range n {
					var attend []bool
					if mask != nil && n*m > 0 {
						at := (i*n*m)%len(mask.Attend) + row*m
						attend = mask.Attend[at : at+m]
					}
					weights := rowWeights(q, k, row, attend)
					sums := make([]float64, c)
					for j, w := range weights {
						p.Set(float32(w), row, j)
						if attend != nil && !attend[j] {
							continue
						}
						for x := range sums {
							sums[x] += w * float64(v.At(j, x))
						}
					}
					for x, sum := range sums {
						y.Set(float32(sum), row, x)
					}
				}
			})
		}
		all.Wait()
		return a.y
	}
}

func rowWeights(q, k tensor.Matrix, row int, attend []bool) []float64 {
	scores, largest := make([]float64, k.Rows), math.Inf(-1)
	for j := range scores {
		if attend != nil && !attend[j] {
			scores[j] = math.Inf(-1)
			continue
		}
		for x := range q.Cols {
			scores[j] += float64(q.At(row, x)) * float64(k.At(j, x))
		}
		scores[j] /= math.Sqrt(float64(q.Cols))
		largest = math.Max(largest, scores[j])
	}
	if math.IsInf(largest, -1) {
		return make([]float64, k.Rows)
	}
	sum := 0.0
	for j, s := range scores {
		scores[j] = math.Exp(s - largest)
		sum += scores[j]
	}
	for j := range scores {
		scores[j] /= sum
	}
	return scores
}

// moved-number-by-number: heads are split and joined by the indexes of the contract, Attention works on one sequence and head after the other in Backward, and the scale goes into dq and dk at the end
//
// Why: (dS·k)/√K is (dS/√K)·k. Splitting moves [b, t, h, i] to [b, h, t, i], whichever way it is written.
func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Attention.Backward: dy", dy, a.y.Shape...)
	a.dq, a.dk, a.dv = tensor.New(a.q.Shape...), tensor.New(a.k.Shape...), tensor.New(a.v.Shape...)
	n, m := a.weights.Dim(-2), a.weights.Dim(-1)
	for i := dy.Matrices() - 1; i >= 0; i-- {
		p := a.weights.MatrixAt(i)
		tensor.MulAdd(a.dv.MatrixAt(i), p.T(), dy.MatrixAt(i))
		dp, weights := tensor.New(n, m), tensor.New(n, m)
		tensor.Mul(dp.Matrix(), dy.MatrixAt(i), a.v.MatrixAt(i).T())
		tensor.Copy(weights.Matrix(), p)
		ds := softmax.Backward(nil, weights, dp, -1)
		tensor.MulAdd(a.dq.MatrixAt(i), ds.Matrix(), a.k.MatrixAt(i))
		tensor.MulAdd(a.dk.MatrixAt(i), ds.Matrix().T(), a.q.MatrixAt(i))
	}
	root := math.Sqrt(float64(a.q.Dim(-1)))
	for _, t := range []*tensor.Tensor{a.dq, a.dk} {
		for i, x := range t.Data {
			t.Data[i] = float32(float64(x) / root)
		}
	}
	return a.dq, a.dk, a.dv
}

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
