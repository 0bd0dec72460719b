package steppage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/component/badge"
	"github.com/stubformer/stubformer/cmd/tui/component/meter"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/verdict"
)

// hints shows the hints that have been revealed for the first check that did
// not pass, and what the diagnosis of that check says.
func (m *Model) hints() []string {
	width := min(m.width, measure)
	at := progress.HintingAt(m.step.Step, m.attempts)
	id, all, seen := at.Check, at.Hints, at.Seen
	if m.step.State == standing.Passed {
		return text.Wrap(m.lang.Say("This step has full marks. There is nothing left to hint at."), width)
	}
	title := id
	for _, c := range m.step.Checks {
		if c.ID == id {
			title = lang.Of(c.Title).In(m.lang)
		}
	}
	which := m.lang.Say("for the first check that did not pass:")
	if m.step.Last == nil {
		which = m.lang.Say("for the first check:")
	}
	lines := []string{m.theme.Faint.Render(which), m.theme.Bold.Render(text.Cut(title, width)), ""}
	if diagnosis := m.diagnosis(id); diagnosis != "" {
		lines = append(lines, m.theme.Accent.Render(m.lang.Say("The diagnosis")))
		lines = append(append(lines, text.Wrap(diagnosis, width)...), "")
	}
	for i, h := range all[:seen] {
		lines = append(lines, m.theme.Accent.Render(m.lang.Say("Hint %d of %d", i+1, len(all))))
		lines = append(append(lines, text.Wrap(lang.Of(h.Text).In(m.lang), width)...), "")
	}
	switch {
	case len(all) == 0:
		lines = append(lines, text.Wrap(m.lang.Say("The course has no hints for this check. Its lesson explains it; press 1."), width)...)
	case seen == 0:
		lines = append(lines, text.Wrap(m.lang.Say("There are %d hints, each a step closer to the code. Press h for the first one.", len(all)), width)...)
	case seen < len(all):
		lines = append(lines, m.theme.Faint.Render(m.lang.Say("Press h for the next one.")))
	default:
		lines = append(lines, m.theme.Faint.Render(m.lang.Say("That was the last one.")))
	}
	return lines
}

// diagnosis returns what explains the failure of a check in this session's
// report, or "".
func (m *Model) diagnosis(check string) string {
	if m.step.Report == nil {
		return ""
	}
	for _, c := range m.step.Report.Checks {
		if c.ID == check {
			return c.Diagnosis.Text.In(m.lang)
		}
	}
	return ""
}

// history lists the attempts at the step, newest first, with a bar for the
// score of each, and the hints that were shown in between.
func (m *Model) history() []string {
	var lines []string
	attempts := progress.At(m.step.Step, m.attempts)
	for i, a := range slices.Backward(attempts) {
		switch {
		case a.Hint > 0:
			lines = append(lines, m.theme.Faint.Render(text.Pad(m.when(a), 12)+strings.Repeat(" ", 17)+m.lang.Say("hint %d for %s", a.Hint, a.HintFor)))
		default:
			lines = append(lines, m.attempt(a, attempts[:i]))
		}
	}
	if len(lines) == 0 {
		return text.Wrap(m.lang.Say("No attempts yet. Save a file of this step, or press r, and the score appears here."), min(m.width, measure))
	}
	return append([]string{m.theme.Faint.Render(m.lang.Say("newest first")), ""}, lines...)
}

// when is the time of an attempt.
func (m *Model) when(a progress.Attempt) string {
	return a.Time.Local().Format(m.lang.Say("2 Jan 15:04"))
}

// attempt is a line about an attempt: its score, by how much that is more or less
// than that of the one before, and how it ended.
func (m *Model) attempt(a progress.Attempt, earlier []progress.Attempt) string {
	change := ""
	for _, before := range slices.Backward(earlier) {
		if before.Hint == 0 {
			if by := a.Score - before.Score; by != 0 {
				change = strings.ReplaceAll(fmt.Sprintf("%+d", by), "-", "−")
			}
			break
		}
	}
	kind := verdict.Kind(a.Verdict)
	sign, style := badge.Verdict(m.theme, kind)
	bar := meter.Line(m.theme, style, a.Score, a.Max, max(0, min(30, m.width-54)))
	return fmt.Sprintf("%s  %s %s  %s  %s", text.Pad(m.when(a), 12), text.Right(fmt.Sprintf("%d/%d", a.Score, a.Max), 7),
		m.theme.Faint.Render(text.Right(change, 5)), bar, style.Render(sign+" "+kind.Text().In(m.lang)))
}
