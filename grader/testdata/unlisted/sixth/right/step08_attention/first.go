//go:build unlisted

package attention

import (
	"slices"
)

// loops-in-float64: plain loops, every number in float64, all memory new in every call
//
// Why: the same formula; new memory is valid for longer than it must be.
func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *Mask) *tensor.Tensor {
	tensor.CheckShape("Attention.Forward: q", q, tensor.Lead, tensor.Any, tensor.Any)
	lead, n, width := q.Lead(2), q.Dim(-2), q.Dim(-1)
	tensor.CheckLead("Attention.Forward: k", k, lead, tensor.Any, width)
	m := k.Dim(-2)
	tensor.CheckLead("Attention.Forward: v", v, lead, m, tensor.Any)
	c := v.Dim(-1)
	mask.check(q.Matrices(), n, m)
	a.q, a.k, a.v = q, k, v
	a.weights = tensor.New(slices.Concat(lead, []int{n, m})...)
	a.y = tensor.New(slices.Concat(lead, []int{n, c})...)
	row := make([]float64, m)
	for i := range q.Matrices() {
		qs, ks, vs, ps, ys := q.MatrixAt(i), k.MatrixAt(i), v.MatrixAt(i), a.weights.MatrixAt(i), a.y.MatrixAt(i)
		allowed := func(r, j int) bool {
			if mask == nil {
				return true
			}
			if len(mask.Attend) == n*m {
				return mask.Attend[r*m+j]
			}
			return mask.Attend[(i*n+r)*m+j]
		}
		for r := range n {
			largest := math.Inf(-1)
			for j := range m {
				row[j] = math.Inf(-1)
				if allowed(r, j) {
					row[j] = 0
					for x := range width {
						row[j] += float64(qs.At(r, x)) * float64(ks.At(j, x))
					}
					row[j] /= math.Sqrt(float64(width))
				}
				largest = max(largest, row[j])
			}
			if math.IsInf(largest, -1) {
				continue // weights and y are 0
			}
			sum := 0.0
			for j := range row {
				row[j] = math.Exp(row[j] - largest)
				sum += row[j]
			}
			for j := range row {
				row[j] /= sum
				ps.Set(float32(row[j]), r, j)
			}
			for x := range c {
				total := 0.0
				for j := range row {
					total += row[j] * float64(vs.At(j, x))
				}
				ys.Set(float32(total), r, x)
			}
		}
	}
	return a.y
}

// mask-made-every-time: no mask is kept from one Forward to the next
//
// Why: the same mask.
func (*MultiHead) Forward() {
	if right {
		if m.mask == nil || m.mask.N != seq {
			m.mask = Causal(seq)
		}
	} else {
		m.mask = Causal(seq)
	}
}

// weights-are-a-copy: Weights returns a copy
//
// Why: a copy is valid at least until the next Forward.
func (a *Attention) Weights() *tensor.Tensor {
	if a.weights == nil {
		return nil
	}
	return a.weights.Clone()
}
