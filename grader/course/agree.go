package course

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// freshCases is how many random cases a fresh check draws in each run.
const freshCases = 4

// agrees checks the named outputs of a function (all if none is named) on
// every stored fixture: inputs and expected values that PyTorch computed. Then
// it asks for one of them once more, altered.
func agrees(function string, outputs ...string) func(*Exam) error {
	return func(e *Exam) error {
		cases := e.Fixtures.Cases(function)
		if len(cases) == 0 {
			return fmt.Errorf("there are no fixtures of %s", function)
		}
		err := inTurn(len(cases), func(i int) error {
			c := cases[i]
			got, err := e.answer(c)
			if err == nil {
				err = e.compare(function, c.In, got, c.Out, outputs, func(name string) float64 { return c.Tolerance[name] })
			}
			return inCase(err, c.Name)
		})
		if err != nil {
			return err
		}
		return e.altered(function, inputsOf(cases), outputs, e.solve(function))
	}
}

// inTurn runs n parts of a check and returns the first failure. It goes on
// after a wrong answer or a panic, because a diagnosis wants all answers, and
// ends at anything else. Parts that this edition cannot make are passed over;
// if it can make none, the check is kept back.
func inTurn(n int, part func(i int) error) error {
	var first error
	keptBack := 0
	for i := range n {
		err := part(i)
		if errors.Is(err, ErrKeptBack) {
			keptBack++
			continue
		}
		var f *verdict.Failure
		if err != nil && (!errors.As(err, &f) || !f.Kind.OfValues() && f.Kind != verdict.Panic) {
			return err
		}
		if first == nil {
			first = err
		}
	}
	if keptBack == n && n > 0 {
		return ErrKeptBack
	}
	return first
}

// inCase adds the fixture's name to what was asked. The failure itself stays as
// it is: an answer is kept, and several checks may ask for it.
func inCase(err error, name string) error {
	var f *verdict.Failure
	if !errors.As(err, &f) {
		return err
	}
	named := *f
	named.Asked = lang.T("fixture %q: %s", name, f.Asked)
	return &named
}

// answer calls a function on a stored fixture, once an exam, and marks what
// came back.
func (e *Exam) answer(c fixtures.Case) (wire.Values, error) {
	id := c.Function + "/" + c.Name
	if a, ok := e.answers[id]; ok {
		return a.out, a.err
	}
	out, err := e.ask(c.Function, c.In)
	e.answers[id] = answer{out, err}
	for _, name := range sortedNames(c.Out) {
		if err == nil {
			e.mark(id+"/"+name, out[name], c.Out[name], c.Tolerance[name])
		}
	}
	return out, err
}

// answer is what came back from a call.
type answer struct {
	out wire.Values
	err error
}

// agreesFresh checks the named outputs of a function on random inputs that
// nobody has seen before, against the float64 oracle.
func agreesFresh(function string, draw func(*rand.Rand) wire.Values, outputs ...string) func(*Exam) error {
	return func(e *Exam) error {
		for range freshCases {
			tolerance := func(name string) float64 { return e.tolerance(function, name) }
			in, want, err := e.drawn(draw, outputs, e.solve(function), tolerance)
			if err != nil {
				return err
			}
			got, err := e.ask(function, in)
			if err != nil {
				return err
			}
			if err := e.compare(function, in, got, want, outputs, tolerance); err != nil {
				return err
			}
		}
		return nil
	}
}

// agreesOn checks a function on chosen inputs against the float64 oracle, and
// marks the answers. Then it asks for one of them once more, altered.
func agreesOn(function string, inputs ...wire.Values) func(*Exam) error {
	return func(e *Exam) error {
		err := inTurn(len(inputs), func(i int) error {
			return e.against(function, inputs[i], func(got, want wire.Values) {
				e.markChosen(fmt.Sprintf("%s/%d of %s", e.check, i+1, function), function, got, want)
			})
		})
		if err != nil {
			return err
		}
		return e.altered(function, inputs, nil, e.solve(function))
	}
}

// against puts one chosen input to the subject and compares with the oracle. The
// tolerance of an output is the one measured on the function's fixtures. If
// note is not nil, it receives what came back and what should have.
func (e *Exam) against(function string, in wire.Values, note func(got, want wire.Values)) error {
	want, err := truth(function, in)
	if err != nil {
		return err
	}
	got, err := e.ask(function, in)
	if err != nil {
		return err
	}
	if note != nil {
		note(got, want)
	}
	return e.compare(function, in, got, want, nil, func(name string) float64 { return e.tolerance(function, name) })
}

// tolerance is the one measured on a function's fixtures; a function without
// fixtures must be met exactly.
func (e *Exam) tolerance(function, output string) float64 {
	if len(e.Fixtures.Cases(function)) == 0 {
		return 0
	}
	return e.Fixtures.Tolerance(function, output)
}

// largestTolerance is the largest of any output of a function.
func (e *Exam) largestTolerance(function string) float64 {
	largest := 0.0
	for _, c := range e.Fixtures.Cases(function) {
		for _, t := range c.Tolerance {
			largest = max(largest, t)
		}
	}
	return largest
}

// refuses checks that a function turns bad input down with the course's own
// error: tensor.ShapeError for a shape, tensor.IndexError for an id or a
// position. The message must hold the given words.
func refuses(function, what string, in wire.Values, words ...string) func(*Exam) error {
	return func(e *Exam) error {
		if err := e.accepts(function); err != nil {
			return err
		}
		_, err := e.call(function, in)
		if err == nil {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.asked(function, in),
				Message: lang.T("%s must be refused with an error; the call returned as if nothing were wrong", lang.Of(what))}
		}
		var f *verdict.Failure
		if !errors.As(err, &f) {
			return err
		}
		if !f.Refused {
			if f.Kind == verdict.Panic {
				f.Message = lang.T("%s must be refused with the course's own error (see the doc comment); instead: %s", lang.Of(what), f.Message)
			}
			return f
		}
		for _, w := range words {
			if !strings.Contains(f.Message.String(), w) {
				return &verdict.Failure{Kind: verdict.WrongValues, Asked: f.Asked,
					Message: lang.T("%s is refused, but the message does not name %s. It reads: %s", lang.Of(what), w, f.Message)}
			}
		}
		return nil
	}
}

// accepts checks that a function does not turn down its first fixture: what
// refuses everything has not looked at what is wrong.
func (e *Exam) accepts(function string) error {
	cases := e.Fixtures.Cases(function)
	if len(cases) == 0 {
		return nil
	}
	_, err := e.answer(cases[0])
	var f *verdict.Failure
	if errors.As(err, &f) && f.Refused {
		return inCase(err, cases[0].Name)
	}
	return nil
}

// all joins several parts into one check; the first that fails speaks.
func all(parts ...func(*Exam) error) func(*Exam) error {
	return func(e *Exam) error {
		return inTurn(len(parts), func(i int) error { return parts[i](e) })
	}
}

// shapeOf writes a value's shape as (2, 3).
func shapeOf(v wire.Value) string { return tensor.ShapeString(v.Shape) }

// inFull joins several parts into one check, like all, but a wrong answer to one
// does not keep the others from being put.
func inFull(parts ...func(*Exam) error) func(*Exam) error {
	return func(e *Exam) error {
		return inTurn(len(parts), func(i int) error { return parts[i](e) })
	}
}
