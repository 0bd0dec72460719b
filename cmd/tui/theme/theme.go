// Package theme holds the colours of the dashboard. The colours come
// from the palette of Okabe and Ito (2008), which people with any kind of
// colour vision can tell apart; and no colour says what a word or a sign beside
// it does not say as well.
package theme

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Theme is how things look.
type Theme struct {
	Bold, Faint, Good, Bad, Warn, Accent lipgloss.Style
	Selected                             lipgloss.Style // the sign and the name of what is under the cursor
	Row                                  lipgloss.Style // all of the row under the cursor
	Lines                                []lipgloss.Style
	Surprise                             []lipgloss.Style // of what was foretold, to what nobody expected
	Dark                                 bool             // the background is dark
	Colour                               bool             // the terminal shows colours, and the person wants them
	Plain                                bool             // it has nothing but ASCII
	Shades                               bool             // it shows shades of them, not only sixteen
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
		Row:      r.NewStyle().Background(lipgloss.AdaptiveColor{Light: "#dcebf7", Dark: "#12405e"}).Bold(true),
		Dark:     r.HasDarkBackground(),
		Colour:   r.ColorProfile() != termenv.Ascii,
		Shades:   r.ColorProfile() == termenv.TrueColor || r.ColorProfile() == termenv.ANSI256,
	}
	for _, c := range [][2]string{{"#0072b2", "#56b4e9"}, {"#d55e00", "#ff8c42"}, {"#007a5a", "#2cc79a"}, {"#a0507f", "#e39ac4"}, {"#8a6000", "#e8b923"}, {"#333333", "#dddddd"}} {
		t.Lines = append(t.Lines, fg(c[0], c[1]))
	}
	for _, c := range [][2]string{{"#5c5c5c", "#949494"}, {"#33691e", "#b5bd68"}, {"#7a5c00", "#e8b923"}, {"#b34700", "#ff8c42"}, {"#a8003c", "#ff6b81"}} {
		t.Surprise = append(t.Surprise, fg(c[0], c[1]))
	}
	return t
}

// Named returns the theme of a picture, which has its own colours for the names that the
// sixteen of a terminal have, in light and in dark.
func Named() Theme {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.ANSI)
	colour := func(n string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(n)) }
	t := New(r)
	t.Faint, t.Row = r.NewStyle().Faint(true), r.NewStyle().Reverse(true)
	t.Bad, t.Good, t.Warn, t.Accent = colour("1"), colour("2"), colour("3"), colour("4")
	t.Selected = t.Accent
	return t
}

// Line returns the style of the i-th line of a picture.
func (t Theme) Line(i int) lipgloss.Style { return t.Lines[i%len(t.Lines)] }
