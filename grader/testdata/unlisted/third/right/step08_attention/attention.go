//go:build unlisted

package attention

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// query-by-query: Attention goes query by query in float64, with loops of its own and fresh memory
//
// Why: the same sums in another order: hidden keys are left out in place of −Inf, and Backward adds every query's share to dk and dv.
type Attention struct {
	q, k, v, weights *tensor.Tensor
}

func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *Mask) *tensor.Tensor {
	tensor.CheckShape("Attention.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n, width := q.Lead(2), q.Dim(-2), q.Dim(-1)
	tensor.CheckLead("Attention.Forward: k", k, lead, tensor.Any, width)
	m := k.Dim(-2)
	tensor.CheckLead("Attention.Forward: v", v, lead, m, tensor.Any)
	c := v.Dim(-1)
	mask.check(q.Matrices(), n, m)

	a.q, a.k, a.v = q, k, v
	a.weights = tensor.New(append(slices.Clone(lead), n, m)...)
	y := tensor.New(append(slices.Clone(lead), n, c)...)
	for i := range q.Matrices() {
		q, k, v, p, y := q.MatrixAt(i), k.MatrixAt(i), v.MatrixAt(i), a.weights.MatrixAt(i), y.MatrixAt(i)
		for r := range n {
			seen := func(j int) bool { return mask == nil || mask.Attend[(i*n*m+r*m+j)%len(mask.Attend)] }
			scores, largest := make([]float64, m), math.Inf(-1)
			for j := range m {
				if !seen(j) {
					scores[j] = math.Inf(-1)
					continue
				}
				for x := range width {
					scores[j] += float64(q.At(r, x)) * float64(k.At(j, x))
				}
				scores[j] /= math.Sqrt(float64(width))
				largest = max(largest, scores[j])
			}
			if math.IsInf(largest, -1) {
				continue // it may attend nowhere: zeros
			}
			sum := 0.0
			for j := range m {
				scores[j] = math.Exp(scores[j] - largest)
				sum += scores[j]
			}
			for j := range m {
				p.Set(float32(scores[j]/sum), r, j)
			}
			for x := range c {
				mean := 0.0
				for j := range m {
					mean += scores[j] / sum * float64(v.At(j, x))
				}
				y.Set(float32(mean), r, x)
			}
		}
	}
	return y
}

func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	n, m, width, c := a.q.Dim(-2), a.k.Dim(-2), a.q.Dim(-1), a.v.Dim(-1)
	tensor.CheckShape("Attention.Backward: dy", dy, append(slices.Clone(a.q.Lead(2)), n, c)...)
	dq, dk, dv = tensor.New(a.q.Shape...), tensor.New(a.k.Shape...), tensor.New(a.v.Shape...)
	for i := range dy.Matrices() {
		q, k, v, p, dy := a.q.MatrixAt(i), a.k.MatrixAt(i), a.v.MatrixAt(i), a.weights.MatrixAt(i), dy.MatrixAt(i)
		dq := dq.MatrixAt(i)
		sumK, sumV := make([]float64, m*width), make([]float64, m*c)
		for r := range n {
			dp, dot := make([]float64, m), 0.0
			for j := range m {
				for x := range c {
					dp[j] += float64(dy.At(r, x)) * float64(v.At(j, x))
					sumV[j*c+x] += float64(p.At(r, j)) * float64(dy.At(r, x))
				}
				dot += dp[j] * float64(p.At(r, j))
			}
			for j := range m {
				dp[j] = float64(p.At(r, j)) * (dp[j] - dot) / math.Sqrt(float64(width))
			}
			for x := range width {
				sum := 0.0
				for j := range m {
					sum += dp[j] * float64(k.At(j, x))
					sumK[j*width+x] += dp[j] * float64(q.At(r, x))
				}
				dq.Set(float32(sum), r, x)
			}
		}
		for at, s := range sumK {
			dk.MatrixAt(i).Data[at] = float32(s)
		}
		for at, s := range sumV {
			dv.MatrixAt(i).Data[at] = float32(s)
		}
	}
	return dq, dk, dv
}

