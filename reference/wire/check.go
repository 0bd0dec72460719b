package wire

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Names returns the names of the values, sorted.
func (v Values) Names() []string {
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Clone returns a copy with memory of its own.
func (v Values) Clone() Values {
	if v == nil {
		return nil
	}
	out := make(Values, len(v))
	for name, x := range v {
		x.Shape, x.F32, x.F64 = slices.Clone(x.Shape), slices.Clone(x.F32), slices.Clone(x.F64)
		x.I64, x.Bool = slices.Clone(x.I64), slices.Clone(x.Bool)
		out[name] = x
	}
	return out
}

// Check reports whether the values can be written: that names are text, that
// types are known, and that shapes and data agree. Its error is a *FormatError
// about the first value, by name, that is not so.
func (v Values) Check() error {
	for _, name := range v.Names() {
		if !utf8.ValidString(name) {
			return malformed("the name %q of an array is not UTF-8", name)
		}
		x := v[name]
		if x.DType == "" {
			return malformed("array %q is missing: it is nil", name)
		}
		if _, err := arrayOf(name, x).size(math.MaxInt64); err != nil {
			return malformed("%v", err)
		}
		n := map[DType]int{F32: len(x.F32), F64: len(x.F64), I64: len(x.I64), Bool: len(x.Bool), Text: len(x.Text)}[x.DType]
		if n != x.Len() {
			return malformed("array %q has shape %s, which is %d elements, but holds %d", name, tensor.ShapeString(x.Shape), x.Len(), n)
		}
		if !utf8.ValidString(x.Text) {
			return malformed("text %q is not UTF-8", name)
		}
	}
	return nil
}
