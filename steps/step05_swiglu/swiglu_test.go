// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package swiglu_test

import (
	"slices"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step05_swiglu"
)

func TestStep05(t *testing.T) { subject.Test(t, "step05", functions) }

var functions = subject.Functions{
	"silu.forward": func(in subject.Args) (wire.Values, error) {
		x := in.Tensor("x")
		y := destination(in, x)
		SiLU(y.Data, x.Data)
		return wire.Values{"y": wire.Tensor(y)}, nil
	},
	"silu.backward": func(in subject.Args) (wire.Values, error) {
		x, dy := in.Tensor("x"), in.Tensor("dy")
		dx := destination(in, x)
		SiLUBackward(dx.Data, x.Data, dy.Data)
		return wire.Values{"dx": wire.Tensor(dx)}, nil
	},
	"dff": func(in subject.Args) (wire.Values, error) {
		return wire.Values{"d_ff": wire.Int(DFF(in.Int("d_model")))}, nil
	},
	"swiglu.forward": func(in subject.Args) (wire.Values, error) {
		ffn := layer(in)
		var y *tensor.Tensor
		in.Twice(func() { y = in.Watch("y", ffn.Forward(in.Tensor("x"))) })
		return wire.Values{"y": wire.Tensor(y)}, nil
	},
	"swiglu.backward": func(in subject.Args) (wire.Values, error) {
		ffn := layer(in)
		w := weights(ffn)
		var dx *tensor.Tensor
		in.Twice(func() {
			if in.Has("x") { // Backward without a Forward before it is refused
				in.Watch("y", ffn.Forward(in.Tensor("x")))
			}
			dx = in.Watch("dx", ffn.Backward(in.Tensor("dy")))
		}, w...)
		return wire.Values{"dx": wire.Tensor(dx),
			"dw1": wire.Tensor(w[0].Grad), "dw2": wire.Tensor(w[1].Grad), "dw3": wire.Tensor(w[2].Grad)}, nil
	},
}

func layer(in subject.Args) *SwiGLU {
	return subject.Kept(in, func() *SwiGLU { return New(in.Param("w1"), in.Param("w2"), in.Param("w3")) }, weights,
		[]string{"w1", "w2", "w3"})
}

// weights are w1, w2 and w3, which is the order of Params.
func weights(ffn *SwiGLU) []*tensor.Param {
	all := []*tensor.Param{ffn.W1.Weight, ffn.W2.Weight, ffn.W3.Weight}
	same := func(p, q *tensor.Param) bool { return p.Value == q.Value && p.Grad == q.Grad }
	if !slices.EqualFunc(ffn.Params(), all, same) {
		panic(subject.Broken("Params does not return the weights of W1, W2 and W3, in this order"))
	}
	return all
}

// destination is what SiLU writes to: as long as x, or of the length "dst".
func destination(in subject.Args, x *tensor.Tensor) *tensor.Tensor {
	if in.Has("dst") {
		return tensor.New(in.Int("dst"))
	}
	dst := tensor.New(x.Shape...)
	dst.Fill(0.5) // what is not overwritten, or added to, is seen
	return dst
}
