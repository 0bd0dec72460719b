// Package surprise writes a text whose characters have the colour of how much they
// surprised a model: the more, the warmer.
package surprise

import (
	"math"
	"strings"
	"unicode"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

// bounds are the surprises, in nats, at which a warmer colour begins: probabilities
// of 61 %, 37 %, 14 % and 2 %.
var bounds = []float64{0.5, 1, 2, 4}

// level is the colour of a surprise; −1 for what was not foretold.
func level(nats float64) int {
	if math.IsNaN(nats) {
		return -1
	}
	n := 0
	for n < len(bounds) && nats >= bounds[n] {
		n++
	}
	return n
}

// Lines wraps a text to a width and colours it. nats has the surprise of each
// character, NaN for one that was not foretold; what is beyond its end is not
// coloured.
func Lines(t theme.Theme, said string, nats []float64, width int) []string {
	said = untrusted.Visible(said) // as many characters as before
	all, at := []rune(said), 0
	var lines []string
	for _, line := range text.Wrap(said, width) {
		var b, run strings.Builder
		now := -1
		flush := func() {
			if now >= 0 {
				b.WriteString(t.Surprise[now].Render(run.String()))
			} else {
				b.WriteString(run.String())
			}
			run.Reset()
		}
		for _, c := range line {
			for at < len(all) && all[at] != c && unicode.IsSpace(all[at]) {
				at++ // where the line was broken
			}
			next := now // a space that is not in the text has the colour before it
			if at < len(all) && all[at] == c {
				next = -1
				if at < len(nats) {
					next = level(nats[at])
				}
				at++
			}
			if next != now {
				flush()
				now = next
			}
			run.WriteRune(c)
		}
		flush()
		lines = append(lines, b.String())
	}
	return lines
}

// Legend says what the colours mean; it is empty where there are none.
func Legend(t theme.Theme, p lang.Printer, width int) []string {
	if !t.Colour {
		return nil
	}
	names := []string{p.Say("p above %d %%", 61), p.Say("%d to %d %%", 61, 37), p.Say("to %d %%", 14), p.Say("to %d %%", 2), p.Say("less")}
	items := []string{t.Faint.Render(p.Say("its own surprise:"))}
	for i, name := range names {
		items = append(items, t.Surprise[i].Render("■ "+name))
	}
	return text.Flow(items, width)
}
