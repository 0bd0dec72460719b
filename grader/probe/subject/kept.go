package subject

import (
	"maps"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// instance is the argument that says which layer a call is about.
const instance = "instance"

// remembered is how many layers stay, many more than a check has. Those that were not
// asked for longest are forgotten, with what they returned: a program that is graded
// with a thousand seeds would otherwise look, after each call, at all it ever returned.
const remembered = 64

// keep lets a layer stay that is asked now.
func (h *Host) keep(number int, layer any) {
	h.kept[number] = layer
	h.numbers = append(slices.DeleteFunc(h.numbers, func(n int) bool { return n == number }), number)
	if len(h.numbers) <= remembered {
		return
	}
	oldest := h.numbers[0]
	h.numbers = h.numbers[1:]
	delete(h.kept, oldest)
	delete(h.asked, oldest)
	h.forget(oldest)
	maps.DeleteFunc(h.returned, func(o output, _ watched) bool { return o.layer == oldest })
}

// Kept returns the layer of a call. A call with the argument "instance" is about a
// layer that stays: the first call with a number makes it, and later ones get the
// same, whose parameters then hold what the call gives: params returns them, in
// the order of their names, which may be nil. Any other call gets a new layer.
func Kept[L any](in Args, make func() L, params func(L) []*tensor.Param, names []string) L {
	if !in.Has(instance) {
		return make()
	}
	number := in.Int(instance)
	l, ok := in.host.kept[number].(L)
	if !ok {
		l = make()
	}
	in.host.keep(number, l)
	if !ok {
		return l
	}
	for i, p := range params(l) {
		given := in.Param(names[i])
		if !p.Value.SameShape(given.Value) {
			refuse("%q of layer %d is %v, and was %v", names[i], number, given.Value.Shape, p.Value.Shape)
		}
		copy(p.Value.Data, given.Value.Data)
		copy(p.Grad.Data, given.Grad.Data)
	}
	in.host.spoilt = in.host.earlier(number, wire.OfWeights)
	return l
}

// renewed is in how many calls of a layer that stays its parameters get other tensors once.
const renewed = 5

// Anew puts other tensors into parameters, as their owner may between two calls, and
// returns them. It does so in every fifth call of a layer that stays: whoever keeps a
// tensor of a parameter is found out by these calls, and whoever knows one again by
// the others.
func (a Args) Anew(params ...*tensor.Param) []*tensor.Param {
	a.host.asked[a.layer()]++
	if a.host.asked[a.layer()]%renewed != 0 {
		return params
	}
	for _, p := range params {
		p.Value, p.Grad = p.Value.Clone(), p.Grad.Clone()
	}
	return params
}

// NoParams is for a layer that has no parameters, and so nil for names.
func NoParams[L any](L) []*tensor.Param { return nil }

// Twice runs a new layer two times, as training does, so that nothing that the
// first run leaves behind goes unseen; a layer that stays, or whose goroutines are to meet
// in its first run, once. In between it
// gives the gradients of params back what they held before. The outputs that the two
// runs have otherwise are marked. Where costs are measured, each of its runs is a call,
// and the gradients add up.
func (a Args) Twice(run func(), params ...*tensor.Param) {
	if a.Has(instance) || a.Has(atOnce) {
		run()
		return
	}
	if a.Has(measured) {
		a.Calls(run)
		return
	}
	held := make([][]float32, len(params))
	for i, p := range params {
		held[i] = slices.Clone(p.Grad.Data)
	}
	run()
	first := maps.Clone(a.host.returned)
	for i, p := range params {
		copy(p.Grad.Data, held[i])
	}
	run()
	for o, second := range a.host.returned {
		if one, ok := first[o]; ok && o.layer == 0 && !alike(one.was, second.was) {
			a.host.unlike = append(a.host.unlike, o.name)
		}
	}
}

// alike reports whether two arrays are the same, apart from rounding.
func alike(a, b wire.Value) bool {
	if !slices.Equal(a.Shape, b.Shape) {
		return false
	}
	size := float32(0)
	for _, x := range a.F32 {
		size = max(size, x, -x)
	}
	for i, x := range a.F32 {
		if d := x - b.F32[i]; d > size/1000 || -d > size/1000 {
			return false
		}
	}
	return true
}
