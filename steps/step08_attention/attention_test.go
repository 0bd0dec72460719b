// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package attention_test

import (
	"slices"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step06_rope"
	. "github.com/stubformer/stubformer/steps/step08_attention"
)

func TestStep08(t *testing.T) { subject.Test(t, "step08", functions) }

var functions = subject.Functions{
	"attention.forward": func(in subject.Args) (wire.Values, error) {
		a := attend(in)
		var y *tensor.Tensor
		in.Twice(func() { y = in.Watch("y", a.Forward(in.Tensor("q"), in.Tensor("k"), in.Tensor("v"), maskOf(in))) })
		return wire.Values{"y": wire.Tensor(y), "weights": wire.Tensor(a.Weights())}, nil
	},
	"attention.backward": func(in subject.Args) (wire.Values, error) {
		a := attend(in)
		var dq, dk, dv *tensor.Tensor
		in.Twice(func() {
			if in.Has("q") { // Backward without a Forward before it is refused
				in.Watch("y", a.Forward(in.Tensor("q"), in.Tensor("k"), in.Tensor("v"), maskOf(in)))
			}
			dq, dk, dv = a.Backward(in.Tensor("dy"))
			in.Watch("dq", dq)
			in.Watch("dk", dk)
			in.Watch("dv", dv)
		})
		return wire.Values{"dq": wire.Tensor(dq), "dk": wire.Tensor(dk), "dv": wire.Tensor(dv),
			"weights": wire.Tensor(a.Weights())}, nil
	},
	"causal_mask": func(in subject.Args) (wire.Values, error) {
		mask := Causal(in.Int("n"))
		in.NewBools("mask", mask.Attend, Causal(in.Int("n")).Attend)
		return wire.Values{"mask": wire.Bools(mask.Attend, mask.N, mask.M)}, nil
	},
	"multihead.forward": func(in subject.Args) (wire.Values, error) {
		m := multiHead(in)
		if !in.Has("x") { // a layer that New has to refuse
			return nil, nil
		}
		var y *tensor.Tensor
		in.Twice(func() { y = in.Watch("y", m.Forward(in.Tensor("x"), in.Rows("positions"))) })
		return wire.Values{"y": wire.Tensor(y)}, nil
	},
	"multihead.backward": func(in subject.Args) (wire.Values, error) {
		m := multiHead(in)
		var dx *tensor.Tensor
		in.Twice(func() {
			if in.Has("x") {
				in.Watch("y", m.Forward(in.Tensor("x"), in.Rows("positions")))
			}
			dx = in.Watch("dx", m.Backward(in.Tensor("dy")))
		}, m.Params()...)
		out := wire.Values{"dx": wire.Tensor(dx)}
		for i, name := range []string{"dwq", "dwk", "dwv", "dwo"} { // the order of Params
			out[name] = wire.Tensor(m.Params()[i].Grad)
		}
		return out, nil
	},
}

// multiHead returns the layer that the arguments describe.
func multiHead(in subject.Args) *MultiHead {
	return subject.Kept(in, func() *MultiHead {
		qkv, output, heads := stack(in.Param("wq"), in.Param("wk"), in.Param("wv")), in.Param("wo"), in.Int("num_heads")
		r := rope.New(in.Float("theta"), widthOfHead(in, output.Value.Dim(0)), in.Int("max_seq_len"))
		m := NewMultiHead(qkv, output, heads, r)
		if in.Has("x") { // Backward without a Forward before it is refused
			m.Forward(firstToken(in))
		}
		return m
	}, (*MultiHead).Params, []string{"wq", "wk", "wv", "wo"})
}

// widthOfHead is for what RoPE has tables: K = D/H, unless the argument "rope_width" says
// otherwise. Where there are no heads it is some width.
func widthOfHead(in subject.Args, d int) int {
	switch heads := in.Int("num_heads"); {
	case in.Has("rope_width"):
		return in.Int("rope_width")
	case heads > 0:
		return d / heads
	}
	return 2
}

func attend(in subject.Args) *Attention {
	return subject.Kept(in, func() *Attention { return new(Attention) }, subject.NoParams, nil)
}

// firstToken returns the first token of the first sequence and its position, with
// which a new layer is asked first: it serves inputs of all lengths.
func firstToken(in subject.Args) (x *tensor.Tensor, positions [][]int) {
	all, first := in.Tensor("x"), []int{0}
	if rows := in.IDs("positions"); len(rows) > 0 {
		first = rows[0][:1]
	}
	return tensor.From(all.Row(0), 1, 1, all.Dim(-1)), [][]int{first}
}

// stack returns parameters of the same shape as one, each under the one before.
func stack(params ...*tensor.Param) *tensor.Param {
	var value, grad []float32
	for _, p := range params {
		value, grad = append(value, p.Value.Data...), append(grad, p.Grad.Data...)
	}
	shape := slices.Clone(params[0].Value.Shape)
	shape[0] *= len(params)
	return &tensor.Param{Name: "qkv", Value: tensor.From(value, shape...), Grad: tensor.From(grad, shape...)}
}

// maskOf returns the argument "mask", (N, M) or (…, N, M). A layer that
// stays is given no mask at all where it hides nothing.
func maskOf(in subject.Args) *Mask {
	attend, shape := in.Bools("mask")
	if in.Has("instance") && !slices.Contains(attend, false) {
		return nil
	}
	return &Mask{N: shape[len(shape)-2], M: shape[len(shape)-1], Attend: attend}
}
