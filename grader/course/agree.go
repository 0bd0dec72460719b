package course

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// FreshCases is how many random cases a fresh check draws in each run.
const FreshCases = 4

// Agrees checks the named outputs of a function (all if none is named) on
// every stored fixture: inputs and expected values that PyTorch computed. Then
// it asks for one of them once more, altered.
func Agrees(function string, outputs ...string) func(*Exam) error {
	return func(e *Exam) error {
		cases := e.Fixtures.Cases(function)
		if len(cases) == 0 {
			return fmt.Errorf("there are no fixtures of %s", function)
		}
		err := InTurn(len(cases), func(i int) error {
			c := cases[i]
			got, err := e.Answer(c)
			if err == nil {
				err = e.Compare(function, c.In, got, c.Out, outputs, func(name string) float64 { return c.Tolerance[name] })
			}
			return InCase(err, c.Name)
		})
		if err != nil {
			return e.tellApart(err, function, outputs, nil)
		}
		return e.Altered(function, InputsOf(cases), outputs)
	}
}

// InTurn runs n parts of a check and returns the first failure. It goes on
// after a wrong answer or a panic, because a diagnosis wants all answers, and
// ends at anything else. What is another kind of fault is told beside it. Parts that this edition cannot make are passed over;
// if it can make none, the check is kept back.
func InTurn(n int, part func(i int) error) error {
	var first *verdict.Failure
	found := map[string]bool{}
	keptBack := 0
	for i := range n {
		err := part(i)
		if errors.Is(err, ErrKeptBack) {
			keptBack++
			continue
		}
		var f *verdict.Failure
		if errors.As(err, &f) && f.Kind == verdict.TooSlow && first != nil {
			return first // what was counted says more than a clock
		}
		if err != nil && (!errors.As(err, &f) || !f.Kind.OfCall()) {
			return err
		}
		if err == nil {
			continue
		}
		matter := matterOf(f)
		switch {
		case first == nil:
			first = f
		case !found[matter]:
			first = first.Beside(f)
		}
		found[matter] = true
	}
	switch {
	case first != nil:
		return first
	case keptBack == n && n > 0:
		return ErrKeptBack
	}
	return nil
}

// matterOf says what kind of fault a failure is about: what is answered, each of the costs,
// memory that is shared.
func matterOf(f *verdict.Failure) string {
	if f.Kind.OfAnswer() {
		return "answer"
	}
	return string(f.Kind) + f.What
}

// InCase adds the fixture's name to what was asked. The failure itself stays as
// it is: an answer is kept, and several checks may ask for it.
func InCase(err error, name string) error {
	var f *verdict.Failure
	if !errors.As(err, &f) {
		return err
	}
	named := *f
	named.Asked = lang.T("fixture %q: %s", name, f.Asked)
	return &named
}

// Answer calls a function on a stored fixture, once an exam, and marks what
// came back.
func (e *Exam) Answer(c fixtures.Case) (wire.Values, error) {
	id := c.Function + "/" + c.Name
	if a, ok := e.answers[id]; ok {
		return a.out, a.err
	}
	out, err := e.Ask(c.Function, c.In)
	e.answers[id] = answer{out, err}
	for _, name := range SortedNames(c.Out) {
		if err == nil {
			e.Mark(id+"/"+name, out[name], c.Out[name], c.Tolerance[name])
		}
	}
	return out, err
}

// recall returns the answer to a stored case for what is said about another call. It marks
// nothing: by the marks mistakes are known, and these are asked only where something is wrong.
func (e *Exam) recall(c fixtures.Case) (wire.Values, error) {
	if a, ok := e.answers[c.Function+"/"+c.Name]; ok {
		return a.out, a.err
	}
	return e.Subject.Call(e.ctx, c.Function, c.In)
}

// answer is what came back from a call.
type answer struct {
	out wire.Values
	err error
}

// AgreesFresh checks the named outputs of a function on random inputs that
// nobody has seen before, against the float64 oracle.
func AgreesFresh(function string, draw func(*rand.Rand) wire.Values, outputs ...string) func(*Exam) error {
	return func(e *Exam) error {
		for range FreshCases {
			if err := e.agreesFresh(Drawing{Function: function, Draw: draw}, outputs); err != nil {
				return err
			}
		}
		return nil
	}
}

// AgreesForEach is AgreesFresh with one case of each kind, for kinds that a single
// drawing would seldom come upon.
func AgreesForEach(drawings ...Drawing) func(*Exam) error {
	return func(e *Exam) error {
		return InTurn(len(drawings), func(i int) error { return e.agreesFresh(drawings[i], nil) })
	}
}

// agreesFresh checks a function on one fresh case.
func (e *Exam) agreesFresh(d Drawing, outputs []string) error {
	tolerance := e.tolerances(d.Function)
	in, want, err := e.Drawn(d, outputs...)
	if err != nil {
		return err
	}
	got, err := e.Ask(d.Function, in)
	if err == nil {
		err = e.Compare(d.Function, in, got, want, outputs, tolerance)
	}
	if err != nil {
		return e.tellApart(err, d.Function, outputs, d.Draw)
	}
	return nil
}

