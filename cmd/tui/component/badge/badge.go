// Package badge gives the state of a step and the verdict of a check their signs
// and colours.
package badge

import (
	"github.com/charmbracelet/lipgloss"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// State writes a state as a sign and a word, in the language of p.
func State(t theme.Theme, s standing.Step, p lang.Printer) string {
	style := t.Faint
	switch s.State {
	case standing.Passed:
		style = t.Good
	case standing.Wrong, standing.Broken:
		style = t.Bad
	case standing.InWork:
		style = t.Warn
	}
	return style.Render(s.State.Sign() + " " + s.Words().In(p))
}

// Verdict returns the sign and the style of a verdict.
func Verdict(t theme.Theme, k verdict.Kind) (sign string, style lipgloss.Style) {
	switch k {
	case verdict.Passed:
		style = t.Good
	case verdict.NotImplemented, verdict.Blocked, "":
		style = t.Faint
	case verdict.GraderError:
		style = t.Warn
	default:
		style = t.Bad
	}
	return k.Sign(), style
}
