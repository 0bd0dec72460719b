// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package gqa_test

import (
	"slices"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step06_rope"
	. "github.com/stubformer/stubformer/steps/step13_gqa"
)

func TestStep13(t *testing.T) { subject.Test(t, "step13", functions) }

var functions = subject.Functions{
	"gqa.repeat": func(in subject.Args) (wire.Values, error) {
		y := in.Into("y", func(dst *tensor.Tensor) *tensor.Tensor {
			return Repeat(dst, in.Tensor("kv"), in.Int("num_heads"))
		})
		return wire.Values{"y": wire.Tensor(y)}, nil
	},
	"gqa.sum": func(in subject.Args) (wire.Values, error) {
		y := in.Into("dkv", func(dst *tensor.Tensor) *tensor.Tensor {
			return SumGroups(dst, in.Tensor("d"), in.Int("num_kv_heads"))
		})
		return wire.Values{"dkv": wire.Tensor(y)}, nil
	},
	"gqa.forward": func(in subject.Args) (wire.Values, error) {
		m := layer(in)
		var y *tensor.Tensor
		in.Twice(func() { y = in.Watch("y", m.Forward(in.Tensor("x"), in.Rows("positions"))) })
		return wire.Values{"y": wire.Tensor(y)}, nil
	},
	"gqa.backward": func(in subject.Args) (wire.Values, error) {
		m := layer(in)
		var dx *tensor.Tensor
		in.Twice(func() {
			if in.Has("x") { // Backward without a Forward before it is refused
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
	"gqa.extend": extend,
}

// extend reads a text in several calls. The argument past, if there is one, is how
// many tokens the first call is told to be behind, and keys and values are what it is
// given to write to: they have to be refused. So has a call with refused tokens, which
// comes before the second one and must not change anything. With restored, keys and values
// hold another text between two calls, and then their own again.
func extend(in subject.Args) (wire.Values, error) {
	m, x, past, read := layer(in), in.Tensor("x"), 0, 0
	width := in.Tensor("wo").Dim(0) / in.Int("num_heads")
	keys := tensor.New(in.Tensor("wk").Dim(0)/width, in.Int("max_len"), width)
	values := tensor.New(keys.Shape...)
	for name, half := range map[string]**tensor.Tensor{"keys": &keys, "values": &values} {
		if in.Has(name) {
			*half = in.Tensor(name).Clone() // to be written to
		}
	}
	if in.Has("past") {
		past = in.Int("past")
	}
	y := tensor.New(x.Shape...)
	for c, n := range in.Ints("calls") {
		if c == 1 && in.Has("refused") && !refused(func() {
			m.Extend(tensor.New(in.Int("refused"), m.Output.Weight.Value.Dim(0)), read, keys, values)
		}) {
			return nil, subject.Broken("a call that had to be refused was not")
		}
		if in.Has("restored") && read > 0 {
			restored(keys, values, func() { m.Extend(backwards(x.Slice(0, read)), 0, keys, values) })
		}
		var got *tensor.Tensor
		in.Cost(func() { got = m.Extend(x.Slice(read, read+n), past+read, keys, values) })
		in.Watch("y", got)
		tensor.CheckShape("result of MultiHead.Extend", got, n, x.Dim(1))
		copy(y.Slice(read, read+n).Data, got.Data)
		read += n
	}
	return wire.Values{"y": wire.Tensor(y), "keys": wire.Tensor(keys), "values": wire.Tensor(values)}, nil
}

// restored lets a call write to tensors, and gives them their numbers back.
func restored(a, b *tensor.Tensor, call func()) {
	wasA, wasB := a.Clone(), b.Clone()
	call()
	copy(a.Data, wasA.Data)
	copy(b.Data, wasB.Data)
}

// backwards returns a copy of rows of numbers, the last number first.
func backwards(x *tensor.Tensor) *tensor.Tensor {
	x = x.Clone()
	slices.Reverse(x.Data)
	return x
}

// refused reports whether a call panics with an IndexError.
func refused(call func()) (is bool) {
	defer func() {
		p := recover()
		if _, is = p.(tensor.IndexError); p != nil && !is {
			panic(p)
		}
	}()
	call()
	return false
}

// layer returns the layer that the arguments describe.
func layer(in subject.Args) *MultiHead {
	return subject.Kept(in, func() *MultiHead {
		qkv, output, heads := stack(in.Param("wq"), in.Param("wk"), in.Param("wv")), in.Param("wo"), in.Int("num_heads")
		r := rope.New(in.Float("theta"), output.Value.Dim(0)/heads, in.Int("max_seq_len"))
		m := NewMultiHead(qkv, output, heads, r)
		if in.Has("x") && in.Has("positions") { // Backward without a Forward before it is refused
			m.Forward(firstToken(in))
		}
		return m
	}, (*MultiHead).Params, []string{"wq", "wk", "wv", "wo"})
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

// stack returns parameters of the same width as one, each under the one before.
func stack(params ...*tensor.Param) *tensor.Param {
	var value, grad []float32
	rows := 0
	for _, p := range params {
		value, grad = append(value, p.Value.Data...), append(grad, p.Grad.Data...)
		rows += p.Value.Dim(0)
	}
	shape := slices.Clone(params[0].Value.Shape)
	shape[0] = rows
	return &tensor.Param{Name: "qkv", Value: tensor.From(value, shape...), Grad: tensor.From(grad, shape...)}
}
