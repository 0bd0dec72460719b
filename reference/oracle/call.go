package oracle

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

// call is one call of a wire function whose arguments have been checked.
type call struct {
	function string
	in       wire.Values
	sizes    fixtures.Sizes // and the integer arguments, by name
	leaves   map[string]*autodiff.Tensor
	rough    *rand.Rand // see autodiff.Tensor.Rough; nil for none
	edit     Edit       // nil for none
}

// open checks that in holds exactly the arguments that a function declares.
func open(f fixtures.Function, in wire.Values) (*call, error) {
	c := &call{function: f.Name, in: in, sizes: fixtures.Sizes{}, leaves: map[string]*autodiff.Tensor{}}
	args := arguments(f, in)
	for _, a := range args {
		if err := c.checkForm(a); err != nil {
			return nil, err
		}
	}
	for _, a := range args { // when all sizes are settled
		if err := c.checkBounds(a); err != nil {
			return nil, err
		}
	}
	var names []string
	for _, a := range args {
		names = append(names, a.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if !slices.Contains(names, name) {
			return nil, InputError{Function: f.Name, Argument: name, Got: in[name].String(),
				Want: "no argument but " + strings.Join(names, ", ")}
		}
	}
	return c, nil
}

// arguments returns what a function takes, with a model's parameters where its
// state dictionary stands.
func arguments(f fixtures.Function, in wire.Values) []fixtures.Arg {
	var args []fixtures.Arg
	for _, a := range f.In {
		if a.Placeholder() {
			args = append(args, parameters(layersOf(in))...)
		} else {
			args = append(args, a)
		}
	}
	return args
}

// refuse returns the error that an argument is not what was wanted.
func (c *call) refuse(argument, want string) error {
	return InputError{Function: c.function, Argument: argument, Got: describe(c.in[argument]), Want: want}
}

// tensor returns a real argument in float64, the same leaf for every call.
func (c *call) tensor(name string) *autodiff.Tensor {
	if t, ok := c.leaves[name]; ok {
		return t
	}
	t := autodiff.New(widen(c.in[name]), c.in[name].Shape...)
	t.Rough(c.rough)
	c.leaves[name] = t.Named(name)
	return t
}

// widen returns the elements of a real value in float64, as a copy.
func widen(v wire.Value) []float64 {
	if v.DType == wire.F64 {
		return slices.Clone(v.F64)
	}
	wide := make([]float64, len(v.F32))
	for i, x := range v.F32 {
		wide[i] = float64(x)
	}
	return wide
}

func (c *call) int(name string) int       { return int(c.in[name].I64[0]) }
func (c *call) float(name string) float64 { return c.in[name].F64[0] }

func (c *call) indices(name string) Indices {
	v := c.in[name]
	data := make([]int, len(v.I64))
	for i, n := range v.I64 {
		data[i] = int(n)
	}
	return Indices{Shape: v.Shape, Data: data}
}

// gradient returns the gradient that Backward left at an argument, added to the
// content of the gradient buffer before if the function has such an argument.
func (c *call) gradient(name, before string) wire.Value {
	leaf := c.tensor(name)
	grad := leaf.Grad
	if grad == nil { // the result does not depend on the argument
		grad = make([]float64, len(leaf.Data))
	}
	if v, ok := c.in[before]; ok {
		for i, b := range widen(v) {
			grad[i] += b
		}
	}
	return wire.Floats(grad, leaf.Shape...)
}

// result returns t as a value.
func result(t *autodiff.Tensor) wire.Value { return wire.Floats(t.Data, t.Shape...) }
