package course

import (
	"errors"
	"maps"

	"github.com/stubformer/stubformer/reference/wire"
)

// Solver returns the float64 answer to an input.
type Solver func(in wire.Values) (wire.Values, error)

// Oracle returns the float64 answer of a function to an input. Its error is
// ErrKeptBack if only the instructor's edition knows it.
type Oracle func(function string, in wire.Values) (wire.Values, error)

// KeepBack is the oracle of an edition that has none.
func KeepBack(string, wire.Values) (wire.Values, error) { return nil, ErrKeptBack }

// rough is an argument that lets the oracle move the results of all operations, by
// a few roundings of a float32 program. It is the seed of these moves.
const rough = "rough"

// exact are the arguments without it.
func exact(in wire.Values) wire.Values {
	if _, ok := in[rough]; ok {
		in = maps.Clone(in)
		delete(in, rough)
	}
	return in
}

// Solve returns a function's solver: the step's own truth, or else the oracle,
// which a student edition does not hold.
func (e *Exam) Solve(function string) Solver {
	if own := e.Step.Truths[function]; own != nil {
		return Remembered(e.Step.ID+" "+function, func(in wire.Values) (wire.Values, error) { return own(exact(in)) })
	}
	if made := e.Step.Derived[function]; made != nil {
		own := made(e.Truth)
		return func(in wire.Values) (wire.Values, error) { return own(exact(in)) }
	}
	return func(in wire.Values) (wire.Values, error) { return e.Truth(function, in) }
}

// Truth asks the oracle, and notes what it keeps back: every check asks it here.
func (e *Exam) Truth(function string, in wire.Values) (wire.Values, error) {
	ask := e.Oracle
	if ask == nil {
		ask = Truth
	}
	want, err := ask(function, in)
	e.keptBack = e.keptBack || errors.Is(err, ErrKeptBack)
	return want, err
}

// InPart reports whether the check that ran last could not ask for everything that
// it is about, because the answer is kept back.
func (e *Exam) InPart() bool { return e.keptBack }
