package course

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// Subject answers calls: a student's program, a solution, or anything else
// that speaks the protocol. The error of a call that did not return normally
// is a *verdict.Failure.
type Subject interface {
	Call(ctx context.Context, function string, in wire.Values) (wire.Values, error)
}

// Exam is one run of a step's checks against a subject. A check returns nil if
// it passed, a *verdict.Failure if the subject failed it, and any other error
// if the grader itself could not do its work.
type Exam struct {
	Step     *Step
	Subject  Subject
	Fixtures *fixtures.Set
	Seed     uint64
	Oracle   Oracle   // nil stands for Truth
	Brief    bool     // a failure need not say what takes further calls to find out
	Earlier  []string // ids of the steps below this one that are not solutions: they may be missing

	// Marks is what a diagnosis goes by: what the subject answered to every
	// stored fixture, in short, beside what it should have answered.
	Marks map[string]diagnose.Mark

	Check    string // id of the one that is running
	ctx      context.Context
	Rng      *rand.Rand
	source   *source
	keptBack bool                          // the oracle kept an answer back from the check that is running
	called   map[string]bool               // the functions that it has called
	answers  map[string]answer             // to the stored fixtures, by function/case
	last     struct{ in, out wire.Values } // call and its answer
}

// Run puts one check to the subject. Fresh random cases depend on the exam's
// seed and the check's id only, so that a single check can be repeated.
func (e *Exam) Run(ctx context.Context, c Check) error {
	if e.Marks == nil {
		e.Marks, e.answers = map[string]diagnose.Mark{}, map[string]answer{}
	}
	name := fnv.New64a()
	name.Write([]byte(c.ID))
	e.source = &source{PCG: rand.NewPCG(e.Seed, name.Sum64())}
	e.Check, e.ctx, e.Rng, e.keptBack = c.ID, ctx, rand.New(e.source), false
	e.called = map[string]bool{}
	return c.Run(e)
}

// Called returns the functions that the check that ran last has called.
func (e *Exam) Called() map[string]bool { return e.called }

// Drew reports whether the check that ran last drew anything from the seed. One
// that did not asks the same with every seed.
func (e *Exam) Drew() bool { return e.source.drew }

// source is a generator that knows whether it was used.
type source struct {
	*rand.PCG
	drew bool
}

// Uint64 draws the next number.
func (s *source) Uint64() uint64 {
	s.drew = true
	return s.PCG.Uint64()
}

// StartAnew ends the subject's process, if it has one of its own: the next call
// starts another, which remembers nothing.
func (e *Exam) StartAnew() error {
	if process, ok := e.Subject.(io.Closer); ok {
		return process.Close()
	}
	return nil
}

// Call asks the subject for a function. Code that an earlier step has not
// written yet turns the check into a blocked one.
func (e *Exam) Call(function string, in wire.Values) (wire.Values, error) {
	if e.called != nil { // a check is running
		e.called[function] = true
	}
	out, err := e.Subject.Call(e.ctx, function, in)
	e.last.in, e.last.out = in, out
	var f *verdict.Failure
	if errors.As(err, &f) {
		f.Function, f.Input = function, in
		if f.Asked.Empty() {
			f.Asked = e.Asked(function, in)
		}
		if other, _, found := strings.Cut(f.What, ":"); found && f.Kind == verdict.NotImplemented && slices.Contains(e.Earlier, other) {
			f.Kind = verdict.Blocked
			f.Message = lang.T("%s needs %s first: %s is not implemented yet", e.Step.ID, other, f.What)
		}
	}
	return out, err
}

// Ask is call for valid input: turning it down is a failure like any other.
func (e *Exam) Ask(function string, in wire.Values) (wire.Values, error) {
	out, err := e.Call(function, in)
	var f *verdict.Failure
	switch {
	case !errors.As(err, &f):
	case f.Refused:
		f.Message = lang.T("the input is valid, but the call ended with an error: %s", f.Message)
	case f.Refusal != nil: // that comes first: it may be why something has changed
		refusal := *f.Refusal
		refusal.Asked = f.Asked
		refusal.Message = lang.Lines(lang.T("the input is valid, but the call ended with an error: %s", refusal.Message), f.Message)
		return out, &refusal
	}
	return out, err
}

// Compare holds the named outputs (all of them if none is named) against the
// expected ones.
func (e *Exam) Compare(function string, in, got, want wire.Values, outputs []string, tolerance func(string) float64) error {
	if len(outputs) == 0 {
		outputs = SortedNames(want)
	}
	var failure *verdict.Failure // of the first wrong output
	var right, wrong []string
	for _, name := range outputs {
		w, ok := want[name]
		if !ok {
			return fmt.Errorf("%s: no expected value for output %q", function, name)
		}
		d := verdict.Compare(name, got[name], w, tolerance(name))
		if d == nil {
			right = append(right, name)
			continue
		}
		e.readAs(d, function, in)
		if wrong = append(wrong, name); len(wrong) == 1 {
			failure = e.differs(function, in, got, want, d)
		}
	}
	if failure == nil {
		return nil
	}
	if len(right) > 0 {
		failure.Message = First(failure.Message, lang.T("wrong: %s; right: %s", few(wrong), few(right)))
	}
	return failure
}

// readAs says what the integers of a result are codes of, if they are declared to be
// some. What the function was given for them is its first array.
func (e *Exam) readAs(d *verdict.Difference, function string, in wire.Values) {
	f := e.Step.Function(function)
	if f == nil {
		return
	}
	for _, out := range f.Out {
		if code, ok := verdict.CodeNamed(out.Code); ok && out.Name == d.Name {
			d.ReadAs(code, in[f.In[0].Name])
		}
	}
}

