// Package film draws a session at a terminal as a moving picture: one SVG that any
// browser plays, in light or dark as the page is.
package film

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Scene is a command and what it prints: a screen of its own.
type Scene struct {
	Command string
	Lines   []Line
	Hold    time.Duration // how long the whole stands
}

// Line is a line of output, which may be coloured as terminals understand it, and when
// it appears after the command was typed.
type Line struct {
	Text string
	At   time.Duration
}

// The size of the screen, in characters, and of a character, in units of the picture.
const (
	Columns  = 80
	Rows     = 22
	charWide = 8.4
	lineHigh = 18.0
	margin   = 16.0
)

// The pace of the hand that types, and how long it waits before.
const (
	keyEvery = 45 * time.Millisecond
	breath   = 600 * time.Millisecond
)

// Write draws the scenes, one after the other and then again. The picture begins when all
// of the first is on the screen: who looks at it once, or where nothing moves, sees that,
// and no empty screen. Lines go on below where they are too wide, and the screen scrolls
// where a scene has more of them than it. Its error is that of w.
func Write(w io.Writer, title string, scenes []Scene) error {
	out := &writer{Writer: bufio.NewWriter(w)}
	scenes = slices.Clone(scenes)
	for i, s := range scenes {
		scenes[i].Lines = wrapped(s.Lines)
		out.whole += s.length()
	}
	if len(scenes) > 0 {
		out.opens = scenes[0].length() - scenes[0].Hold
	}
	out.head(title, Columns, Rows, scenes)
	for i, s := range scenes {
		out.scene(i, s)
	}
	out.printf("</svg>\n")
	return out.Flush()
}

// wrapped returns lines as a terminal shows them: what is too wide goes on in the next.
func wrapped(lines []Line) []Line {
	var all []Line
	for _, l := range lines {
		for piece := range strings.SplitSeq(ansi.Hardwrap(l.Text, Columns, true), "\n") {
			all = append(all, Line{Text: piece, At: l.At})
		}
	}
	return all
}

// Still draws one screen as it is, without a command above it. Its error is that of w.
func Still(w io.Writer, title string, screen []string) error {
	out := &writer{Writer: bufio.NewWriter(w)}
	wide := 0
	for _, line := range screen {
		wide = max(wide, ansi.StringWidth(line))
	}
	lines := make([]Line, len(screen))
	for i, text := range screen {
		lines[i].Text = text
	}
	out.head(title, wide, len(screen), []Scene{{Lines: lines}})
	for row, line := range screen {
		out.text(row, line)
	}
	out.printf("</svg>\n")
	return out.Flush()
}

// length returns how long a scene takes.
func (s Scene) length() time.Duration {
	last := time.Duration(0)
	for _, l := range s.Lines {
		last = max(last, l.At)
	}
	return s.typed() + last + s.Hold
}

// typed returns when the command has been typed.
func (s Scene) typed() time.Duration {
	return 2*breath + time.Duration(len(s.Command))*keyEvery
}

