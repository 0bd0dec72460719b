package attention

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

type Attention struct{ q, k, v, p *tensor.Tensor }

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return
}

func addTo(dst []float32, by float64, src []float32) {
	for i := range src {
		dst[i] += float32(by * float64(src[i]))
	}
}

func (a *Attention) Forward(q, k, v *tensor.Tensor, mask *Mask) *tensor.Tensor {
	batch, n, m, width, _ := sizes(q, k, v, mask)
	a.q, a.k, a.v = q, k, v
	lead := q.Shape[:len(q.Shape)-2]
	a.p = tensor.New(append(slices.Clone(lead), n, m)...)
	y := tensor.New(append(slices.Clone(lead), n, v.Dim(-1))...)
	for l := range batch {
		for i := range n {
			scores, top := make([]float64, m), math.Inf(-1)
			for j := range m {
				scores[j] = dot(q.Row(l*n+i), k.Row(l*m+j)) / math.Sqrt(float64(width))
				if !mask.see(l, i, j) {
					scores[j] = math.Inf(-1)
				}
				top = math.Max(top, scores[j])
			}
			if math.IsInf(top, -1) {
				continue
			}
			sum := 0.0
			for j := range scores {
				scores[j] = math.Exp(scores[j] - top)
				sum += scores[j]
			}
			for j := range scores {
				a.p.Row(l*n + i)[j] = float32(scores[j] / sum)
				addTo(y.Row(l*n+i), scores[j]/sum, v.Row(l*m+j))
			}
		}
	}
	return y
}

func (a *Attention) Weights() *tensor.Tensor { return a.p }

func (a *Attention) Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor) {
	n, m, root := a.q.Dim(-2), a.k.Dim(-2), math.Sqrt(float64(a.q.Dim(-1)))
	dq, dk, dv = tensor.New(a.q.Shape...), tensor.New(a.k.Shape...), tensor.New(a.v.Shape...)
	for row := range dy.Rows() {
		l := row / n
		p, dp, mean := a.p.Row(row), make([]float64, m), 0.0
		for j := range m {
			dp[j] = dot(dy.Row(row), a.v.Row(l*m+j))
			mean += dp[j] * float64(p[j])
			addTo(dv.Row(l*m+j), float64(p[j]), dy.Row(row))
		}
		for j := range m {
			ds := float64(p[j]) * (dp[j] - mean) / root
			addTo(dq.Row(row), ds, a.k.Row(l*m+j))
			addTo(dk.Row(l*m+j), ds, a.q.Row(row))
		}
	}
	return
}
