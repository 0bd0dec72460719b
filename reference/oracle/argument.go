package oracle

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/stubformer/stubformer/fixtures"
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

// Bounds of what a call may ask for.
const (
	maxSize     = 1 << 20 // an integer argument
	maxElements = 1 << 24 // the elements of a result whose size the arguments name
)

// bounds are those between which the integers of an argument lie.
type bounds struct {
	lo, hi int
	below  string // or, in place of hi, the dimension or integer argument below which they lie
}

// boundsOf returns the bounds of an integer argument, which mean the same in every
// function: a name that is not listed is a size.
func boundsOf(argument string) bounds {
	switch argument {
	case "ids", "other_ids", "more", "targets", "prompt", "merges", "special_ids", "drafted":
		return bounds{below: "V"}
	case "positions":
		return bounds{below: "max_seq_len"}
	case "source":
		return bounds{below: "U"}
	case "target":
		return bounds{below: "V"}
	case "labels":
		return bounds{lo: -1, below: "V"}
	case "d_model", "vocab_size", "context_length", "num_heads", "d_ff":
		return bounds{lo: 1, hi: maxSize}
	case "d_k":
		return bounds{lo: 2, hi: maxSize}
	case "axis":
		return bounds{lo: -maxSize, hi: maxSize}
	case "causal", "relu", "training", "turns":
		return bounds{hi: 1}
	case "q8":
		return bounds{lo: -127, hi: 127}
	case "a8", "b8":
		return bounds{lo: -128, hi: 127}
	case "q4":
		return bounds{hi: 255}
	case "code":
		return bounds{hi: 1<<16 - 1}
	case "bits", "chances":
		return bounds{hi: 1<<53 - 1}
	case "stop":
		return bounds{lo: -1, hi: maxSize}
	case "seed":
		return bounds{lo: math.MinInt, hi: math.MaxInt}
	}
	return bounds{hi: maxSize}
}

// checkForm reports the first way in which an argument's type and shape are not
// what is declared, and records the sizes that it settles.
func (c *call) checkForm(a fixtures.Arg) error {
	v, ok := c.in[a.Name]
	bad := func(got string) error {
		want := fmt.Sprintf("%s %s", a.DType, c.sizes.Describe(a.Shape))
		return InputError{Function: c.function, Argument: a.Name, Got: got, Want: want}
	}
	if !ok {
		return bad("nothing")
	}
	if elements, ok := storage(v); !ok {
		return bad(fmt.Sprintf("%s with %d elements", v, elements))
	}
	if v.DType != a.DType && !(a.DType == wire.F32 && v.DType == wire.F64) {
		return bad(describe(v))
	}
	if !c.sizes.Match(a.Shape, v.Shape) {
		return bad(describe(v))
	}
	if v.DType == wire.I64 && len(v.Shape) == 0 {
		c.sizes[a.Name] = int(v.I64[0])
	}
	return nil
}

// checkBounds reports the first integer of an argument that is out of its bounds.
func (c *call) checkBounds(a fixtures.Arg) error {
	b, v := boundsOf(a.Name), c.in[a.Name]
	if b.below != "" {
		b.hi = c.sizes[b.below] - 1
	}
	for i, n := range v.I64 {
		if n < int64(b.lo) || n > int64(b.hi) {
			return InputError{Function: c.function, Argument: a.Name + position(i, v.Shape),
				Got: strconv.FormatInt(n, 10), Want: fmt.Sprintf("an integer from %d to %d", b.lo, b.hi)}
		}
	}
	return nil
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
