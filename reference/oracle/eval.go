package oracle

import (
	"fmt"
	"math/rand/v2"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/reference/wire"
)

// Eval answers a deterministic function of the wire, such as "linear.forward"
// or "block.backward", in float64. Arguments of type f32 are widened (f64 is
// taken too); results that a subject returns as f32 are f64 values; integers
// stay i64 and masks bool.
//
// An unknown function, and arguments that are missing, superfluous, of the
// wrong type or shape, or out of range, are errors; the latter are InputErrors.
func Eval(function string, in wire.Values) (wire.Values, error) {
	return eval(function, in, func(*call) {})
}

// EvalRough is Eval with results that are a few roundings of float32 off, on the way
// as well; see autodiff.Tensor.Rough.
func EvalRough(function string, in wire.Values, rng *rand.Rand) (wire.Values, error) {
	return eval(function, in, func(c *call) { c.rough = rng })
}

func eval(function string, in wire.Values, set func(*call)) (wire.Values, error) {
	run, answered := answers[function]
	declared, ok := fixtures.Declared(function)
	if !ok || !answered {
		return nil, fmt.Errorf("oracle: unknown function %q", function)
	}
	c, err := open(declared, in)
	if err != nil {
		return nil, err
	}
	set(c)
	return run(c)
}
