package subject

import (
	"math"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// watched is an array that a call must leave as it is.
type watched struct {
	name string
	now  wire.Value
	was  wire.Value
}

// watch keeps a copy of the arrays that a call is given. One that ends in "_before"
// is what stands where the call writes to.
func (h *Host) watch(in wire.Values) {
	h.watched = nil
	copies := in.Clone()
	for _, name := range in.Names() {
		if strings.HasSuffix(name, "_before") {
			continue
		}
		h.watched = append(h.watched, watched{name, in[name], copies[name]})
	}
}

// Watch lets a call fail that changes t before it ends, and returns t: an output
// that is valid until the next call of its function.
func (a Args) Watch(name string, t *tensor.Tensor) *tensor.Tensor {
	if t != nil {
		a.host.watched = append(a.host.watched, watched{name, wire.Tensor(t), wire.Tensor(t.Clone())})
	}
	return t
}

// changed is the reply to a call that changed what it must not, or nil.
func (h *Host) changed() *wire.Message {
	for _, w := range h.watched {
		if i := w.first(); i >= 0 {
			return &wire.Message{Status: wire.Changed, What: w.name, Message: tensor.ShapeString(index(i, w.was.Shape))}
		}
	}
	return nil
}

// first returns the first element that is not, bit for bit, what it was, or -1.
func (w watched) first() int {
	for i, x := range w.was.F32 {
		if math.Float32bits(w.now.F32[i]) != math.Float32bits(x) {
			return i
		}
	}
	for i, x := range w.was.F64 {
		if math.Float64bits(w.now.F64[i]) != math.Float64bits(x) {
			return i
		}
	}
	for i, x := range w.was.I64 {
		if w.now.I64[i] != x {
			return i
		}
	}
	return slices.IndexFunc(zip(w.was.Bool, w.now.Bool), func(p [2]bool) bool { return p[0] != p[1] })
}

func zip(a, b []bool) [][2]bool {
	pairs := make([][2]bool, len(a))
	for i := range a {
		pairs[i] = [2]bool{a[i], b[i]}
	}
	return pairs
}

// index is the place of the i-th element of an array.
func index(i int, shape []int) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = i % shape[d]
		i /= shape[d]
	}
	return at
}

// Overwrite changes ids, as a caller may to whom they belong again.
func Overwrite(ids [][]int) {
	for _, row := range ids {
		for i := range row {
			row[i] = -1
		}
	}
}
