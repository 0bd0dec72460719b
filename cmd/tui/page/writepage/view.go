package writepage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/tui/component/surprise"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

// View draws the page.
func (m *Model) View() string {
	lines := append(m.title(), "")
	for _, line := range text.Wrap(m.trouble, m.width-2) {
		lines = append(lines, m.theme.Warn.Render("! "+line))
	}
	switch {
	case m.typing:
		lines = append(append(lines, m.theme.Accent.Render(m.lang.Say("The text begins:"))), m.prompted()...)
	case !m.ready && m.trouble == "":
		lines = append(lines, m.lang.Say("Building the program around your code …"))
	case len(m.answer.Tokens) > 0:
		lines = append(lines, m.picture(m.height-len(lines))...)
	}
	return text.Block(lines, m.width, m.height)
}

// title says whose model writes, and how.
func (m *Model) title() []string {
	q := m.question
	return text.Flow([]string{
		m.theme.Bold.Render(m.run),
		m.theme.Faint.Render(m.lang.Say("temperature %.1f", q.Temperature)),
		m.theme.Faint.Render(m.lang.Say("top-p %.2f", q.TopP)),
		m.theme.Faint.Render(m.lang.Say("seed %d", q.Seed)),
	}, m.width)
}

// prompted is the prompt as it is being typed.
func (m *Model) prompted() []string { return text.Wrap(untrusted.Visible(m.typed)+"▏", m.width) }

// sideBySide is the width from which the bars stand beside the text.
const sideBySide = 100

// picture is the text and the bars.
func (m *Model) picture(height int) []string {
	if m.width >= sideBySide {
		left := m.width * 3 / 5
		bars := m.next(m.width-left-3, height)
		written := m.written(left, height)
		return text.Beside(written, bars, left, m.theme.Faint.Render(" │ "))
	}
	// The text grows in a room of its own, so that what stands below it stays where it is.
	below := max(6, height/2)
	room := max(3, height-below-1)
	written := m.written(m.width, room)
	return slices.Concat(written, make([]string, max(0, room-len(written))+1), m.next(m.width, below))
}

// written is the end of the text, as far as there is room for it.
func (m *Model) written(width, height int) []string {
	var said strings.Builder
	var nats []float64
	for _, p := range m.answer.Pieces {
		if said.Len() == 0 && strings.TrimSpace(p.Text) == "" {
			continue // an empty prompt is a line end
		}
		said.WriteString(p.Text)
		for range p.Text {
			nats = append(nats, p.Surprise)
		}
	}
	end := "▌"
	if m.answer.Ended {
		end = " " + m.lang.Say("(the model has ended its text)")
	}
	lines := surprise.Lines(m.theme, said.String()+end, nats, width)
	legend := surprise.Legend(m.theme, m.lang, width)
	if 2*len(legend) > height {
		legend = nil
	}
	if room := height - len(legend) - 1; len(legend) > 0 {
		return append(append(lines[max(0, len(lines)-room):], ""), legend...)
	}
	return lines[max(0, len(lines)-height):]
}

// next are the tokens that may come next, as bars.
func (m *Model) next(width, height int) []string {
	a := m.answer
	lines := []string{m.theme.Faint.Render(text.Cut(m.lang.Say("what may come next: %d of the tokens", a.Can), width))}
	label := 3
	for _, g := range a.Next {
		label = max(label, text.Width(shown(g.Text)))
	}
	label = min(label, width/4)
	const percent = len(" 100.0 %")
	room := max(4, width-label-percent-2)
	bar := func(name string, p float64, weak bool) string {
		style, blocks := m.theme.Line(0), lang.Bar(p, room)
		if weak {
			style, blocks = m.theme.Faint, strings.ReplaceAll(blocks, "█", "▒")
		}
		return text.Pad(name, label) + "  " + style.Render(blocks) + fmt.Sprintf(" %.1f %%", 100*p)
	}
	rest := a.Rest
	for i, g := range a.Next {
		if len(lines) == height-1 && i < len(a.Next)-1 {
			for _, other := range a.Next[i:] {
				rest += other.P
			}
			break
		}
		lines = append(lines, bar(shown(g.Text), g.P, false))
	}
	if rest > 0.0005 {
		lines = append(lines, bar("…", rest, true))
	}
	return lines
}

// shown makes what cannot be seen of a token visible.
func shown(token string) string {
	return untrusted.Visible(strings.NewReplacer(" ", "␣", "\n", "↵", "\t", "⇥", "\r", "␍").Replace(token))
}
