package checklist

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/tui/component/heatmap"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// column is where the second column of a description begins.
const column = 13

// Detail says all that is known about how a check went: what was asked, the
// difference, the diagnosis, and where in the array the errors are. In a tight
// window the diagnosis comes first, and no line is empty.
func Detail(t theme.Theme, p lang.Printer, c report.Check, width, height int) []string {
	f := c.Failure
	if f == nil {
		return text.Wrap(c.Message, width)
	}
	asked := append(text.Wrap(f.Asked.In(p), width), text.Wrap(f.Message.In(p), width)...)
	var diagnosis, compared, picture []string
	if said := f.Diagnosis.Text.In(p); said != "" {
		diagnosis = append([]string{t.Bold.Render(p.Say("Diagnosis"))}, text.Wrap(said, width)...)
	}
	if f.Diff != nil {
		compared = difference(t, p, f.Diff, width)
		picture = heatmap.Errors(t, p, f.Diff.Ratios(), f.Diff.WantShape, width, max(8, height/2))
	}
	detail := text.Wrap(strings.Trim(f.Detail+"\n\n"+f.Source, "\n"), width)
	if height < tight {
		return slices.Concat(diagnosis, asked, compared, picture, detail)
	}
	return apart(asked, compared, diagnosis, picture, detail)
}

// tight is the height of a list below which there is no room for empty lines.
const tight = 24

// apart puts an empty line between parts that are not empty.
func apart(parts ...[]string) []string {
	var lines []string
	for _, part := range parts {
		if len(part) > 0 && len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, part...)
	}
	return lines
}

func difference(t theme.Theme, p lang.Printer, d *verdict.Difference, width int) []string {
	title, facts := d.Facts()
	lines := text.Wrap(title.In(p), width)
	for _, fact := range facts {
		lines = append(lines, text.Entry(t.Faint.Render(fact.Label.In(p)), column, fact.Text.In(p), width)...)
	}
	return lines
}
