package subject

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// Args are the arguments of a call. If there is no argument of the name and
// type that a method wants, the call ends with the status bad_request.
type Args struct {
	values wire.Values
	host   *Host
}

// badRequest is what the methods of Args panic with.
type badRequest struct{ problem string }

func (b badRequest) Error() string { return b.problem }

func refuse(format string, a ...any) {
	panic(badRequest{"the grader's request does not fit the binding: " + fmt.Sprintf(format, a...)})
}

// Names returns the names of all arguments, sorted.
func (a Args) Names() []string { return a.values.Names() }

// Has reports whether there is an argument of a name.
func (a Args) Has(name string) bool { _, ok := a.values[name]; return ok }

// Tensor returns a float32 argument.
func (a Args) Tensor(name string) *tensor.Tensor {
	v := a.get(name, wire.F32)
	t := a.inputOf(name, v)
	if t == nil {
		t = tensor.From(v.F32, v.Shape...)
	}
	a.host.shapes = append(a.host.shapes, shape{strings.TrimSuffix(name, "_before"), t, slices.Clone(v.Shape)})
	return t
}

// Param returns a float32 argument as a parameter. Its gradient is the argument
// "d" + name + "_before", or zeros if there is none.
func (a Args) Param(name string) *tensor.Param {
	a.host.parameters[name] = true
	p := tensor.NewParam(name, a.Tensor(name))
	if gradient := "d" + name + "_before"; a.Has(gradient) {
		p.Grad = a.Tensor(gradient)
		if !p.Value.SameShape(p.Grad) {
			refuse("%q is %s, but %q is %s", name, a.values[name], gradient, a.values[gradient])
		}
	}
	return p
}

// Int returns an integer scalar.
func (a Args) Int(name string) int { return int(a.scalar(name, wire.I64).I64[0]) }

// Float returns a float64 scalar.
func (a Args) Float(name string) float64 { return a.scalar(name, wire.F64).F64[0] }

// Float64s returns a float64 array, flattened.
func (a Args) Float64s(name string) []float64 { return a.get(name, wire.F64).F64 }

// Text returns a text.
func (a Args) Text(name string) string { return a.get(name, wire.Text).Text }

// Ints returns an integer array of one dimension. It belongs to the caller, with the
// memory behind it that append would take.
func (a Args) Ints(name string) []int {
	v := a.get(name, wire.I64)
	if len(v.Shape) != 1 {
		refuse("%q is %s; want one dimension", name, v)
	}
	return lend[int](a, name, v.I64)
}

// Bytes returns an integer array of one dimension as bytes, as Ints does.
func (a Args) Bytes(name string) []byte {
	v := a.get(name, wire.I64)
	if len(v.Shape) != 1 {
		refuse("%q is %s; want one dimension", name, v)
	}
	return lend[byte](a, name, v.I64)
}

// IDs returns an integer array of two dimensions, row by row, as Ints does.
func (a Args) IDs(name string) [][]int {
	v := a.get(name, wire.I64)
	if len(v.Shape) != 2 {
		refuse("%q is %s; want two dimensions", name, v)
	}
	return a.lendRows(name, v)
}

// Batches returns an integer array of three dimensions: for each index of the
// first, what IDs returns.
func (a Args) Batches(name string) [][][]int {
	v := a.get(name, wire.I64)
	if len(v.Shape) != 3 {
		refuse("%q is %s; want three dimensions", name, v)
	}
	batches, size := make([][][]int, v.Shape[0]), v.Shape[1]*v.Shape[2]
	for i := range batches {
		batches[i] = rows(ints(v.I64[i*size:(i+1)*size]), v.Shape[1], v.Shape[2])
	}
	return batches
}

// rows cuts flat into rows of the given length.
func rows(flat []int, n, length int) [][]int {
	out := make([][]int, n)
	for r := range out {
		out[r] = flat[r*length : (r+1)*length]
	}
	return out
}

func ints(data []int64) []int {
	out := make([]int, len(data))
	for i, n := range data {
		out[i] = int(n)
	}
	return out
}

// Bools returns a boolean array, flattened, and its shape.
func (a Args) Bools(name string) ([]bool, []int) {
	v := a.get(name, wire.Bool)
	return v.Bool, v.Shape
}

func (a Args) scalar(name string, dtype wire.DType) wire.Value {
	v := a.get(name, dtype)
	if len(v.Shape) != 0 {
		refuse("%q is %s; want a scalar", name, v)
	}
	return v
}

func (a Args) get(name string, dtype wire.DType) wire.Value {
	v, ok := a.values[name]
	switch {
	case !ok:
		refuse("there is no argument %q", name)
	case v.DType != dtype:
		refuse("%q is %s; want %s", name, v.DType, dtype)
	}
	return v
}
