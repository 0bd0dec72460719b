//go:build unlisted

package rmsnorm

// all-in-float64: every row in float64 with closures, fresh tensors at every call
//
// Why: the formulas of the lesson, more exactly; r is the unrounded one of the kept x.
func (l *RMSNorm) Backward(dy *tensor.Tensor) *tensor.Tensor {
	g := l.Gain.Value.Data
	tensor.CheckShape("RMSNorm.Backward: x of Forward", l.x, tensor.Lead, len(g))
	tensor.CheckShape("RMSNorm.Backward: dy", dy, l.x.Shape...)
	l.dx = tensor.New(l.x.Shape...)
	d := float64(len(g))
	dg := make([]float64, len(g))
	for n := range l.x.Rows() {
		x, dyn := l.x.Row(n), dy.Row(n)
		sum := 0.0
		for _, v := range x {
			sum += float64(v) * float64(v)
		}
		r := 1 / math.Sqrt(sum/d+Eps)
		h := func(i int) float64 { return float64(x[i]) * r }
		dh := func(i int) float64 { return float64(dyn[i]) * float64(g[i]) }
		mean := 0.0
		for i := range x {
			mean += dh(i) * h(i) / d
			dg[i] += float64(dyn[i]) * h(i)
		}
		for i := range x {
			l.dx.Row(n)[i] = float32(r * (dh(i) - h(i)*mean))
		}
	}
	for i, v := range dg {
		l.Gain.Grad.Data[i] += float32(v)
	}
	return l.dx
}
