// Package rules makes mistakes from the formulas of the oracle: a factor left out, a
// sign, an operand exchanged, a sum along too much or too little, a constant of
// another kind, a way that no gradient takes. Each has a sentence, which is made of
// the formula as well.
package rules

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

// Rule is a change at a place of a formula, made in all functions that have the place.
type Rule struct {
	ID string // the same as long as the place and the change are
	diagnose.Sentence

	changes    []placed
	given      func(in wire.Values) bool // changes what is given, if it is not nil
	derivative bool                      // the formula is right
	core       bool                      // may be one of a pair
}

// placed is a change at a place.
type placed struct {
	place string
	make  func(*change) *autodiff.Tensor
}

// ErrElsewhere says that a function's formula has no such place, or that what would
// have to stand there does not fit.
var ErrElsewhere = errElsewhere

// Eval answers a function as the rule has it; see oracle.EvalEdited.
func (r Rule) Eval(function string, in wire.Values, rough *rand.Rand) (out wire.Values, err error) {
	defer recovered(&err)
	if r.given != nil {
		other := in.Clone()
		if !r.given(other) {
			return nil, errElsewhere
		}
		if out, err = oracle.EvalEdited(function, other, nil, rough); err != nil {
			return nil, fmt.Errorf("%w: %v", errElsewhere, err)
		}
		return out, nil
	}
	return oracle.EvalEdited(function, in, func(g oracle.Graph) []*autodiff.Tensor {
		return newBuilder(g, r.changes...).outputs()
	}, rough)
}

// recovered turns a panic into an error: shapes that do not fit panic.
func recovered(err *error) {
	if p := recover(); p != nil {
		if already, ok := p.(error); ok && errors.Is(already, errElsewhere) {
			*err = already
			return
		}
		*err = fmt.Errorf("%w: %v", errElsewhere, p)
	}
}

// Of returns the rules that the formula of a function allows, the simplest of a place
// first. in is an input; its sizes should differ from each other.
func Of(function string, in wire.Values) ([]Rule, error) {
	var found []Rule
	_, err := oracle.EvalEdited(function, in, func(g oracle.Graph) []*autodiff.Tensor {
		e := enumeration{graph: g, all: tensors(g), backward: strings.HasSuffix(function, ".backward")}
		found = e.rules()
		return g.Outputs
	}, nil)
	return append(found, argumentRules(in, strings.HasSuffix(function, ".backward"))...), err
}
