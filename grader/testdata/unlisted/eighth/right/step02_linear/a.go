//go:build unlisted

package linear

// sums-in-float64: plain loops with float64 sums and fresh tensors at every call
//
// Why: the same sums, more exactly; y and dx live even longer than promised.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	W := l.Weight.Value
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, W.Dim(1))
	l.x = x
	l.y = tensor.ReuseLead(nil, x.Lead(1), W.Dim(0))
	for n := range x.Rows() {
		for i := range W.Dim(0) {
			sum := 0.0
			for j, v := range x.Row(n) {
				sum += float64(v) * float64(W.At(i, j))
			}
			l.y.Row(n)[i] = float32(sum)
		}
	}
	return l.y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W, dW := l.Weight.Value, l.Weight.Grad
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	l.dx = tensor.New(l.x.Shape...)
	for j := range W.Dim(1) {
		for n := range dy.Rows() {
			sum := 0.0
			for i, d := range dy.Row(n) {
				sum += float64(d) * float64(W.At(i, j))
			}
			l.dx.Row(n)[j] = float32(sum)
		}
		for i := range W.Dim(0) {
			sum := 0.0
			for n := range dy.Rows() {
				sum += float64(dy.Row(n)[i]) * float64(l.x.Row(n)[j])
			}
			dW.Row(i)[j] += float32(sum)
		}
	}
	return l.dx
}

// products-turned-round: every product is computed as its transpose
//
// Why: (A·B)ᵀ = Bᵀ·Aᵀ; the same numbers in another order of summation.
func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	W, dW := l.Weight.Value, l.Weight.Grad
	tensor.CheckShape("Linear.Backward: x of Forward", l.x, tensor.Lead, W.Dim(1))
	tensor.CheckShape("Linear.Backward: dy", dy, l.y.Shape...)
	tensor.MulAdd(dW.Matrix().T(), l.x.Matrix().T(), dy.Matrix())
	l.dx = tensor.New(l.x.Shape...)
	tensor.Mul(l.dx.Matrix().T(), W.Matrix().T(), dy.Matrix().T())
	return l.dx
}
