package verdict

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/probe/wire"
	"github.com/stubformer/stubformer/reference/tensor"
)

const (
	columns = 79 // the widest line
	margin  = 15 // where the second column of a description begins
)

// String is what a failed comparison says, several lines without a final
// newline.
func (d *Difference) String() string { return strings.Join(d.Lines(), "\n") }

// Lines returns the lines of String: the result and its shape; the first wrong
// index with got, want and the bound that was broken; how many are wrong and
// where; the worst error; the structure, if there is one.
func (d *Difference) Lines() []string {
	lines := d.facts()
	if d.Structure != nil {
		lines = append(lines, entry("diagnosis", d.Structure.Text)...)
	}
	return lines
}

// facts are the lines of d without an explanation.
func (d *Difference) facts() []string {
	if d.Kind == WrongShape {
		return d.shapeFacts()
	}
	lines := paragraph(d.title())
	add := func(label, text string) { lines = append(lines, entry(label, text)...) }
	if len(d.First) > 0 {
		add("first wrong", "at "+indexString(d.First))
	}
	add("got", d.gotText)
	add("want", d.wantText)
	if finite(d.Error) && d.Bound > 0 {
		add("error", d.inequality())
	}
	if d.Total > 1 {
		add("how many", d.count())
	}
	if d.BeganAt != nil && d.Total > 1 {
		add("not finite", d.nonFinite())
	}
	if d.WorstAt != nil {
		add("worst error", d.worst())
	}
	return lines
}

func (d *Difference) shapeFacts() []string {
	if d.problem != "" {
		return paragraph(d.Name + ": " + d.problem + ".")
	}
	lines := []string{d.Name + " has the wrong shape."}
	lines = append(lines, entry("got", tensor.ShapeString(d.GotShape))...)
	return append(lines, entry("want", tensor.ShapeString(d.WantShape))...)
}

func (d *Difference) title() string {
	switch {
	case d.want.DType == wire.Text:
		return d.Name + " is a text."
	case len(d.WantShape) == 0:
		return d.Name + " is a single number."
	}
	return fmt.Sprintf("%s has shape %s.", d.Name, tensor.ShapeString(d.WantShape))
}

func (d *Difference) inequality() string {
	return fmt.Sprintf("|got − want| = %s > %s·(|want| + rms) = %s",
		significant(d.Error, 3), significant(d.tolerance, 3), significant(d.Bound, 3))
}

func (d *Difference) count() string {
	if d.Wrong == d.Total {
		return fmt.Sprintf("all %d values", d.Total)
	}
	text := fmt.Sprintf("%d of %d values", d.Wrong, d.Total)
	if d.Where != "" {
		text += ", " + d.Where
	}
	return text
}

func (d *Difference) nonFinite() string {
	text := ""
	switch {
	case d.Inf == 0:
		text = fmt.Sprintf("%d NaN", d.NaN)
	case d.NaN == 0:
		text = fmt.Sprintf("%d infinite", d.Inf)
	default:
		text = fmt.Sprintf("%d NaN and %d infinite", d.NaN, d.Inf)
	}
	return text + ", beginning at " + indexString(d.BeganAt)
}

func (d *Difference) worst() string {
	text := times(d.Worst) + " times its bound"
	switch {
	case len(d.First) == 0:
		return text
	case slices.Equal(d.First, d.WorstAt):
		return text + ", at the same index"
	}
	return text + ", at " + indexString(d.WorstAt)
}

// entry writes a label and its text in two columns.
func entry(label, text string) []string {
	lines := wrap(text, columns-margin)
	for i := range lines {
		lines[i] = fmt.Sprintf("  %-*s%s", margin-2, label, lines[i])
		label = ""
	}
	return lines
}

// wrap breaks text between words into lines of at most width characters.
// A text that fits keeps its spaces.
func wrap(text string, width int) []string {
	if utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
