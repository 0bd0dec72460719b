package checklist

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/tui/component/heatmap"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// column is where the second column of a description begins.
const column = 13

// Detail says all that is known about how a check went: the diagnosis, in the colour of what
// is wrong, and what that costs; what was asked, the difference, and where in the array the
// errors are. In a tight window no line is empty.
func Detail(t theme.Theme, p lang.Printer, item Item, width, height int) []string {
	c := item.Result
	f := c.Failure
	if f == nil {
		return text.Wrap(c.Message, width)
	}
	asked := append(text.Wrap(f.Asked.In(p), width), text.Wrap(f.Message.In(p), width)...)
	var compared, picture []string
	if f.Diff != nil {
		compared = difference(t, p, f.Diff, width)
		picture = heatmap.Errors(t, p, f.Diff.Ratios(), f.Diff.WantShape, width, max(8, height/2))
	}
	if f.Small != nil {
		label := t.Faint.Render(p.Say("small case"))
		lines := f.Small.Lines(p, max(8, width-column))
		compared = append(compared, text.Entry(label, column, strings.Join(lines, "\n"), width)...)
	}
	detail := text.Wrap(strings.Trim(f.Detail+"\n\n"+f.Source, "\n"), width)
	if height < tight {
		return slices.Concat(diagnosis(t, p, item, width), asked, compared, picture, detail)
	}
	return apart(diagnosis(t, p, item, width), asked, compared, picture, detail)
}

// diagnosis is what explains the failure of a check, if anything does, and what it costs.
func diagnosis(t theme.Theme, p lang.Printer, item Item, width int) (lines []string) {
	said := item.Result.Failure.Diagnosis.Text.In(p)
	title, advice, _ := strings.Cut(said, "\n")
	if item.Cause != nil && item.Cause.Known() {
		title, advice = item.Cause.Title.In(p), item.Cause.Advice.In(p)
	}
	if title == "" {
		return nil
	}
	for _, line := range text.Wrap(title, width) {
		lines = append(lines, t.Bad.Render(line))
	}
	if advice != "" {
		lines = append(lines, text.Wrap(advice, width)...)
	}
	if item.Cause != nil {
		lines = append(lines, t.Faint.Render(item.Cause.Costs().In(p)))
	}
	return lines
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
		lines = append(lines, entry(t, p, fact.Label, fact.Text, width)...)
	}
	return lines
}

// entry is a text behind its label.
func entry(t theme.Theme, p lang.Printer, label, said lang.Text, width int) []string {
	return text.Entry(t.Faint.Render(label.In(p)), column, said.In(p), width)
}