// writer writes a picture whose scenes share one clock, which begins again after whole.
// The first error of what is below is kept there, and returned by Flush.
type writer struct {
	*bufio.Writer
	whole, begin time.Duration // of all scenes; of the one that is written
	opens        time.Duration // the moment at which the picture begins
	rules        int
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// head begins a picture of so many columns and rows, with what it shows in words.
func (w *writer) head(title string, columns, rows int, scenes []Scene) {
	wide, high := 2*margin+float64(columns)*charWide, 2*margin+float64(rows)*lineHigh
	w.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" role="img" aria-labelledby="title desc">`+"\n", wide, high, wide, high)
	w.printf("<title id=\"title\">%s</title>\n<desc id=\"desc\">", html.EscapeString(title))
	for _, s := range scenes {
		if s.Command != "" {
			w.printf("$ %s\n", html.EscapeString(s.Command))
		}
		for _, l := range s.Lines {
			xml.EscapeText(w, []byte(ansi.Strip(l.Text)+"\n"))
		}
	}
	w.printf("</desc>\n<style>%s</style>\n", style)
	w.printf(`<clipPath id="rows"><rect x="0" y="%g" width="%g" height="%g"/></clipPath>`+"\n", margin, wide-margin, float64(rows)*lineHigh)
	w.printf(`<rect class="screen" x="0.5" y="0.5" width="%g" height="%g" rx="8"/>`+"\n", wide-1, high-1)
}

// style colours the picture. Where nothing moves the first scene stands whole.
const style = `
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre }
.screen { fill: #ffffff; stroke: #d1d9e0 }
.cover { fill: #ffffff }
.good { fill: #116329 } .bad { fill: #cf222e } .faint { fill: #59636e } .bold { font-weight: bold }
.warn { fill: #7d4e00 } .accent { fill: #0550ae } .chosen { font-weight: bold } .row { fill: #dcebf7 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .screen { fill: #0d1117; stroke: #3d444d }
  .cover { fill: #0d1117 }
  .good { fill: #3fb950 } .bad { fill: #ff7b72 } .faint { fill: #9198a1 }
  .warn { fill: #e3b341 } .accent { fill: #79c0ff } .row { fill: #12405e }
}
.shown { visibility: hidden }
.first, .first .shown { visibility: visible }
@media (prefers-reduced-motion: reduce) {
  .shown, .cover, .rows { animation: none !important }
}
`

// scene writes a scene: the command is uncovered from the left, then each line appears.
func (w *writer) scene(i int, s Scene) {
	end := w.begin + s.length()
	first := ""
	if i == 0 {
		first = " first"
	}
	w.printf(`<g class="shown%s" clip-path="url(#rows)" style="%s">`+"\n", first, w.between(w.begin, end))
	w.printf(`<g class="rows" style="%s">`+"\n", w.scroll(w.begin+s.typed(), s.Lines))
	w.text(0, "\x1b[2m$\x1b[0m "+s.Command)
	w.printf(`<rect class="cover" x="%g" y="%g" width="%g" height="%g" style="%s"/>`+"\n", margin+2*charWide, margin,
		float64(len(s.Command))*charWide, lineHigh, w.uncover(w.begin+breath, len(s.Command)))
	for row := 0; row < len(s.Lines); {
		at := s.Lines[row].At
		w.printf(`<g class="shown" style="%s">`+"\n", w.between(w.begin+s.typed()+at, end))
		for ; row < len(s.Lines) && s.Lines[row].At == at; row++ {
			w.text(above+row, s.Lines[row].Text)
		}
		w.printf("</g>\n")
	}
	w.printf("</g>\n</g>\n")
	w.begin = end
}

// between returns the style of what is visible from one moment to another.
func (w *writer) between(from, to time.Duration) string {
	w.rules++
	w.printf("<style>@keyframes k%d { 0%% { visibility: hidden } %s { visibility: visible } %s { visibility: hidden } 100%% { visibility: hidden } }</style>\n",
		w.rules, w.percent(from), w.percent(to))
	return w.plays("step-end")
}

// plays returns the style that follows the rule that was written last, by a timing.
func (w *writer) plays(timing string) string {
	return fmt.Sprintf("animation: k%d %gs %s %gs infinite", w.rules, w.whole.Seconds(), timing, -w.opens.Seconds())
}

// above is how many rows the command takes, with an empty one below it.
const above = 2

// scroll returns the style of rows that move up, from a moment on, as lines come for which
// there is no room.
func (w *writer) scroll(from time.Duration, lines []Line) string {
	if above+len(lines) <= Rows {
		return ""
	}
	w.rules++
	w.printf("<style>@keyframes k%d { 0%% { transform: none }", w.rules)
	for row := Rows - above; row < len(lines); row++ {
		w.printf(" %s { transform: translateY(-%gpx) }", w.percent(from+lines[row].At), float64(above+row+1-Rows)*lineHigh)
	}
	w.printf(" }</style>\n")
	return w.plays("step-end")
}

// uncover returns the style of a cover that begins to leave at a moment, key by key. Where
// nothing moves it has left.
func (w *writer) uncover(from time.Duration, keys int) string {
	w.rules++
	to := from + time.Duration(keys)*keyEvery
	w.printf("<style>@keyframes k%d { 0%%, %s { transform: none; animation-timing-function: steps(%d) } %s, 100%% { transform: translateX(%gpx) } }</style>\n",
		w.rules, w.percent(from), max(keys, 1), w.percent(to), float64(keys)*charWide)
	return fmt.Sprintf("transform: translateX(%gpx); %s", float64(keys)*charWide, w.plays("ease"))
}

// percent returns a moment as a share of the whole.
func (w *writer) percent(at time.Duration) string {
	return fmt.Sprintf("%.3f%%", 100*float64(at)/float64(w.whole))
}

// text writes a line of the screen, each piece of one colour at its column.
func (w *writer) text(row int, line string) {
	y := margin + (float64(row)+0.75)*lineHigh
	column := 0
	for _, p := range pieces(line) {
		if p.class == "chosen" {
			w.printf(`<rect class="row" x="%g" y="%g" width="%g" height="%g"/>`, margin+float64(column)*charWide, y-0.75*lineHigh,
				float64(ansi.StringWidth(p.text))*charWide, lineHigh)
		}
		if text := strings.TrimRight(p.text, " "); text != "" {
			lead := len(text) - len(strings.TrimLeft(text, " "))
			w.printf(`<text x="%g" y="%g" textLength="%g" class="%s">`, margin+float64(column+lead)*charWide, y,
				float64(ansi.StringWidth(text[lead:]))*charWide, p.class)
			xml.EscapeText(w, []byte(text[lead:]))
			w.printf("</text>\n")
		}
		column += ansi.StringWidth(p.text)
	}
}
