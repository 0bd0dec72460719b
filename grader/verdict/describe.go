package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
)

// Columns is the width of a message that is kept: a report indents it by six.
const Columns = 73

// margin is where the second column of a description begins.
const margin = 15

// String is what a failed comparison says, several lines without a final
// newline.
func (d *Difference) String() string { return strings.Join(d.Lines(), "\n") }

// Lines returns the lines of String: the result and its shape; the first wrong
// index with got, want and the bound that was broken; how many are wrong and
// where; the worst error; the structure, if there is one.
func (d *Difference) Lines() []string {
	english := lang.Printer{}.Within(Columns)
	lines := d.lines(english)
	if d.Structure != nil {
		lines = append(lines, entry(english, lang.T("diagnosis"), d.Structure.Text)...)
	}
	return lines
}

// Fact is one labelled line of a description: "got", "0.1300".
type Fact struct{ Label, Text lang.Text }

// Facts returns what String says without the structure, for a reader that lays
// it out in another width: the sentence about the result, and labelled facts.
func (d *Difference) Facts() (title lang.Text, facts []Fact) {
	add := func(label, text lang.Text) { facts = append(facts, Fact{label, text}) }
	if d.Kind == WrongShape {
		if !d.problem.Empty() {
			return lang.T("%s: %s.", d.Name, d.problem), nil
		}
		add(lang.T("got"), lang.Raw(tensor.ShapeString(d.GotShape)))
		add(lang.T("want"), lang.Raw(tensor.ShapeString(d.WantShape)))
		return lang.T("%s has the wrong shape.", d.Name), facts
	}
	if at := d.At(); at != "" {
		add(lang.T("first wrong"), lang.T("at %s", at))
	}
	if d.given != "" {
		add(lang.T("given"), lang.Raw(d.given))
	}
	add(lang.T("got"), lang.Raw(d.gotText))
	add(lang.T("want"), lang.Raw(d.wantText))
	if !d.bit.Empty() {
		add(lang.T("wrong bit"), d.bit)
	}
	if finite(d.Error) && d.Bound > 0 {
		add(lang.T("error"), lang.Raw(d.inequality()))
	}
	if d.Total > 1 {
		add(lang.T("how many"), d.count())
	}
	if d.BeganAt != nil && d.Total > 1 {
		add(lang.T("not finite"), d.nonFinite())
	}
	if d.WorstAt != nil {
		add(lang.T("worst error"), d.worst())
	}
	return d.title(), append(facts, d.inputs...)
}

// Brief returns the facts that tell most, for a reader who has one line for them: where the
// first wrong value is, what it is and what is wanted, and how many are wrong.
func (d *Difference) Brief() []Fact {
	if d.Kind == WrongShape {
		title, facts := d.Facts()
		return append([]Fact{{Text: title}}, facts...)
	}
	first := d.Name
	if at := d.At(); at != "" {
		first += " " + at
	}
	facts := []Fact{{lang.T("first wrong"), lang.Raw(first)}}
	if d.given != "" {
		facts = append(facts, Fact{lang.T("given"), lang.Raw(d.given)})
	}
	got, want := d.Numbers()
	facts = append(facts, Fact{lang.T("got"), lang.Raw(got)}, Fact{lang.T("want"), lang.Raw(want)})
	if !d.bit.Empty() {
		facts = append(facts, Fact{lang.T("wrong bit"), d.bit})
	}
	if d.Total > 1 {
		facts = append(facts, Fact{Text: d.count()})
	}
	return facts
}

// lines are the lines of d without an explanation.
func (d *Difference) lines(p lang.Printer) []string {
	title, facts := d.Facts()
	lines := paragraph(p, title)
	for _, f := range facts {
		lines = append(lines, entry(p, f.Label, f.Text)...)
	}
	return lines
}

func (d *Difference) title() lang.Text {
	switch {
	case d.want.DType == wire.Text:
		return lang.T("%s is a text.", d.Name)
	case len(d.WantShape) == 0:
		return lang.T("%s is a single number.", d.Name)
	}
	return lang.T("%s has shape %s.", d.Name, tensor.ShapeString(d.WantShape))
}

func (d *Difference) inequality() string {
	scale := "(|want| + rms)"
	if d.terms != nil {
		scale = "Σ|terms|"
	}
	return fmt.Sprintf("|got − want| = %s > %s·%s = %s",
		significant(d.Error, 3), significant(d.tolerance, 3), scale, significant(d.Bound, 3))
}

func (d *Difference) count() lang.Text {
	switch {
	case d.Wrong == d.Total:
		return lang.T("all %d values are wrong", d.Total)
	case d.Where.Empty():
		return lang.T("%d of %d values are wrong", d.Wrong, d.Total)
	}
	return lang.T("%d of %d values are wrong, %s", d.Wrong, d.Total, d.Where)
}

func (d *Difference) nonFinite() lang.Text {
	at := indexString(d.BeganAt)
	switch {
	case d.Inf == 0:
		return lang.T("%d NaN, beginning at %s", d.NaN, at)
	case d.NaN == 0:
		return lang.T("%d infinite, beginning at %s", d.Inf, at)
	}
	return lang.T("%d NaN and %d infinite, beginning at %s", d.NaN, d.Inf, at)
}

func (d *Difference) worst() lang.Text {
	switch {
	case len(d.First) == 0:
		return lang.T("%s × its bound", times(d.Worst))
	case slices.Equal(d.First, d.WorstAt):
		return lang.T("%s × its bound, at the same index", times(d.Worst))
	}
	return lang.T("%s × its bound, at %s", times(d.Worst), indexString(d.WorstAt))
}

// entry writes a label and its text in two columns.
func entry(p lang.Printer, label, text lang.Text) []string {
	return labelled(p, label, lang.Wrap(text.In(p), p.Columns()-margin))
}

// labelled puts a label before the first of some lines, and indents all.
func labelled(p lang.Printer, label lang.Text, lines []string) []string {
	said := label.In(p)
	for i := range lines {
		lines[i] = "  " + lang.Pad(said, margin-2) + lines[i]
		said = ""
	}
	return lines
}
