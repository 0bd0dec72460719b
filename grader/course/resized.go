package course

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/reference/wire"
)

// sizes are what a layer is asked with, one after another: small, large and small
// again; one size twice in a row; without leading dimensions; as many numbers in
// another shape; four leading dimensions; one of everything.
var sizes = []struct {
	lead []int
	dims map[string]int
}{
	{[]int{2, 3}, map[string]int{"B": 2, "T": 3, "N": 3, "M": 4}},
	{[]int{3, 2, 4}, map[string]int{"B": 4, "T": 5, "N": 6, "M": 7}},
	{[]int{2, 3}, map[string]int{"B": 2, "T": 3, "N": 3, "M": 4}},
	{[]int{2, 3}, map[string]int{"B": 2, "T": 3, "N": 3, "M": 4}},
	{nil, map[string]int{"B": 1, "T": 1, "N": 1, "M": 1}},
	{[]int{3, 2}, map[string]int{"B": 3, "T": 2, "N": 4, "M": 3}},
	{[]int{1, 2, 1, 3}, map[string]int{"B": 1, "T": 4, "N": 2, "M": 6}},
	{[]int{1, 1}, map[string]int{"B": 6, "T": 1, "N": 5, "M": 1}},
}

// fits reports whether the longest sequence that is asked for fits a drawn case.
func (e *Exam) fits(in wire.Values) bool {
	longest := 0
	for _, s := range sizes {
		longest = max(longest, s.dims["T"])
	}
	for _, name := range []string{"max_seq_len", "context_length"} {
		if v, ok := in[name]; ok && int(v.I64[0]) < longest {
			return false
		}
	}
	return true
}

// changeable reports whether an array of the declared shape may have another size in
// the next call: weights may not.
func changeable(letters string) bool {
	return strings.Contains(letters, "…") || slices.ContainsFunc(strings.Fields(letters), func(d string) bool { return sizes[0].dims[d] > 0 })
}

// redrawn gives other numbers to the arrays whose declared shapes are wanted.
func (e *Exam) redrawn(rng *rand.Rand, function string, in wire.Values, wanted func(letters string) bool) wire.Values {
	for _, a := range e.Step.Function(function).In {
		if v, ok := in[a.Name]; ok && len(v.Shape) > 0 && wanted(a.Shape) {
			in = With(in, a.Name, drawnFrom(rng, v, v.Shape))
		}
	}
	return in
}

// another is a well-conditioned call of the layer that was made with first, of
// another size and with other numbers, and the right answer.
func (l Layer) another(e *Exam, first wire.Values, size int) (in, want wire.Values, err error) {
	return l.drawn(e, func(rng *rand.Rand) wire.Values { return e.resized(rng, l.whole(), first, size, l.Least) })
}

// drawn is Exam.Drawn for the whole layer, whose Forward is asked for its own answer too:
// where the gradients do not cancel, what Forward returns may.
func (l Layer) drawn(e *Exam, draw func(*rand.Rand) wire.Values) (in, want wire.Values, err error) {
	for range redraws {
		in, want, err = e.Drawn(Drawing{Function: l.whole(), Draw: draw})
		if err != nil || l.Backward == "" {
			return in, want, err
		}
		forward := e.only(l.Forward, in)
		answer, err := e.Solve(l.Forward)(forward)
		if err != nil {
			return nil, nil, err
		}
		well, err := e.settled(Drawing{Function: l.Forward}).wellConditioned(forward, answer, nil)
		if well || err != nil {
			return in, want, err
		}
	}
	return nil, nil, fmt.Errorf("%s: none of %d cases that were drawn is well-conditioned in %s", e.Check, redraws, l.Forward)
}

// resized draws other numbers for all arrays of a call, from those that are there,
// and other sizes, of at least that many, for the dimensions that may change from call to call.
func (e *Exam) resized(rng *rand.Rand, function string, first wire.Values, size, least int) wire.Values {
	in := wire.Values{}
	for _, name := range SortedNames(first) { // what is not declared, such as a state dictionary
		in[name] = first[name]
		if v := first[name]; v.DType == wire.F32 {
			in[name] = drawnFrom(rng, v, v.Shape)
		}
	}
	for _, a := range e.Step.Function(function).In {
		v, ok := first[a.Name]
		if !ok {
			continue
		}
		if len(v.Shape) > 0 {
			v = drawnFrom(rng, v, newShape(v.Shape, a.Shape, size, least))
		}
		in[a.Name] = v
	}
	return in
}

// newShape gives the dimensions that may change their sizes. The letters are those
// of a contract, of which the first alternative counts: "B T | 1 T".
func newShape(old []int, letters string, size, least int) []int {
	letters, _, _ = strings.Cut(letters, "|")
	before, behind, leading := strings.Cut(letters, "…")
	var shape []int
	add := func(part string, old []int) {
		for i, letter := range strings.Fields(part) {
			n, ok := sizes[size].dims[letter]
			if !ok {
				shape = append(shape, old[i])
				continue
			}
			shape = append(shape, max(n, least))
		}
	}
	add(before, old)
	if leading {
		shape = append(shape, sizes[size].lead...)
		add(behind, old[len(old)-len(strings.Fields(behind)):])
	}
	return shape
}

// drawnFrom is an array of a shape whose numbers are those of v, in any order and
// as often as it happens.
func drawnFrom(rng *rand.Rand, v wire.Value, shape []int) wire.Value {
	n := 1
	for _, d := range shape {
		n *= d
	}
	out := wire.Value{DType: v.DType, Shape: shape}
	for range n {
		i := rng.IntN(v.Len())
		switch v.DType {
		case wire.F32:
			out.F32 = append(out.F32, v.F32[i])
		case wire.I64:
			out.I64 = append(out.I64, v.I64[i])
		case wire.Bool:
			out.Bool = append(out.Bool, v.Bool[i])
		}
	}
	return out
}

// Wider makes an input wider by one than the layer takes.
func Wider(name string) func(wire.Values) wire.Values {
	return func(in wire.Values) wire.Values {
		shape := slices.Clone(in[name].Shape)
		shape[len(shape)-1]++
		return With(in, name, drawnFrom(rand.New(rand.NewPCG(1, 1)), in[name], shape))
	}
}

// Longer gives an input one more row.
func Longer(name string) func(wire.Values) wire.Values {
	return func(in wire.Values) wire.Values {
		shape := slices.Clone(in[name].Shape)
		shape[0]++
		return With(in, name, drawnFrom(rand.New(rand.NewPCG(1, 1)), in[name], shape))
	}
}

// OutOfRange makes the last id of an input larger than any that there is.
func OutOfRange(name string) func(wire.Values) wire.Values {
	return func(in wire.Values) wire.Values {
		v := in[name]
		v.I64 = slices.Clone(v.I64)
		v.I64[len(v.I64)-1] = 1 << 20
		return With(in, name, v)
	}
}
