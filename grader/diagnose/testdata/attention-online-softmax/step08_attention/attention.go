package attention

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

type Attention struct{ q, k, v, p, scores *tensor.Tensor }

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
	a.scores = tensor.New(append(slices.Clone(lead), n, m)...)
	a.p = tensor.New(a.scores.Shape...)
	y := tensor.New(append(slices.Clone(lead), n, v.Dim(-1))...)
	for l := range batch {
		for i := range n {
			scores, top, sum := make([]float64, m), math.Inf(-1), 0.0
			out := make([]float64, v.Dim(-1))
			for j := range m {
				s := dot(q.Row(l*n+i), k.Row(l*m+j)) / math.Sqrt(float64(width))
				if !mask.see(l, i, j) {
					s = math.Inf(-1)
				}
				scores[j], a.scores.Row(l*n + i)[j] = s, float32(s)
				if math.IsInf(s, -1) {
					continue
				}
				if s > top { // what was summed so far was too large by e^(s − top)
					shrink := math.Exp(top - s)
					sum *= shrink
					for c := range out {
						out[c] *= shrink
					}
					top = s
				}
				w := math.Exp(s - top)
				sum += w
				for c, x := range v.Row(l*m + j) {
					out[c] += w * float64(x)
				}
			}
			if sum == 0 {
				continue
			}
			for c := range out {
				y.Row(l*n + i)[c] = float32(out[c] / sum)
			}
			for j, s := range scores {
				a.p.Row(l*n + i)[j] = float32(math.Exp(s-top) / sum)
			}
		}
	}
	return y
}

func (a *Attention) Weights() *tensor.Tensor { return a.scores }

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
