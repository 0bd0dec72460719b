// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package windows_test

import (
	"slices"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step08_attention"
	. "github.com/stubformer/stubformer/steps/step21_windows"
)

func TestStep21(t *testing.T) { subject.Test(t, "step21", functions) }

var functions = subject.Functions{
	"window.forward":    windowForward,
	"window.backward":   windowBackward,
	"window.long":       func(in subject.Args) (wire.Values, error) { return long(in, window(in)) },
	"ring.slot":         slot,
	"stream.forward":    func(in subject.Args) (wire.Values, error) { return read(in, nil) },
	"stream.once":       func(in subject.Args) (wire.Values, error) { return read(in, in.Tensor("later")) },
	"stream.bytes":      bytesOf,
	"phi.forward":       phi,
	"phi.backward":      phiBackward,
	"linattn.forward":   linearForward,
	"linattn.backward":  linearBackward,
	"linattn.long":      func(in subject.Args) (wire.Values, error) { return long(in, linear(in)) },
	"linattn.quadratic": quadratic,
	"linattn.recurrent": recurrent,
}

// layer is attention with both passes.
type layer interface {
	Forward(q, k, v *tensor.Tensor, mask *attention.Mask) *tensor.Tensor
	Backward(dy *tensor.Tensor) (dq, dk, dv *tensor.Tensor)
}

func windowForward(in subject.Args) (wire.Values, error) {
	a := window(in)
	var y *tensor.Tensor
	in.Twice(func() {
		q, k, v := operands(in)
		y = in.Watch("y", a.Forward(q, k, v, maskOf(in)))
	})
	return wire.Values{"y": wire.Tensor(y), "weights": wire.Tensor(a.Weights())}, nil
}

func windowBackward(in subject.Args) (wire.Values, error) {
	a := window(in)
	return back(in, a, func() { shape(in, a) }, func() {
		if in.Has("w_after") { // Forward has read it
			a.W, a.Sinks = in.Int("w_after"), in.Int("w_after")
		}
	})
}

func linearForward(in subject.Args) (wire.Values, error) {
	l := linear(in)
	var y *tensor.Tensor
	in.Twice(func() {
		q, k, v := operands(in)
		y = in.Watch("y", l.Forward(q, k, v, maskOf(in)))
	})
	return wire.Values{"y": wire.Tensor(y), "weights": wire.Tensor(l.Weights())}, nil
}

func linearBackward(in subject.Args) (wire.Values, error) {
	l := linear(in)
	return back(in, l, func() { cut(in, l) }, func() {
		if in.Has("chunk_after") {
			l.Chunk = in.Int("chunk_after")
		}
	})
}

// back goes through both passes; before runs before them, and between between them.
func back(in subject.Args, a layer, before, between func()) (wire.Values, error) {
	var dq, dk, dv *tensor.Tensor
	in.Twice(func() {
		before()
		if in.Has("q") { // Backward without a Forward before it is refused
			q, k, v := operands(in)
			in.Watch("y", a.Forward(q, k, v, maskOf(in)))
		}
		between()
		dq, dk, dv = a.Backward(in.Tensor("dy"))
		in.Watch("dq", dq)
		in.Watch("dk", dk)
		in.Watch("dv", dv)
	})
	return wire.Values{"dq": wire.Tensor(dq), "dk": wire.Tensor(dk), "dv": wire.Tensor(dv)}, nil
}

// long goes through both passes of one layer, without a mask.
func long(in subject.Args, a layer) (wire.Values, error) {
	q, k, v, dy := in.Tensor("q"), in.Tensor("k"), in.Tensor("v"), in.Tensor("dy")
	var y, dq, dk, dv *tensor.Tensor
	in.Twice(func() {
		y = in.Watch("y", a.Forward(q, k, v, nil))
		dq, dk, dv = a.Backward(dy)
	})
	return wire.Values{"y": wire.Tensor(y), "dq": wire.Tensor(dq), "dk": wire.Tensor(dk), "dv": wire.Tensor(dv)}, nil
}

func slot(in subject.Args) (wire.Values, error) {
	at := in.Ints("at")
	slots := make([]int64, len(at))
	for i, p := range at {
		slots[i] = int64(Slot(p, in.Int("window"), in.Int("sinks")))
	}
	return wire.Values{"slots": wire.Ints(slots, len(slots))}, nil
}

