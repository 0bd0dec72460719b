//go:build unlisted

package attention

import "sync"

// matrices-in-goroutines: Forward computes every leading index in a goroutine of its own, in float64, the mask as it goes
//
// Why: the matrices are independent and write different memory; the sums are the same but for rounding.
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
	factor := 1 / math.Sqrt(float64(width))
	var wait sync.WaitGroup
	for l := range q.Matrices() {
		wait.Add(1)
		go func() {
			defer wait.Done()
			q, k, v, p, y := q.MatrixAt(l), k.MatrixAt(l), v.MatrixAt(l), a.weights.MatrixAt(l), a.y.MatrixAt(l)
			for i := range n {
				for j := range m {
					if mask != nil && !mask.Attend[(l*n*m+i*m+j)%len(mask.Attend)] {
						p.Set(float32(math.Inf(-1)), i, j)
						continue
					}
					sum := 0.0
					for d := range width {
						sum += float64(q.At(i, d)) * float64(k.At(j, d))
					}
					p.Set(float32(sum*factor), i, j)
				}
			}
			if n*m > 0 {
				row := tensor.From(p.Data, n, m)
				softmax.Softmax(row, row, 1)
			}
			for i := range n {
				for x := range c {
					sum := 0.0
					for j := range m {
						sum += float64(p.At(i, j)) * float64(v.At(j, x))
					}
					y.Set(float32(sum), i, x)
				}
			}
		}()
	}
	wait.Wait()
	return a.y
}

// split-by-index: split walks over the elements one by one in fresh memory
//
// Why: element [b, t, h, i] goes to [b, h, t, i].
func (m *MultiHead) split(dst, src *tensor.Tensor, first int) *tensor.Tensor {
	batch, seq, width := src.Dim(0), src.Dim(1), 2*m.rope.Cos.Dim(1)
	dst = tensor.New(batch, m.heads, seq, width)
	for b := range batch {
		for t := range seq {
			for c := range m.heads * width {
				dst.Set(src.At(b, t, first+c), b, c/width, t, c%width)
			}
		}
	}
	return dst
}
