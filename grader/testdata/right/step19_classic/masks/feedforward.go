package classic

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

// FeedForward adds its biases where the Linears have written.
type FeedForward struct {
	W1, W2 *linear.Linear
	B1, B2 *tensor.Param
	Act    Activation

	pre   *tensor.Tensor // belongs to W1
	shape []int
}

// NewFeedForward returns the network.
func NewFeedForward(w1, b1, w2, b2 *tensor.Param, act Activation) *FeedForward {
	tensor.CheckShape("classic.NewFeedForward: w1", w1.Value, tensor.Any, tensor.Any)
	tensor.CheckShape("classic.NewFeedForward: b1", b1.Value, w1.Value.Dim(0))
	tensor.CheckShape("classic.NewFeedForward: w2", w2.Value, w1.Value.Dim(1), w1.Value.Dim(0))
	tensor.CheckShape("classic.NewFeedForward: b2", b2.Value, w1.Value.Dim(1))
	return &FeedForward{W1: linear.New(w1), B1: b1, W2: linear.New(w2), B2: b2, Act: act}
}

// Params returns what is learnt.
func (f *FeedForward) Params() []*tensor.Param {
	return []*tensor.Param{f.W1.Weight, f.B1, f.W2.Weight, f.B2}
}

// Forward works in the memory of the Linears.
func (f *FeedForward) Forward(x *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("FeedForward.Forward: x", x, tensor.Lead, f.W1.Weight.Value.Dim(1))
	f.shape = append([]int{}, x.Shape...)
	f.pre = biased(f.W1.Forward(x), f.B1)
	act := tensor.New(f.pre.Shape...)
	f.Act.Forward(act.Data, f.pre.Data)
	return biased(f.W2.Forward(act), f.B2)
}

func biased(x *tensor.Tensor, b *tensor.Param) *tensor.Tensor {
	for i := range x.Data {
		x.Data[i] += b.Value.Data[i%b.Value.Len()]
	}
	return x
}

// Backward goes back line by line.
func (f *FeedForward) Backward(dy *tensor.Tensor) *tensor.Tensor {
	if f.shape == nil {
		panic(tensor.ShapeError{Op: "FeedForward.Backward without a Forward", Got: dy.Shape})
	}
	tensor.CheckShape("FeedForward.Backward: dy", dy, f.shape...)
	collect(f.B2, dy)
	dAct := f.W2.Backward(dy)
	dPre := tensor.New(dAct.Shape...)
	f.Act.Backward(dPre.Data, f.pre.Data, dAct.Data)
	collect(f.B1, dPre)
	return f.W1.Backward(dPre)
}

func collect(b *tensor.Param, dy *tensor.Tensor) {
	for i := range b.Grad.Data {
		sum := float64(b.Grad.Data[i])
		for n := range dy.Rows() {
			sum += float64(dy.Row(n)[i])
		}
		b.Grad.Data[i] = float32(sum)
	}
}