// Zeroed are the drawings of a function in which one of the named arrays holds nothing
// but zeros: random numbers are never exactly 0, and a quotient of them always exists.
func Zeroed(function string, draw func(*rand.Rand) wire.Values, names ...string) []Drawing {
	var all []Drawing
	for _, name := range names {
		all = append(all, Drawing{Function: function, Draw: func(rng *rand.Rand) wire.Values {
			in := draw(rng)
			shape := in[name].Shape
			return With(in, name, wire.Float32s(make([]float32, in[name].Len()), shape...))
		}})
	}
	return all
}

// AgreesExactly checks a function whose results are right to the last bit, or wrong, on
// one random input that nobody has seen before. Where rounding is the task, a case in
// which it decides is the best one.
func AgreesExactly(function string, draw func(*rand.Rand) wire.Values) func(*Exam) error {
	return func(e *Exam) error { return e.Against(function, draw(e.Rng), nil) }
}

// AgreesOn checks a function on chosen inputs against the float64 oracle, and
// marks the answers. Then it asks for one of them once more, altered.
func AgreesOn(function string, inputs ...wire.Values) func(*Exam) error {
	return func(e *Exam) error {
		err := InTurn(len(inputs), func(i int) error {
			return e.Against(function, inputs[i], func(got, want wire.Values) {
				e.MarkChosen(fmt.Sprintf("%s/%d of %s", e.Check, i+1, function), function, got, want)
			})
		})
		if err != nil {
			return err
		}
		return e.Altered(function, inputs, nil)
	}
}

// Empty draws a call of a layer whose input, and what comes back, has a leading dimension
// of 0 behind one of 2: the shape of the answer says it too.
func Empty(draw func(*rand.Rand) wire.Values, names ...string) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		in := draw(rng)
		for _, name := range names {
			shape := in[name].Shape
			in = With(in, name, wire.Float32s([]float32{}, 2, 0, shape[len(shape)-1]))
		}
		return in
	}
}

// AgreesOnce checks a function on one random input of each kind, against the float64
// oracle. What the function does not take is left out.
func AgreesOnce(function string, draws ...func(*rand.Rand) wire.Values) func(*Exam) error {
	return func(e *Exam) error {
		return InTurn(len(draws), func(i int) error {
			draw := func(rng *rand.Rand) wire.Values { return e.only(function, draws[i](rng)) }
			in, want, err := e.Drawn(Drawing{Function: function, Draw: draw})
			if err != nil {
				return err
			}
			got, err := e.Ask(function, in)
			if err != nil {
				return err
			}
			return e.Compare(function, in, got, want, nil, e.tolerances(function))
		})
	}
}

// Beyond checks a function on one input of each kind of sizes that the fixtures do not
// have: past the powers of two, and past what people set aside room for. Their results are
// compared loosely: whether they are right to the last bit, others show.
func Beyond(function string, draws ...func(*rand.Rand) wire.Values) func(*Exam) error {
	return func(e *Exam) error {
		return InTurn(len(draws), func(i int) error {
			in := draws[i](e.Rng)
			want, err := e.Solve(function)(in)
			if err != nil {
				return err
			}
			got, err := e.Ask(function, in)
			if err != nil {
				return err
			}
			return Told(lang.T("sizes that no fixture has"), e.Compare(function, in, got, want, nil, loosely))
		})
	}
}

// Against puts one chosen input to the subject and compares with the oracle. The
// tolerance of an output is the one measured on the function's fixtures. If
// note is not nil, it receives what came back and what should have.
func (e *Exam) Against(function string, in wire.Values, note func(got, want wire.Values)) error {
	want, err := e.Solve(function)(in)
	if err != nil {
		return err
	}
	got, err := e.Ask(function, in)
	if err != nil {
		return err
	}
	if note != nil {
		note(got, want)
	}
	return e.Compare(function, in, got, want, nil, e.tolerances(function))
}

// Tolerance is the one measured on a function's fixtures; a function without
// fixtures must be met exactly.
func (e *Exam) Tolerance(function, output string) float64 {
	if len(e.Fixtures.Cases(function)) == 0 {
		return 0
	}
	return e.Fixtures.Tolerance(function, output)
}

// tolerances are those of a function, by output.
func (e *Exam) tolerances(function string) func(output string) float64 {
	return func(output string) float64 { return e.Tolerance(function, output) }
}

// LargestTolerance is the largest of any output of a function.
func (e *Exam) LargestTolerance(function string) float64 {
	largest := 0.0
	for _, c := range e.Fixtures.Cases(function) {
		for _, t := range c.Tolerance {
			largest = max(largest, t)
		}
	}
	return largest
}

// All joins several parts into one check. A wrong answer to one does not keep
// the others from being put; the first that fails speaks.
func All(parts ...func(*Exam) error) func(*Exam) error {
	return func(e *Exam) error {
		return InTurn(len(parts), func(i int) error { return parts[i](e) })
	}
}

// ShapeOf writes a value's shape as (2, 3).
func ShapeOf(v wire.Value) string { return tensor.ShapeString(v.Shape) }
