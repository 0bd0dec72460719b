// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package moe_test

import (
	"slices"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	. "github.com/stubformer/stubformer/steps/step18_moe"
)

func TestStep18(t *testing.T) { subject.Test(t, "step18", functions) }

var functions = subject.Functions{
	"moe.topk":       topk,
	"gates.forward":  gatesForward,
	"gates.backward": gatesBackward,
	"moe.forward":    forward,
	"moe.backward":   backward,
	"moe.losses":     losses,
	"moe.trained":    backward,
	"moe.calls":      calls,
}

func topk(in subject.Args) (wire.Values, error) {
	logits, k := in.Tensor("logits"), in.Int("k")
	all := make([]int64, 0, logits.Rows()*k)
	for t := range logits.Rows() {
		for _, e := range choose(logits.Row(t), k) {
			all = append(all, int64(e))
		}
	}
	return wire.Values{"chosen": wire.Ints(all, logits.Rows(), k)}, nil
}

// choose returns the places of the k largest logits. There are others in its memory
// before.
func choose(logits []float32, k int) []int {
	chosen := make([]int, k)
	for n := range chosen {
		chosen[n] = n
	}
	TopK(chosen, logits)
	return chosen
}

// gatesForward returns the gates of the k largest logits, in their order.
func gatesForward(in subject.Args) (wire.Values, error) {
	logits, k := in.Tensor("logits"), in.Int("k")
	gates := tensor.New(logits.Rows(), other(in, "room", k))
	gates.Fill(0.5) // what is not overwritten is seen
	for t := range logits.Rows() {
		chosen := choose(logits.Row(t), k)
		if in.Has("chosen") {
			chosen = make([]int, in.Int("chosen"))
		}
		Gates(gates.Row(t), logits.Row(t), chosen)
	}
	return wire.Values{"gates": wire.Tensor(gates)}, nil
}

func gatesBackward(in subject.Args) (wire.Values, error) {
	logits, dgates, k := in.Tensor("logits"), in.Tensor("dgates"), in.Int("k")
	dlogits, gates := tensor.New(logits.Rows(), other(in, "room", logits.Dim(-1))), make([]float32, k)
	dlogits.Fill(0.5)
	for t := range logits.Rows() {
		chosen := choose(logits.Row(t), k)
		Gates(gates, logits.Row(t), chosen)
		if in.Has("chosen") {
			chosen = make([]int, in.Int("chosen"))
			gates = make([]float32, len(chosen))
		}
		given := gates[:other(in, "gates", len(gates))]
		GatesBackward(dlogits.Row(t), dgates.Row(t), given, logits.Row(t), chosen)
	}
	return wire.Values{"dlogits": wire.Tensor(dlogits)}, nil
}

// other returns an argument that has to be refused, or the right number where there is none.
func other(in subject.Args, name string, right int) int {
	if in.Has(name) {
		return in.Int(name)
	}
	return right
}

func forward(in subject.Args) (wire.Values, error) {
	l := layer(in)
	l.Real = nil
	if in.Has("real") { // it is too long, and has to be refused
		l.Real, _ = in.Bools("real")
	}
	var y *tensor.Tensor
	in.Twice(func() { y = in.Watch("y", l.Forward(in.Tensor("x"))) })
	return wire.Values{"y": wire.Tensor(y)}, nil
}

func backward(in subject.Args) (wire.Values, error) {
	l := layer(in)
	l.Balance, l.Z = 0, 0
	var isReal []bool
	if in.Has("alpha") {
		l.Balance, l.Z = in.Float("alpha"), in.Float("beta")
		isReal, _ = in.Bools("real")
	}
	var dx *tensor.Tensor
	in.Twice(func() {
		l.Real = slices.Clone(isReal)
		if in.Has("x") { // Backward without a Forward before it is refused
			in.Watch("y", l.Forward(in.Tensor("x")))
		}
		for t := range l.Real { // Forward has read it, and the next batch has others
			l.Real[t] = !l.Real[t]
		}
		dx = in.Watch("dx", l.Backward(in.Tensor("dy")))
	}, l.params...)
	out := wire.Values{"dx": wire.Tensor(dx)}
	for i, name := range weights {
		out["d"+name] = wire.Tensor(l.params[i].Grad)
	}
	return out, nil
}

