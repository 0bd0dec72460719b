package oracle

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// InputError says that an argument of a wire function is not what it must be.
type InputError struct {
	Function string // "linear.forward"
	Argument string // "x", or one entry of it: "ids[1][4]"
	Got      string
	Want     string
}

func (e InputError) Error() string {
	return fmt.Sprintf("oracle: %s: argument %s: got %s, want %s", e.Function, e.Argument, e.Got, e.Want)
}

// argument says what one argument of a wire function must be.
//
// A shape is written as names of dimensions, "… in". A name stands for the same
// size wherever it occurs in the arguments of a function, … for the same leading
// dimensions, a number for itself; "B T | 1 T" allows either shape; "" is a scalar.
type argument struct {
	name  string
	dtype wire.DType
	shape string
	lo    int    // the least integer,
	hi    int    // and the greatest,
	below string // or the dimension or integer argument below which integers lie
}

// Bounds of what a call may ask for.
const (
	maxSize     = 1 << 20 // an integer argument
	maxElements = 1 << 24 // the elements of a result whose size the arguments name
)

func array(name, shape string) argument { return argument{name: name, dtype: wire.F32, shape: shape} }
func number(name string) argument       { return argument{name: name, dtype: wire.F64} }
func mask(name, shape string) argument  { return argument{name: name, dtype: wire.Bool, shape: shape} }

// integer is a scalar from lo to maxSize.
func integer(name string, lo int) argument {
	return argument{name: name, dtype: wire.I64, lo: lo, hi: maxSize}
}

// seed is any integer.
func seed(name string) argument {
	return argument{name: name, dtype: wire.I64, lo: math.MinInt, hi: math.MaxInt}
}

// indices are integers from 0 up to the dimension or integer argument below.
func indices(name, shape, below string) argument {
	return argument{name: name, dtype: wire.I64, shape: shape, below: below}
}

// sizes holds what the names of dimensions and the integer arguments stand for.
type sizes map[string]int

// check reports the first way in which v is not what a asks for, and records
// the sizes that v settles.
func (a argument) check(function string, v wire.Value, known sizes) error {
	bad := func(got string) error {
		return InputError{Function: function, Argument: a.name, Got: got, Want: a.want(known)}
	}
	if elements, ok := storage(v); !ok {
		return bad(fmt.Sprintf("%s with %d elements", v, elements))
	}
	if v.DType != a.dtype && !(a.dtype == wire.F32 && v.DType == wire.F64) {
		return bad(describe(v))
	}
	if !known.match(a.shape, v.Shape) {
		return bad(describe(v))
	}
	if a.dtype != wire.I64 {
		return nil
	}
	hi := a.hi
	if a.below != "" {
		hi = known[a.below] - 1
	}
	for i, n := range v.I64 {
		if n < int64(a.lo) || n > int64(hi) {
			return InputError{Function: function, Argument: a.name + position(i, v.Shape),
				Got: strconv.FormatInt(n, 10), Want: fmt.Sprintf("an integer from %d to %d", a.lo, hi)}
		}
	}
	if len(v.Shape) == 0 {
		known[a.name] = int(v.I64[0])
	}
	return nil
}

// want describes the wanted type, with the sizes that are already settled:
// "f32 (2, 3, in=4)".
func (a argument) want(known sizes) string {
	var forms []string
	for form := range strings.SplitSeq(a.shape, "|") {
		var dims []string
		for _, name := range known.expand(strings.Fields(form), -1) {
			size, ok := known[name]
			switch {
			case !ok:
				dims = append(dims, name)
			case strings.HasPrefix(name, ellipsis):
				dims = append(dims, strconv.Itoa(size))
			default:
				dims = append(dims, fmt.Sprintf("%s=%d", name, size))
			}
		}
		forms = append(forms, "("+strings.Join(dims, ", ")+")")
	}
	return fmt.Sprintf("%s %s", a.dtype, strings.Join(forms, " or "))
}

const ellipsis = "…"

// match tells whether shape fits the pattern, and if so records its sizes.
func (s sizes) match(pattern string, shape []int) bool {
	for form := range strings.SplitSeq(pattern, "|") {
		trial := maps.Clone(s)
		if trial.matchForm(strings.Fields(form), shape) {
			maps.Copy(s, trial)
			return true
		}
	}
	return false
}

func (s sizes) matchForm(names []string, shape []int) bool {
	if slices.Contains(names, ellipsis) {
		lead := len(shape) - (len(names) - 1)
		if known, ok := s[ellipsis]; lead < 0 || ok && known != lead {
			return false
		}
		s[ellipsis] = lead
		names = s.expand(names, lead)
	}
	if len(names) != len(shape) {
		return false
	}
	for i, name := range names {
		size, known := s[name]
		n, err := strconv.Atoi(name)
		switch {
		case err == nil && n != shape[i], known && size != shape[i]:
			return false
		case err != nil:
			s[name] = shape[i]
		}
	}
	return true
}

// expand replaces … by a name for each of its lead dimensions; a negative lead
// stands for the number that is known, and leaves … alone if none is.
func (s sizes) expand(names []string, lead int) []string {
	at := slices.Index(names, ellipsis)
	if known, ok := s[ellipsis]; lead < 0 && ok {
		lead = known
	}
	if at < 0 || lead < 0 {
		return names
	}
	var each []string
	for i := range lead {
		each = append(each, ellipsis+strconv.Itoa(i))
	}
	return slices.Concat(names[:at], each, names[at+1:])
}

// storage returns the number of elements that v holds, and whether it agrees
// with its shape.
func storage(v wire.Value) (elements int, ok bool) {
	switch v.DType {
	case wire.F32:
		elements = len(v.F32)
	case wire.F64:
		elements = len(v.F64)
	case wire.I64:
		elements = len(v.I64)
	case wire.Bool:
		elements = len(v.Bool)
	case wire.Text:
		elements = len(v.Text)
	}
	for _, d := range v.Shape {
		if d < 0 {
			return elements, false
		}
	}
	return elements, v.Len() == elements
}

// describe says what v is: its type and shape, and the value of a scalar.
func describe(v wire.Value) string {
	switch {
	case len(v.Shape) > 0:
		return v.String()
	case v.DType == wire.F64:
		return fmt.Sprintf("%s %v", v.DType, v.F64[0])
	case v.DType == wire.I64:
		return fmt.Sprintf("%s %d", v.DType, v.I64[0])
	}
	return fmt.Sprintf("%s %s", v.DType, tensor.ShapeString(v.Shape))
}

// position writes the place of element i in a row-major array: "[1][4]".
func position(i int, shape []int) string {
	text := ""
	for _, d := range slices.Backward(shape) {
		text = fmt.Sprintf("[%d]%s", i%d, text)
		i /= d
	}
	return text
}
