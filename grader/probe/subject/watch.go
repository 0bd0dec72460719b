package subject

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
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

// shape is that of a tensor that a call was given.
type shape struct {
	name   string
	tensor *tensor.Tensor
	was    []int
}

// watch keeps a copy of the arrays that a call is given. One that ends in "_before"
// is what stands where the call writes to.
func (h *Host) watch(in wire.Values) {
	h.watched, h.shapes, h.lent, h.lentRows, h.spoilt, h.unlike = nil, nil, nil, nil, nil, nil
	maps.DeleteFunc(h.returned, func(o output, _ watched) bool { return o.layer == 0 })
	copies := in.Clone()
	for _, name := range in.Names() {
		if strings.HasSuffix(name, "_before") {
			continue
		}
		h.watched = append(h.watched, watched{name, in[name], copies[name]})
	}
}

// output is what a layer has returned.
type output struct {
	layer int // its number; 0 for one that does not stay
	name  string
}

func (o output) compare(p output) int {
	return cmp.Or(cmp.Compare(o.layer, p.layer), strings.Compare(o.name, p.name))
}

// layer is the number of the layer that a call is about, or 0.
func (a Args) layer() int {
	if !a.Has(instance) {
		return 0
	}
	return a.Int(instance)
}

// Watch lets a call fail that changes t, an output that is valid until the layer
// has another one of this name: later calls of the layer, and those of others. It
// returns t.
func (a Args) Watch(name string, t *tensor.Tensor) *tensor.Tensor {
	if t != nil { // a call that was refused returns none, and the last one stays
		a.host.returned[output{a.layer(), name}] = watched{name, wire.Tensor(t), wire.Tensor(t.Clone())}
	}
	return t
}

// changed is the reply to a call of a layer that changed what it must not, or nil.
// A shape comes first: whoever takes it for what it was cannot make sense of the rest.
func (h *Host) changed(layer int) *wire.Message {
	for _, s := range h.shapes {
		if !slices.Equal(s.tensor.Shape, s.was) {
			return &wire.Message{Status: wire.Changed, What: s.name, Detail: wire.OfShape,
				Message: tensor.ShapeString(s.was) + " → " + tensor.ShapeString(s.tensor.Shape)}
		}
	}
	for _, w := range h.watched {
		if i := w.first(); i >= 0 {
			return &wire.Message{Status: wire.Changed, What: w.name, Message: indexString(i, w.was.Shape)}
		}
	}
	for _, l := range h.lent {
		if m := l.reply(); m != nil {
			return m
		}
	}
	for _, l := range h.lentRows {
		if m := l.reply(); m != nil {
			return m
		}
	}
	if h.spoilt != nil {
		return h.spoilt
	}
	return h.earlier(layer, wire.OfEarlier)
}

// earlier is the reply to a call of a layer after which something is not as it was
// that an earlier call has returned, or nil. Of what the layer itself has returned it
// says how. What else this call has changed is no later call's doing.
func (h *Host) earlier(layer int, how string) (m *wire.Message) {
	for _, key := range slices.SortedFunc(maps.Keys(h.returned), output.compare) {
		w := h.returned[key]
		i := w.first()
		if i < 0 {
			continue
		}
		delete(h.returned, key)
		if m != nil {
			continue
		}
		m = &wire.Message{Status: wire.Changed, What: w.name, Message: indexString(i, w.was.Shape), Detail: how}
		if key.layer != layer {
			m.Detail = wire.OfAnother
		}
	}
	return m
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

func zip[E any](a, b []E) [][2]E {
	pairs := make([][2]E, len(a))
	for i := range a {
		pairs[i] = [2]E{a[i], b[i]}
	}
	return pairs
}

// indexString is the place of the i-th element of an array: "[0, 2, 1]".
func indexString(i int, shape []int) string {
	at := make([]string, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = strconv.Itoa(i % shape[d])
		i /= shape[d]
	}
	return "[" + strings.Join(at, ", ") + "]"
}

// lent are numbers that a call was given, with the memory behind them.
type lent struct {
	name  string
	n     int        // how many they are
	first func() int // of them, or behind them, that is not what it was; −1 for none
}

// spare is how much memory lies behind the numbers of a call. A caller's slice
// often ends before its array does: a prompt is the beginning of a text.
const spare = 8

// lend hands out the numbers of an argument.
func lend[E int | byte](a Args, name string, data []int64) []E {
	all := make([]E, len(data)+spare)
	for i, n := range data {
		all[i] = E(n)
	}
	was := slices.Clone(all)
	first := func() int {
		return slices.IndexFunc(zip(was, all), func(p [2]E) bool { return p[0] != p[1] })
	}
	a.host.lent = append(a.host.lent, lent{name, len(data), first})
	return all[:len(data)]
}

// lendRows hands out the rows of an argument, with memory behind each of them and
// behind the last.
func (a Args) lendRows(name string, v wire.Value) [][]int {
	n, length := v.Shape[0], v.Shape[1]
	all := make([][]int, n+spare)
	for r := range n {
		all[r] = lend[int](a, fmt.Sprintf("%s[%d]", name, r), v.I64[r*length:(r+1)*length])
	}
	a.host.lentRows = append(a.host.lentRows, lentRows{name, all, n})
	return all[:n]
}

// lentRows are the rows that a call was given, with the memory behind them.
type lentRows struct {
	name string
	all  [][]int
	n    int // how many there are
}

// reply is what a call that wrote behind the rows is told, or nil.
func (l lentRows) reply() *wire.Message {
	if i := slices.IndexFunc(l.all[l.n:], func(row []int) bool { return row != nil }); i >= 0 {
		return &wire.Message{Status: wire.Changed, What: "the caller's memory behind " + l.name, Message: fmt.Sprintf("row %d", l.n+i)}
	}
	return nil
}

// reply is what a call that changed the numbers is told, or nil.
func (l lent) reply() *wire.Message {
	i := l.first()
	switch {
	case i < 0:
		return nil
	case i < l.n:
		return &wire.Message{Status: wire.Changed, What: l.name, Message: fmt.Sprintf("element %d", i)}
	}
	return &wire.Message{Status: wire.Changed, What: "the caller's memory behind " + l.name, Message: fmt.Sprintf("element %d", i)}
}

// Overwrite changes the ids of a call of a layer that stays, as a caller may to whom
// they belong again.
func (a Args) Overwrite(ids [][]int) {
	if !a.Has(instance) {
		return
	}
	// What has not changed so far, the caller may change from here on.
	a.host.lent = slices.DeleteFunc(a.host.lent, func(l lent) bool { return l.reply() == nil })
	for _, row := range ids {
		for i := range row {
			row[i] = -1
		}
	}
}
