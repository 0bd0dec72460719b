// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package flash_test

import (
	"slices"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step08_attention"
	. "github.com/stubformer/stubformer/steps/step16_flash"
)

func TestStep16(t *testing.T) { subject.Test(t, "step16", functions) }

var functions = subject.Functions{
	"flash.forward":       func(in subject.Args) (wire.Values, error) { return forward(in, causalOf(in), false) },
	"flash.backward":      func(in subject.Args) (wire.Values, error) { return backward(in, causalOf(in)) },
	"flash.weights":       weights,
	"flash_mask.forward":  func(in subject.Args) (wire.Values, error) { return forward(in, maskOf(in), true) },
	"flash_mask.backward": func(in subject.Args) (wire.Values, error) { return backward(in, maskOf(in)) },
	"flash.long":          long,
}

func forward(in subject.Args, mask *attention.Mask, weights bool) (wire.Values, error) {
	a := attend(in)
	var y *tensor.Tensor
	in.Twice(func() {
		q, k, v := operands(in)
		y = in.Watch("y", a.Forward(q, k, v, mask))
		in.Watch("lse", a.LogSumExp())
	})
	out := wire.Values{"y": wire.Tensor(y), "lse": wire.Tensor(a.LogSumExp())}
	if weights {
		out["weights"] = wire.Tensor(a.Weights())
	}
	return out, nil
}

func weights(in subject.Args) (wire.Values, error) {
	a := attend(in)
	var p *tensor.Tensor
	in.Twice(func() {
		in.Watch("y", a.Forward(in.Tensor("q"), in.Tensor("k"), in.Tensor("v"), causalOf(in)))
		in.Watch("lse", a.LogSumExp())
		p = a.Weights() // until the next Forward, which may use its memory
	})
	return wire.Values{"weights": wire.Tensor(p)}, nil
}

func backward(in subject.Args, mask *attention.Mask) (wire.Values, error) {
	a := attend(in)
	var dq, dk, dv *tensor.Tensor
	in.Twice(func() {
		if in.Has("q") { // Backward without a Forward before it is refused
			q, k, v := operands(in)
			in.Watch("y", a.Forward(q, k, v, mask))
			in.Watch("lse", a.LogSumExp())
		}
		if in.Has("tiles_after") { // Forward has read them
			a.TileN, a.TileM = in.Int("tiles_after"), in.Int("tiles_after")
		}
		dq, dk, dv = a.Backward(in.Tensor("dy"))
		in.Watch("dq", dq)
		in.Watch("dk", dk)
		in.Watch("dv", dv)
	})
	return wire.Values{"dq": wire.Tensor(dq), "dk": wire.Tensor(dk), "dv": wire.Tensor(dv)}, nil
}

// long goes through both passes of one layer.
func long(in subject.Args) (wire.Values, error) {
	a := attend(in)
	q, k, v, dy := in.Tensor("q"), in.Tensor("k"), in.Tensor("v"), in.Tensor("dy")
	var y, dq, dk, dv *tensor.Tensor
	in.Twice(func() {
		y = in.Watch("y", a.Forward(q, k, v, Causal(q.Dim(0))))
		in.Watch("lse", a.LogSumExp())
		dq, dk, dv = a.Backward(dy)
	})
	return wire.Values{"y": wire.Tensor(y), "lse": wire.Tensor(a.LogSumExp()),
		"dq": wire.Tensor(dq), "dk": wire.Tensor(dk), "dv": wire.Tensor(dv)}, nil
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

// attend returns the layer of a call, with the tiles of the call.
func attend(in subject.Args) *Attention {
	a := subject.Kept(in, func() *Attention { return new(Attention) }, subject.NoParams, nil)
	if in.Has("tile_n") {
		a.TileN, a.TileM = in.Int("tile_n"), in.Int("tile_m")
	}
	return a
}

// causalOf returns the causal mask, or none, as the argument "causal" says.
func causalOf(in subject.Args) *attention.Mask {
	if !in.Has("q") || in.Int("causal") == 0 {
		return nil
	}
	n, m := in.Tensor("q"), in.Tensor("k")
	if n.Dim(-2) == m.Dim(-2) {
		return Causal(n.Dim(-2))
	}
	return &attention.Mask{N: n.Dim(-2), M: m.Dim(-2)}
}

// maskOf returns the argument "mask", (N, M) or (…, N, M).
func maskOf(in subject.Args) *attention.Mask {
	attend, shape := in.Bools("mask")
	return &attention.Mask{N: shape[len(shape)-2], M: shape[len(shape)-1], Attend: attend}
}
