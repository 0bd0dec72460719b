package course

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

const (
	// apartCases is how many cases are tried beside the stored ones.
	apartCases = 28
	// apartGiven is after how many of these it is given up if they are all right, or all
	// wrong.
	apartGiven = 12
)

// tellApart adds to a failure what sets the cases of a function that are wrong apart
// from those that are right, if one argument or size does; see diagnose.Apart. It goes by
// the stored cases and by fresh ones: those that draw returns or, if it is nil,
// variations of the stored ones.
func (e *Exam) tellApart(err error, function string, outputs []string, draw func(*rand.Rand) wire.Values) error {
	var f *verdict.Failure
	if e.Brief || !errors.As(err, &f) || !f.Kind.OfCall() {
		return err
	}
	cases, ok := e.storedTries(function, outputs)
	if !ok || draw == nil && !mixed(cases) {
		return err
	}
	rng := rand.New(rand.NewPCG(e.Seed, 0x6170617274)) // "apart": not the check's own, whose cases stay what they are
	stored := len(cases)
	sourceOf := func(i int) int { return stored + i }
	if draw == nil {
		draw, sourceOf = e.variation(function), func(i int) int { return i % stored }
	}
	for i := range apartCases {
		if i == apartGiven && !mixed(cases) {
			return err
		}
		in := draw(rng)
		if in == nil {
			continue
		}
		wrong, told := e.tried(function, outputs, in)
		if told {
			cases = append(cases, diagnose.Tried{Traits: e.traits(function, in), Wrong: wrong, Source: sourceOf(i)})
		}
	}
	text := diagnose.Apart(cases)
	if text.Empty() {
		return err
	}
	told := *f
	told.Also("apart", text)
	return &told
}

// mixed reports whether some cases are wrong and some right.
func mixed(cases []diagnose.Tried) bool {
	wrong := func(c diagnose.Tried) bool { return c.Wrong }
	return slices.ContainsFunc(cases, wrong) && slices.ContainsFunc(cases, func(c diagnose.Tried) bool { return !wrong(c) })
}

// storedTries are the stored cases of a function, and whether it answers all of them, right
// or wrong.
func (e *Exam) storedTries(function string, outputs []string) ([]diagnose.Tried, bool) {
	var cases []diagnose.Tried
	for i, c := range e.Fixtures.Cases(function) {
		a, known := e.answers[c.Function+"/"+c.Name]
		if !known { // asked without a mark: a mistake is known by the marks of the checks alone
			a.out, a.err = e.Subject.Call(e.ctx, function, c.In)
		}
		wrong, ok := answersWrong(a.out, a.err, c.Out, outputs, func(name string) float64 { return c.Tolerance[name] })
		if !ok {
			return nil, false
		}
		cases = append(cases, diagnose.Tried{Traits: e.traits(function, c.In), Wrong: wrong, Source: i})
	}
	return cases, true
}

// tried asks for one more case, and reports whether the answer is wrong. It is not told
// where the truth is kept back or unknown, or the case amplifies rounding.
func (e *Exam) tried(function string, outputs []string, in wire.Values) (wrong, told bool) {
	d := e.settled(Drawing{Function: function})
	want, err := d.Truth(in)
	if err != nil {
		return false, false
	}
	if well, err := d.wellConditioned(in, want, outputs); !well || err != nil {
		return false, false
	}
	got, err := e.Subject.Call(e.ctx, function, in)
	return answersWrong(got, err, want, outputs, d.Tolerance)
}

// answersWrong reports whether an answer is wrong, and whether it is one at all: a panic
// is, and so is turning valid input down.
func answersWrong(got wire.Values, err error, want wire.Values, outputs []string, tolerance func(string) float64) (wrong, ok bool) {
	var f *verdict.Failure
	if errors.As(err, &f) {
		return true, f.Kind.OfCall()
	}
	if err != nil {
		return false, false
	}
	if len(outputs) == 0 {
		outputs = SortedNames(want)
	}
	return slices.ContainsFunc(outputs, func(name string) bool {
		return verdict.Compare(name, got[name], want[name], tolerance(name)) != nil
	}), true
}