func phi(in subject.Args) (wire.Values, error) {
	x := in.Tensor("x")
	y := destination(in, x)
	Phi(y.Data, x.Data)
	return wire.Values{"y": wire.Tensor(y)}, nil
}

// phiBackward gives the derivative the memory of dy every other time.
func phiBackward(in subject.Args) (wire.Values, error) {
	x, dy := in.Tensor("x"), in.Tensor("dy")
	dx := destination(in, x)
	if !in.Has("dst") && x.Len()%2 == 1 {
		dx = dy.Clone()
		dy = dx
	}
	PhiBackward(dx.Data, x.Data, dy.Data)
	return wire.Values{"dx": wire.Tensor(dx)}, nil
}

// destination returns a tensor of the shape of x, or of a length that has to be refused,
// with other numbers in it.
func destination(in subject.Args, x *tensor.Tensor) *tensor.Tensor {
	n := x.Len()
	if in.Has("dst") {
		n = in.Int("dst")
	}
	dst := tensor.New(n)
	dst.Fill(0.5) // what is not overwritten is seen
	return dst
}

func quadratic(in subject.Args) (wire.Values, error) {
	q, k, v := in.Tensor("q"), in.Tensor("k"), in.Tensor("v")
	y := in.New("y", func() *tensor.Tensor { return Quadratic(q, k, v) })
	return wire.Values{"y": wire.Tensor(y)}, nil
}

// recurrent reads token by token, in turn with another text.
func recurrent(in subject.Args) (wire.Values, error) {
	q, k, v := in.Tensor("q"), in.Tensor("k"), in.Tensor("v")
	width, c := k.Dim(1), v.Dim(1)
	if in.Has("state_width") {
		width = in.Int("state_width")
	}
	s, other := NewState(width, c), NewState(width, c)
	y, unused := tensor.New(q.Dim(0), c), make([]float32, c)
	y.Fill(0.5)
	for t := range q.Dim(0) {
		s.Read(y.Row(t), q.Row(t), k.Row(t), v.Row(t))
		other.Read(unused, k.Row(t), q.Row(t), v.Row(t))
	}
	return wire.Values{"y": wire.Tensor(y), "s": wire.Tensor(s.S), "z": wire.Tensor(s.Z)}, nil
}

func window(in subject.Args) *Window {
	a := subject.Kept(in, func() *Window { return new(Window) }, subject.NoParams, nil)
	shape(in, a)
	return a
}

// shape gives a layer the window of the call.
func shape(in subject.Args, a *Window) {
	if in.Has("window") {
		a.W, a.Sinks = in.Int("window"), in.Int("sinks")
	}
}

func linear(in subject.Args) *Linear {
	l := subject.Kept(in, func() *Linear { return new(Linear) }, subject.NoParams, nil)
	cut(in, l)
	return l
}

// cut gives a layer the chunks of the call.
func cut(in subject.Args, l *Linear) {
	if in.Has("chunk") {
		l.Chunk = in.Int("chunk")
	}
}

// operands returns q, k and v: one tensor where they are the same numbers, as a caller has
// who lets a text attend to itself.
func operands(in subject.Args) (q, k, v *tensor.Tensor) {
	q, k, v = in.Tensor("q"), in.Tensor("k"), in.Tensor("v")
	if q.SameShape(k) && slices.Equal(q.Data, k.Data) {
		k = q
	}
	if k.SameShape(v) && slices.Equal(k.Data, v.Data) {
		v = k
	}
	return q, k, v
}

// maskOf returns the argument "mask", (N, M) or (…, N, M). One that hides nothing is given
// in three ways: as none, as one without entries, and as it is.
func maskOf(in subject.Args) *attention.Mask {
	if !in.Has("mask") {
		return nil
	}
	attend, shape := in.Bools("mask")
	n, m := shape[len(shape)-2], shape[len(shape)-1]
	if n == in.Tensor("q").Dim(-2) && !slices.Contains(attend, false) {
		switch {
		case n%3 == 0:
			return nil
		case n%3 == 1 && n == m:
			return Causal(n)
		}
	}
	return &attention.Mask{N: n, M: m, Attend: attend}
}