// Differs is the failure of an answer that is not the expected one.
func (e *Exam) Differs(function string, in, got wire.Values, d *verdict.Difference) *verdict.Failure {
	return e.differs(function, in, got, nil, d)
}

// differs is Differs where it is known what is expected of all results. What it
// says of the structure of the difference is held against other cases; nothing is said
// of it where the same call has two answers.
func (e *Exam) differs(function string, in, got, want wire.Values, d *verdict.Difference) *verdict.Failure {
	if _, ok := got[d.Name]; !ok {
		return &verdict.Failure{Kind: verdict.WrongShape, Asked: e.Asked(function, in),
			Message: lang.T("the answer has no array named %q", d.Name)}
	}
	f := verdict.Wrong(e.Asked(function, in), d, e.given(function, in, want, d.Name))
	f.Function, f.Input = function, in
	if e.Brief {
		return f
	}
	if text := e.otherwise(function, in, got, d.Name); !text.Empty() {
		f.Explained("another", text)
		return f
	}
	if input := got[wire.InPlace+d.Name].Text; in[input].DType != "" {
		f.Message = lang.T("Here the result was to be written to the memory of %s, the input; with memory of its own it is another one.", input)
	}
	if got[wire.Second+d.Name].DType != "" {
		f.Message = lang.T("The layer was asked the very same twice in a row, and this is the second answer; the first was another %s. Something of the first call is left in it.", d.Name)
	}
	f.Confirm(e.others(function, d.Name, in))
	return f
}

// few lists the first few names, and says how many more there are.
func few(names []string) lang.Text {
	const most = 5
	if len(names) <= most+1 {
		return lang.Raw(strings.Join(names, ", "))
	}
	return lang.T("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// InputKept checks that a call left an input as it was.
func (e *Exam) InputKept(function string, in wire.Values, name string, after wire.Value) error {
	d := verdict.Compare(name, after, in[name], 0)
	if d == nil {
		return nil
	}
	f := &verdict.Failure{Kind: verdict.InputChanged, Function: function, Asked: e.Asked(function, in), Diff: d,
		Diagnosis: verdict.Diagnosis{Kind: verdict.Unexplained}}
	if at := d.At(); at != "" {
		f.Message = lang.T("The call changed its input %s, which it must leave as it is; the first change is at %s.", name, at)
	}
	return f
}

// Asked describes a call in one line: the function and the shapes it was given.
func (e *Exam) Asked(function string, in wire.Values) lang.Text {
	return lang.T("%s with %s", function, e.arguments(function, in))
}

// arguments are the names and shapes of what a function is given.
func (e *Exam) arguments(function string, in wire.Values) lang.Text {
	var parts []string
	add := func(name string) {
		v := in[name]
		switch {
		case v.DType == wire.I64 && len(v.Shape) == 0:
			parts = append(parts, fmt.Sprintf("%s=%d", name, v.I64[0]))
		case v.DType == wire.F64 && len(v.Shape) == 0:
			parts = append(parts, fmt.Sprintf("%s=%.6g", name, v.F64[0]+0)) // −0 is 0
		case v.DType == wire.Text:
			parts = append(parts, fmt.Sprintf("%s=%q", name, v.Text))
		default:
			parts = append(parts, name+" "+ShapeOf(v))
		}
	}
	listed := map[string]bool{}
	if f := e.Step.Function(function); f != nil {
		for _, a := range f.In {
			if _, ok := in[a.Name]; ok {
				add(a.Name)
				listed[a.Name] = true
			}
		}
	}
	for _, name := range []string{instance, atOnce, measured} { // these say nothing to anybody
		if _, given := in[name]; given {
			listed[name] = true
		}
	}
	if others := len(in) - len(listed); others > 0 { // a state dictionary, or what a binding takes on top
		return lang.T("%s, and %d more", strings.Join(parts, ", "), others)
	}
	return lang.Raw(strings.Join(parts, ", "))
}

// Dimensions binds the letters of a function's shapes to the sizes of the
// arrays it was given: {"D": 48, "T": 7}.
func (e *Exam) Dimensions(function string, in wire.Values) map[string]float64 {
	dims := map[string]float64{}
	if f := e.Step.Function(function); f != nil {
		sizes, _ := f.Sizes(in) // an input that does not fit is asked on purpose
		for letter, n := range sizes.Letters() {
			dims[letter] = float64(n)
		}
	}
	return dims
}

func SortedNames(v wire.Values) []string {
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Array calls a function and returns one of its outputs, of the given shape.
func (e *Exam) Array(function string, in wire.Values, name string, shape ...int) ([]float32, error) {
	out, err := e.Ask(function, in)
	if err != nil {
		return nil, err
	}
	v := out[name]
	e.Marks[fmt.Sprintf("%s/shape %v", function, shape)] = diagnose.Mark{Got: diagnose.Sketch{Shape: v.Shape}, Want: diagnose.Sketch{Shape: shape}}
	if v.DType != wire.F32 || !slices.Equal(v.Shape, shape) {
		return nil, &verdict.Failure{Kind: verdict.WrongShape, Asked: e.Asked(function, in),
			Message: lang.T("%s has shape %s; want %s", name, ShapeOf(v), ShapeOf(wire.Value{Shape: shape}))}
	}
	return v.F32, nil
}

// Fails is the failure of a check that does not compare an array.
func (e *Exam) Fails(function string, in wire.Values, format string, args ...any) error {
	return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked(function, in), Message: lang.T(format, args...)}
}

// First returns the first text that says something.
func First(texts ...lang.Text) lang.Text {
	for _, t := range texts {
		if !t.Empty() {
			return t
		}
	}
	return lang.Text{}
}