// losses returns the losses of several layers, and their loads. Their experts are one
// number wide.
func losses(in subject.Args) (wire.Values, error) {
	x, router := in.Tensor("x"), in.Tensor("router")
	n, experts, d := router.Dim(0), router.Dim(1), router.Dim(2)
	isReal, _ := in.Bools("real")
	var layers []*Mixture
	load := tensor.New(n, experts)
	for l := range n {
		var all []*swiglu.SwiGLU
		for range experts {
			all = append(all, swiglu.New(tensor.NewParam("w1", tensor.New(1, d)),
				tensor.NewParam("w2", tensor.New(d, 1)), tensor.NewParam("w3", tensor.New(1, d))))
		}
		m := New(tensor.NewParam("router", router.Slice(l, l+1).Reshape(experts, d)), all, in.Int("k"))
		m.Forward(x.Slice(n-1-l, n-l).Reshape(x.Dim(1), d)) // what was counted before is forgotten
		m.Real = isReal
		m.Forward(x.Slice(l, l+1).Reshape(x.Dim(1), d))
		for e, f := range m.Load() {
			load.Row(l)[e] = float32(f)
		}
		layers = append(layers, m)
	}
	balance, z := Sum(layers)
	return wire.Values{"balance": wire.Float(balance), "z": wire.Float(z), "load": wire.Tensor(load)}, nil
}

// calls returns with how many tokens every expert was called last. An expert takes a
// gradient of the shape that it was given, and of no other.
func calls(in subject.Args) (wire.Values, error) {
	l, x := layer(in), in.Tensor("x")
	l.Forward(x)
	rows := make([]int64, len(l.Experts))
	for _, e := range l.Chosen() {
		rows[e]++
	}
	for e, n := range rows {
		given := func(shape ...int) bool { return takes(func() { l.Experts[e].Backward(tensor.New(shape...)) }) }
		d := x.Dim(-1)
		called := given(int(n), d) || given(1, int(n), d) || n == 1 && given(d)
		if called != (n > 0) {
			rows[e] = -1
		}
	}
	if !largestFirst(l, x) {
		return nil, subject.Broken("Chosen does not return the experts of a token in the order of their logits, " +
			"the largest first")
	}
	return wire.Values{"rows": wire.Ints(rows, len(rows))}, nil
}

// largestFirst reports whether the logits of each token's experts do not grow, but for what
// another order of summing changes.
func largestFirst(l *stacked, x *tensor.Tensor) bool {
	chosen, logits := slices.Clone(l.Chosen()), l.Router.Forward(x)
	for t := range logits.Rows() {
		own, row := chosen[t*l.K:(t+1)*l.K], logits.Row(t)
		if !slices.IsSortedFunc(own, func(a, b int) int {
			if row[a] > row[b]+1e-4 {
				return -1
			}
			return 0
		}) {
			return false
		}
	}
	return true
}

// takes reports whether a call does not panic with a ShapeError.
func takes(call func()) (does bool) {
	defer func() {
		p := recover()
		if _, refused := p.(tensor.ShapeError); p != nil && !refused {
			panic(p)
		}
		does = p == nil
	}()
	call()
	return true
}

// stacked is a mixture whose experts' weights lie one under the other.
type stacked struct {
	*Mixture
	params []*tensor.Param
}

var weights = []string{"router", "w1", "w2", "w3"}

// layer returns the layer that the arguments describe.
func layer(in subject.Args) *stacked {
	return subject.Kept(in, func() *stacked {
		var params []*tensor.Param
		for _, name := range weights {
			params = append(params, in.Param(name))
		}
		experts := params[0].Value.Dim(0)
		if in.Has("experts") {
			experts = in.Int("experts")
		}
		var all []*swiglu.SwiGLU
		for e := range experts {
			own := make([]*tensor.Param, 3)
			for i, p := range params[1:] {
				rows := p.Value.Dim(0) / experts
				own[i] = p.Slice(p.Name, e*rows, (e+1)*rows)
			}
			all = append(all, swiglu.New(own[0], own[1], own[2]))
		}
		m := New(params[0], all, in.Int("k"))
		if len(m.Params()) != 1+3*experts || m.Params()[0] != params[0] {
			panic(subject.Broken("Params does not return the router's weight and three for every expert"))
		}
		return &stacked{m, params}
	}, func(l *stacked) []*tensor.Param { return l.params }, weights)
}
