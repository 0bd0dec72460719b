// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package block_test

import (
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	. "github.com/stubformer/stubformer/steps/step09_block"
)

func TestStep09(t *testing.T) { subject.Test(t, "step09", functions) }

var functions = subject.Functions{
	"block.forward": func(in subject.Args) (wire.Values, error) {
		b := build(in, in.Param)
		var z *tensor.Tensor
		subject.Twice(func() { z = b.Forward(in.Tensor("x"), in.IDs("positions")) })
		return wire.Values{"z": wire.Tensor(z)}, nil
	},
	"block.backward": func(in subject.Args) (wire.Values, error) {
		b := build(in, func(name string) *tensor.Param { return in.ParamGrad(name, "d"+name+"_before") })
		var dx *tensor.Tensor
		subject.Twice(func() {
			if in.Has("x") { // Backward without a Forward before it is refused
				b.Forward(in.Tensor("x"), in.IDs("positions"))
			}
			dx = b.Backward(in.Tensor("dz"))
		}, b.Params()...)
		out := wire.Values{"dx": wire.Tensor(dx)}
		for i, name := range []string{"dln1", "dwq", "dwk", "dwv", "dwo", "dln2", "dw1", "dw2", "dw3"} { // the order of Params
			out[name] = wire.Tensor(b.Params()[i].Grad)
		}
		return out, nil
	},
}

// build returns the block that the arguments describe, with its parameters
// from param.
func build(in subject.Args, param func(name string) *tensor.Param) *Block {
	output, heads := param("wo"), in.Int("num_heads")
	r := rope.New(in.Float("theta"), output.Value.Dim(0)/heads, in.Int("max_seq_len"))
	qkv := stack(param("wq"), param("wk"), param("wv"))
	ffn := swiglu.New(param("w1"), param("w2"), param("w3"))
	return New(param("ln1"), attention.NewMultiHead(qkv, output, heads, r), param("ln2"), ffn)
}

// stack returns three (D, D) parameters as one (3D, D), each under the one before.
func stack(params ...*tensor.Param) *tensor.Param {
	var value, grad []float32
	for _, p := range params {
		value, grad = append(value, p.Value.Data...), append(grad, p.Grad.Data...)
	}
	d := params[0].Value.Dim(-1)
	return &tensor.Param{Name: "qkv", Value: tensor.From(value, 3*d, d), Grad: tensor.From(grad, 3*d, d)}
}
