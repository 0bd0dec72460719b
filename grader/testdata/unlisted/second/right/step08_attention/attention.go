//go:build unlisted

package attention

import (
	"math"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// query-by-query: loops over queries and keys in float64, a goroutine for each leading index
//
// Why: pairs that the mask forbids are passed over, and their weights stay 0.
func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *Mask) *tensor.Tensor {
	tensor.CheckShape("Attention.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n, width := slices.Clone(q.Lead(2)), q.Dim(-2), q.Dim(-1)
	tensor.CheckLead("Attention.Forward: k", k, lead, tensor.Any, width)
	m := k.Dim(-2)
	tensor.CheckLead("Attention.Forward: v", v, lead, m, tensor.Any)
	mask.check(q.Matrices(), n, m)
	a.q, a.k, a.v = q, k, v
	a.weights = tensor.New(append(slices.Clone(lead), n, m)...)
	a.y = tensor.New(append(slices.Clone(lead), n, v.Dim(-1))...)
	var all sync.WaitGroup
	for at := range q.Matrices() {
		all.Go(func() {
			for i := range n {
				a.attend(at, i, q.MatrixAt(at), k.MatrixAt(at), v.MatrixAt(at), mask)
			}
		})
	}
	all.Wait()
	return a.y
}

func (a *Attention) attend(at, i int, q, k, v tensor.Matrix, mask *Mask) {
	scores, largest := make([]float64, k.Rows), math.Inf(-1)
	for j := range scores {
		scores[j] = math.Inf(-1)
		if mask == nil || mask.Attend[(at*q.Rows*k.Rows+i*k.Rows+j)%len(mask.Attend)] {
			scores[j] = 0
			for p := range q.Cols {
				scores[j] += float64(q.At(i, p)) * float64(k.At(j, p))
			}
			scores[j] /= math.Sqrt(float64(q.Cols))
		}
		largest = max(largest, scores[j])
	}
	if math.IsInf(largest, -1) {
		return // zeros
	}
	sum, y := 0.0, make([]float64, v.Cols)
	for j, s := range scores {
		scores[j] = math.Exp(s - largest)
		sum += scores[j]
	}
	for j, s := range scores {
		a.weights.MatrixAt(at).Set(float32(s/sum), i, j)
		for c := range y {
			y[c] += s / sum * float64(v.At(j, c))
		}
	}
	for c, s := range y {
		a.y.MatrixAt(at).Set(float32(s), i, c)
	}
}

// moved-one-by-one: heads are split and joined element by element, in new memory, with a new mask in every call
//
// Why: element [b, t, h, i] goes to [b, h, t, i], however slowly.
func (m *MultiHead) split(dst, src *tensor.Tensor, first int) *tensor.Tensor {
	width := 2 * m.rope.Cos.Dim(1)
	dst = tensor.New(src.Dim(0), m.heads, src.Dim(1), width)
	for b := range src.Dim(0) {
		for t := range src.Dim(1) {
			for h := range m.heads {
				for i := range width {
					dst.Set(src.At(b, t, first+h*width+i), b, h, t, i)
				}
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

func (m *MultiHead) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	d := m.Output.Weight.Value.Dim(1)
	tensor.CheckShape("MultiHead.Forward: x", x, tensor.Any, tensor.Any, d)
	m.positions = positions
	qkv := m.QKV.Forward(x)
	q := m.rope.Forward(nil, m.split(nil, qkv, 0), positions)
	k := m.rope.Forward(nil, m.split(nil, qkv, d), positions)
	v := m.split(nil, qkv, 2*d)
	joined := tensor.New(x.Shape...)
	join(joined, m.Attention.Forward(q, k, v, Causal(x.Dim(1))), 0)
	return m.Output.Forward(joined)
}
