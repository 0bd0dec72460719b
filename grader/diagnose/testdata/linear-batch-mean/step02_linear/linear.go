package linear

import "github.com/stubformer/stubformer/reference/tensor"

type Linear struct {
	Weight   *tensor.Param
	saved    []float32
	savedDim []int
}

func New(weight *tensor.Param) *Linear { return &Linear{Weight: weight} }

func dot(a, b []float32) (s float32) {
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("Linear.Forward", x, tensor.Lead, w.Dim(1))
	l.saved, l.savedDim = x.Data, x.Shape
	var flat []float32
	for r := range x.Rows() {
		for o := range w.Dim(0) {
			flat = append(flat, dot(x.Row(r), w.Row(o)))
		}
	}
	shape := append([]int(nil), x.Shape...)
	shape[len(shape)-1] = w.Dim(0)
	if flat == nil {
		flat = []float32{}
	}
	return tensor.From(flat, shape...)
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	w := l.Weight.Value
	tensor.CheckShape("Linear.Backward", dy, tensor.Lead, w.Dim(0))
	x := tensor.From(l.saved, l.savedDim...)
	dx := tensor.New(x.Shape...)
	grad := make([]float64, len(w.Data))
	for r := range dy.Rows() {
		for o, g := range dy.Row(r) {
			for i := range x.Row(r) {
				dx.Row(r)[i] += g * w.Row(o)[i]
				grad[o*w.Dim(1)+i] += float64(g) * float64(x.Row(r)[i])
			}
		}
	}
	for i, g := range grad {
		l.Weight.Grad.Data[i] += float32(g / float64(x.Shape[0])) // the mean over the batch
	}
	return dx
}

func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }
