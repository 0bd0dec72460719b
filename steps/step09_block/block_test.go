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
		b := build(in)
		if !in.Has("x") { // a block that New has to refuse
			return nil, nil
		}
		var z *tensor.Tensor
		in.Twice(func() { z = in.Watch("z", b.Forward(in.Tensor("x"), in.IDs("positions"))) })
		return wire.Values{"z": wire.Tensor(z)}, nil
	},
	"block.backward": func(in subject.Args) (wire.Values, error) {
		b := build(in)
		var dx *tensor.Tensor
		in.Twice(func() {
			if in.Has("x") { // Backward without a Forward before it is refused
				in.Watch("z", b.Forward(in.Tensor("x"), in.IDs("positions")))
			}
			dx = in.Watch("dx", b.Backward(in.Tensor("dz")))
		}, b.Params()...)
		out := wire.Values{"dx": wire.Tensor(dx)}
		// the order of Params
		for i, name := range []string{"dln1", "dwq", "dwk", "dwv", "dwo", "dln2", "dw1", "dw2", "dw3"} {
			out[name] = wire.Tensor(b.Params()[i].Grad)
		}
		return out, nil
	},
}

// build returns the block that the arguments describe, with its parameters
// from param.
func build(in subject.Args) *Block {
	return subject.Kept(in, func() *Block {
		output, heads := in.Param("wo"), in.Int("num_heads")
		r := rope.New(in.Float("theta"), output.Value.Dim(0)/heads, in.Int("max_seq_len"))
		qkv := stack(in.Param("wq"), in.Param("wk"), in.Param("wv"))
		ffn := swiglu.New(in.Param("w1"), in.Param("w2"), in.Param("w3"))
		return New(in.Param("ln1"), attention.NewMultiHead(qkv, output, heads, r), in.Param("ln2"), ffn)
	}, (*Block).Params, []string{"ln1", "wq", "wk", "wv", "wo", "ln2", "w1", "w2", "w3"})
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
