package course

import (
	"github.com/stubformer/stubformer/reference/wire"
)

// Solver returns the float64 answer to an input.
type Solver func(in wire.Values) (wire.Values, error)

// Solve returns a function's solver: the step's own truth, or else the oracle,
// which a student edition does not hold.
func (e *Exam) Solve(function string) Solver {
	if own := e.Step.Truths[function]; own != nil {
		return own
	}
	return func(in wire.Values) (wire.Values, error) { return Truth(function, in) }
}
