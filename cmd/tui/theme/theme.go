// Package theme holds the colours and marks of the dashboard. The colours come
// from the palette of Okabe and Ito (2008), which people with any kind of
// colour vision can tell apart; and no colour says what a word or a sign beside
// it does not say as well.
package theme

import (
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/stubformer/stubformer/cmd/tui/standing"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Theme is how things look.
type Theme struct {
	Bold, Faint, Good, Bad, Warn, Accent lipgloss.Style
	Selected                             lipgloss.Style // the row under the cursor
	Lines                                []lipgloss.Style
	Dark                                 bool // the background is dark
	Colour                               bool // the terminal shows colours, and the person wants them
}

// New returns the theme for a renderer's terminal.
func New(r *lipgloss.Renderer) Theme {
	fg := func(light, dark string) lipgloss.Style {
		return r.NewStyle().Foreground(lipgloss.AdaptiveColor{Light: light, Dark: dark})
	}
	t := Theme{
		Bold:     r.NewStyle().Bold(true),
		Faint:    fg("#5c5c5c", "#949494"),
		Good:     fg("#00705a", "#2cc79a"),
		Bad:      fg("#b34700", "#ff8c42"),
		Warn:     fg("#8a6000", "#e8b923"),
		Accent:   fg("#0062a3", "#5cb8f0"),
		Selected: fg("#0062a3", "#5cb8f0").Bold(true),
		Dark:     r.HasDarkBackground(),
		Colour:   r.ColorProfile() != termenv.Ascii,
	}
	for _, c := range [][2]string{{"#0072b2", "#56b4e9"}, {"#d55e00", "#ff8c42"}, {"#007a5a", "#2cc79a"}, {"#a0507f", "#e39ac4"}, {"#8a6000", "#e8b923"}, {"#333333", "#dddddd"}} {
		t.Lines = append(t.Lines, fg(c[0], c[1]))
	}
	return t
}

// Line returns the style of the i-th line of a picture.
func (t Theme) Line(i int) lipgloss.Style { return t.Lines[i%len(t.Lines)] }

// State writes a state as a sign and a word, in the language of p.
func (t Theme) State(s standing.Step, p lang.Printer) string {
	sign, style := "○ ", t.Faint
	switch s.State {
	case standing.Passed:
		sign, style = "✓ ", t.Good
	case standing.InWork:
		sign, style = "● ", t.Warn
	case standing.Blocked:
		sign = "◌ "
	}
	return style.Render(sign + s.Words().In(p))
}

// Verdict returns the sign and the style of a verdict.
func (t Theme) Verdict(k verdict.Kind) (sign string, style lipgloss.Style) {
	switch k {
	case verdict.Passed:
		return "✓", t.Good
	case verdict.NotImplemented, verdict.Blocked:
		return "○", t.Faint
	case "":
		return " ", t.Faint
	case verdict.GraderError:
		return "!", t.Warn
	}
	return "✗", t.Bad
}
