package verdict

import (
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/reference/wire"
)

// Failure is why a check did not pass.
type Failure struct {
	Kind      Kind
	Asked     lang.Text   // what was asked: function, case, shapes
	Message   lang.Text   // what happened, where Diff does not say it
	Diff      *Difference // nil unless a result was compared
	Diagnosis Diagnosis
	And       lang.Text // what the same check has found beside this, of another kind
	Detail    string    // a stack trace, or what the student's program printed
	Source    string    // the lines of code around the place of a crash

	Suspected Kind        // GraderError: what it is, if it does not happen to the solution
	Refused   bool        // the subject turned the input down with one of the course's own errors
	Refusal   *Failure    // InputChanged: how it did so, if it did
	What      string      // NotImplemented: what is missing, "step05: SwiGLU.Forward"
	Function  string      // that was called, "swiglu.forward"; empty if that is not known
	Input     wire.Values // what it was given; nil where that alone does not tell
	Small     *Small      // a small call that goes wrong like this one; nil if none is known
}

// Diagnosis is what explains a failure, if anything does.
type Diagnosis struct {
	Kind string    `json:"kind"` // Mistake, ByStructure or Unexplained
	ID   string    `json:"id"`
	Text lang.Text `json:"text"`
	// Known are the mistakes that Text speaks of, one by one.
	Known []Known `json:"-"`
}

// Known is a mistake of the course's catalogue, or by one of its rules.
type Known struct {
	ID     string
	Title  lang.Text // what is wrong: "the scores are not divided by √K"
	Advice lang.Text // its fix, if there is a word on it: what is right, or what to do
}

// The kinds of a diagnosis. A mistake is one of the course's catalogue of known
// mistakes; it explains a step's cases together, so it is found after the
// checks have run and then takes the place of the structure of one difference.
const (
	Mistake     = "mistake"
	ByStructure = "structure"
	Unexplained = "none"
)

// Wrong returns the failure of a check whose result differs. It looks for the
// structure of the difference; given is what the check knows about the case.
func Wrong(asked lang.Text, d *Difference, given Given) *Failure {
	f := &Failure{Kind: d.Kind, Asked: asked, Diff: d, Diagnosis: Diagnosis{Kind: Unexplained}}
	given.terms = d.terms
	if !d.bit.Empty() { // codes are no quantities
		return f
	}
	if b := given.Before; b != nil && !b.Gradient && d.mask != nil {
		d.Where = where(d.WantShape, d.mask, Numbers(d.want), true)
	}
	d.inputs = d.inputFacts(given.Inputs)
	if d.Structure = Explain(d.got, d.want, d.tolerance, given); d.Structure != nil {
		f.Diagnosis = Diagnosis{Kind: ByStructure, ID: d.Structure.ID, Text: d.Structure.Text}
	}
	return f
}

// Explained gives a failure an explanation, in the place of any that it has.
func (f *Failure) Explained(id string, text lang.Text) {
	f.Diagnosis = Diagnosis{Kind: ByStructure, ID: id, Text: text}
}

// Also adds a sentence to what explains a failure.
func (f *Failure) Also(id string, text lang.Text) {
	if f.Diagnosis.Kind != ByStructure {
		f.Explained(id, text)
		return
	}
	f.Diagnosis.Text = lang.T("%s %s", f.Diagnosis.Text, text)
}

// Clean makes what the failure holds of the submission's own texts fit to be
// shown.
func (f *Failure) Clean() {
	f.Asked, f.Message, f.And = f.Asked.With(untrusted.Arg), f.Message.With(untrusted.Arg), f.And.With(untrusted.Arg)
	f.Diagnosis.Text = f.Diagnosis.Text.With(untrusted.Arg)
	for i, k := range f.Diagnosis.Known {
		f.Diagnosis.Known[i].Title, f.Diagnosis.Known[i].Advice = k.Title.With(untrusted.Arg), k.Advice.With(untrusted.Arg)
	}
	f.Detail, f.Source = untrusted.Text(f.Detail, untrusted.MaxDetail), untrusted.Text(f.Source, untrusted.MaxDetail)
	f.What = untrusted.Line(f.What, untrusted.MaxName)
	if f.Diff != nil {
		f.Diff.gotText = untrusted.Line(f.Diff.gotText, untrusted.MaxArg)
	}
}

// Text returns the full message in English; see In.
func (f *Failure) Text() string { return f.In(lang.Printer{}.Within(Columns)) }

// In returns the full message, several lines without a final newline: what was
// asked, what happened, the difference, the diagnosis, the detail, the source.
func (f *Failure) In(p lang.Printer) string {
	lines := append(paragraph(p, f.Asked), paragraph(p, f.Message)...)
	if f.Diff != nil {
		lines = append(lines, f.Diff.lines(p)...)
	}
	if f.Small != nil {
		lines = append(lines, labelled(p, lang.T("small case"), f.Small.Lines(p, p.Columns()-margin))...)
	}
	if !f.Diagnosis.Text.Empty() {
		lines = append(lines, entry(p, lang.T("diagnosis"), f.Diagnosis.Text)...)
	}
	lines = append(lines, paragraph(p, f.And)...)
	for _, text := range []string{f.Detail, f.Source} {
		if text != "" {
			lines = append(lines, "")
		}
		for line := range strings.Lines(text) {
			lines = append(lines, "  "+strings.TrimRight(line, "\n"))
		}
	}
	return strings.Join(lines, "\n")
}

// paragraph wraps a text line by line; what does not fit goes on indented.
func paragraph(p lang.Printer, text lang.Text) []string {
	var lines []string
	for line := range strings.Lines(text.In(p)) {
		for i, part := range lang.Wrap(strings.TrimRight(line, "\n"), p.Columns()-2) {
			if i > 0 {
				part = "  " + part
			}
			lines = append(lines, part)
		}
	}
	return lines
}

// Beside returns the failure with what the same check has found in another one.
func (f *Failure) Beside(other *Failure) *Failure {
	told, what := *f, other.Message
	if what.Empty() { // the numbers say it, and there is room for one sentence
		what = other.Asked
	}
	told.And = lang.T("Also found: %s: %s", other.Kind.Text(), what)
	if !f.And.Empty() {
		told.And = lang.Lines(f.And, told.And)
	}
	return &told
}

// Error makes a Failure an error: the kind and the message in one line.
func (f *Failure) Error() string { return f.Kind.Words() + ": " + f.Message.String() }
