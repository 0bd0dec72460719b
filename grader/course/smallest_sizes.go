package course

import (
	"maps"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/reference/wire"
)

// fewer cuts sizes: to one, two or three entries at an end, and then leaves out what it can.
// A number that says how many there are may have to come along.
func (s *search) fewer() {
	for _, letter := range s.letters() {
		for _, n := range []int{1, 2, 3} {
			if size := s.sizes()[letter]; n < size && (s.keep(letter, run(0, n)) || s.keep(letter, run(size-n, size))) {
				break
			}
		}
		s.without(letter)
	}
	s.try(s.bare())
	for _, name := range s.args(wire.I64, true) {
		for _, n := range []int64{0, 1, 2, 3} {
			if n < s.in[name].I64[0] && s.counted(name, int(n)) {
				break
			}
		}
	}
}

// without leaves out entries of a dimension: halves, quarters, and at last single ones.
func (s *search) without(letter string) {
	for piece := s.sizes()[letter] / 2; piece > 0 && s.sizes()[letter] > 1; piece /= 2 {
		for at := 0; at < s.sizes()[letter]; {
			size := s.sizes()[letter]
			rest := slices.Concat(run(0, at), run(min(at+piece, size), size))
			if len(rest) == 0 || !s.keep(letter, rest) {
				at += piece
			}
		}
	}
}

// run are the numbers from one up to another.
func run(from, to int) (numbers []int) {
	for i := from; i < to; i++ {
		numbers = append(numbers, i)
	}
	return numbers
}

// keep tries a call with some entries of a dimension. Where another size is a multiple of its
// size, as heads times their width, the rows of the entries may have to come along.
func (s *search) keep(letter string, entries []int) bool {
	old := s.sizes()[letter]
	alone := map[string][]int{letter: entries}
	together := maps.Clone(alone)
	for other, size := range s.sizes() {
		if other == letter || size%old != 0 {
			continue
		}
		for _, e := range entries {
			together[other] = append(together[other], run(e*(size/old), (e+1)*(size/old))...)
		}
	}
	return s.try(s.resized(s.in, alone)) || len(together) > 1 && s.try(s.resized(s.in, together))
}

// counted tries a call with n in the place of a number, and of the sizes that are that number.
func (s *search) counted(name string, n int) bool {
	old, alike := int(s.in[name].I64[0]), map[string][]int{}
	for letter, size := range s.sizes() {
		if size == old && n > 0 {
			alike[letter] = run(0, n)
		}
	}
	fewer := With(s.in, name, wire.Int(n))
	return s.try(fewer) || len(alike) > 0 && s.try(s.resized(fewer, alike))
}

// sizes are those of the letters, with those of leading dimensions.
func (s *search) sizes() fixtures.Sizes {
	sizes, _ := s.declared.Sizes(s.in) // it was tried before
	named := fixtures.Sizes{}
	for name, size := range sizes {
		if !strings.HasPrefix(name, "…") || strings.HasSuffix(name, "]") {
			named[name] = size
		}
	}
	return named
}

// letters are the names of the sizes that can be cut, the largest first.
func (s *search) letters() []string {
	sizes := s.sizes()
	return slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		if d := sizes[b] - sizes[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}

// args are the arguments of a type, scalars or arrays, in the order of the contract.
func (s *search) args(dtype wire.DType, scalar bool) (names []string) {
	for _, a := range s.declared.In {
		if v, ok := s.in[a.Name]; ok && v.DType == dtype && (len(v.Shape) == 0) == scalar {
			names = append(names, a.Name)
		}
	}
	return names
}

// resized keeps some entries of dimensions, in every array that has them.
func (s *search) resized(in wire.Values, entries map[string][]int) wire.Values {
	sizes, _ := s.declared.Sizes(s.in)
	cut := maps.Clone(in)
	for _, a := range s.declared.In {
		v, ok := in[a.Name]
		if !ok || len(v.Shape) == 0 || v.DType == wire.Text {
			continue
		}
		shape := slices.Clone(v.Shape)
		t := in["trans_"+a.Name]
		transposed := len(t.I64) == 1 && t.I64[0] == 1
		if transposed {
			slices.Reverse(shape)
		}
		axes := sizes.Axes(a.Shape, shape)
		if transposed {
			slices.Reverse(axes)
		}
		for i, letter := range axes {
			if keep, ok := entries[letter]; ok {
				v = some(v, i, keep)
			}
		}
		cut[a.Name] = v
	}
	return cut
}

// bare is the call without leading dimensions, where each of them is 1.
func (s *search) bare() wire.Values {
	sizes, _ := s.declared.Sizes(s.in)
	bare := maps.Clone(s.in)
	for _, a := range s.declared.In {
		v := s.in[a.Name]
		axes := sizes.Axes(a.Shape, v.Shape)
		var shape []int
		for i, letter := range axes {
			if !strings.HasPrefix(letter, "…") || v.Shape[i] != 1 {
				shape = append(shape, v.Shape[i])
			}
		}
		if axes != nil {
			v.Shape = shape
			bare[a.Name] = v
		}
	}
	return bare
}

// some keeps some entries of an axis.
func some(v wire.Value, axis int, entries []int) wire.Value {
	out := wire.Value{DType: v.DType, Shape: slices.Clone(v.Shape)}
	out.Shape[axis] = len(entries)
	inner := 1
	for _, d := range v.Shape[axis+1:] {
		inner *= d
	}
	for block := 0; block < v.Len(); block += v.Shape[axis] * inner {
		for _, e := range entries {
			switch from, to := block+e*inner, block+(e+1)*inner; v.DType {
			case wire.F32:
				out.F32 = append(out.F32, v.F32[from:to]...)
			case wire.F64:
				out.F64 = append(out.F64, v.F64[from:to]...)
			case wire.I64:
				out.I64 = append(out.I64, v.I64[from:to]...)
			case wire.Bool:
				out.Bool = append(out.Bool, v.Bool[from:to]...)
			}
		}
	}
	return out
}