// queries-scaled-first: 1/√K is multiplied to a copy of q, and in Backward to dq
//
// Why: (q/√K) kᵀ is q kᵀ/√K; dk takes the scale from the scaled copy, dq is scaled at the end.
type Attention struct {
	q, k, v, scaled, weights, y *tensor.Tensor
}

func (*Attention) Forward() {
	if right {
		a.weights = tensor.ReuseLead(a.weights, lead, n, m)
		for i := range q.Matrices() {
			s, q, k := a.weights.MatrixAt(i), q.MatrixAt(i), k.MatrixAt(i)
			tensor.Mul(s, q, k.T())
		}
		kernel.Scale(scale(width), a.weights.Data)
	} else {
		a.scaled = q.Clone()
		kernel.Scale(scale(width), a.scaled.Data)
		a.weights = tensor.New(append(slices.Clone(lead), n, m)...)
		for i := q.Matrices() - 1; i >= 0; i-- {
			tensor.Mul(a.weights.MatrixAt(i), a.scaled.MatrixAt(i), k.MatrixAt(i).T())
		}
	}
	if right {
		a.y = tensor.ReuseLead(a.y, lead, n, c)
	} else {
		a.y = tensor.New(append(slices.Clone(lead), n, c)...)
	}
}

func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	tensor.CheckShape("Attention.Backward: q of Forward", a.q, tensor.Lead, tensor.Any, tensor.Any)
	tensor.CheckShape("Attention.Backward: dy", dy, a.y.Shape...)
	dq, dk, dv = tensor.New(a.q.Shape...), tensor.New(a.k.Shape...), tensor.New(a.v.Shape...)
	dp := tensor.New(a.weights.Shape...)
	for i := range dy.Matrices() {
		tensor.Mul(dp.MatrixAt(i), dy.MatrixAt(i), a.v.MatrixAt(i).T())
	}
	ds := softmax.Backward(nil, a.weights, dp, -1)
	for i := range dy.Matrices() {
		tensor.Mul(dv.MatrixAt(i).T(), dy.MatrixAt(i).T(), a.weights.MatrixAt(i)) // dvᵀ = dyᵀ P
		tensor.Mul(dk.MatrixAt(i), ds.MatrixAt(i).T(), a.scaled.MatrixAt(i))
		tensor.Mul(dq.MatrixAt(i), ds.MatrixAt(i), a.k.MatrixAt(i))
	}
	kernel.Scale(scale(a.q.Dim(-1)), dq.Data)
	return dq, dk, dv
}

// token-by-token: MultiHead splits and joins token by token, copies the positions, and makes a mask in every Forward
//
// Why: the same numbers go to the same places, only the last token first; positions and mask of its own promise more than is asked.
func (*MultiHead) Forward() {
	if right {
		m.positions = positions
		if m.mask == nil || m.mask.N != seq {
			m.mask = Causal(seq)
		}
	} else {
		m.positions = nil
		for _, row := range positions {
			m.positions = append(m.positions, slices.Clone(row))
		}
		m.mask = Causal(seq)
	}
}

func (m *MultiHead) split(dst, src *tensor.Tensor, first int) *tensor.Tensor {
	batch, seq, width := src.Dim(0), src.Dim(1), m.Output.Weight.Value.Dim(0)/m.heads
	made := tensor.New(batch, m.heads, seq, width)
	for r := batch*seq - 1; r >= 0; r-- {
		b, t := r/seq, r%seq
		row := src.Row(r)[first:]
		for h := range m.heads {
			copy(made.Row((b*m.heads+h)*seq+t), row[h*width:])
		}
	}
	return made
}

func join(dst, src *tensor.Tensor, first int) {
	batch, heads, seq, width := src.Dim(0), src.Dim(1), src.Dim(2), src.Dim(3)
	for r := batch*seq - 1; r >= 0; r-- {
		b, t := r/seq, r%seq
		for column := range heads * width {
			dst.Row(r)[first+column] = src.At(b, column/width, t, column%width)
		}
	}
}

func Causal(n int) *Mask {
	mask := &Mask{N: n, M: n, Attend: make([]bool, n*n)}
	for at := range mask.Attend {
		mask.Attend[at] = at/n >= at%n
	}
	return mask
}
