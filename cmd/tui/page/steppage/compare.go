package steppage

import (
	"github.com/charmbracelet/lipgloss"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
)

// compare shows the student's files beside the solution's.
func (m *Model) compare() []string {
	width := min(m.width, measure)
	switch {
	case !m.step.HasPassed():
		points, top := m.step.Points(), m.step.Max()
		return text.Wrap(m.lang.Say("When this step has full marks, your code stands here beside the solution. So far it has %d of %d points.", points, top), width)
	case m.trouble != nil:
		return text.Wrap(m.lang.Say("The files cannot be compared: %v.", m.trouble), width)
	case m.pairs == nil:
		return []string{m.lang.Say("Reading the files …")}
	}
	var lines []string
	m.differ = nil
	for _, p := range m.pairs {
		lines = append(lines, m.pair(p, len(lines))...)
	}
	return lines
}

// toDifference scrolls to a place where the files differ; behind the last comes the
// first.
func (m *Model) toDifference(n int) {
	const above = 3 // lines that are seen above it
	if len(m.differ) > 0 {
		m.place = n % len(m.differ)
		m.scroll.SetYOffset(max(0, m.differ[m.place]-above))
	}
}

// twoColumns is the width from which two files stand side by side.
const twoColumns = 100

// pair shows one file: side by side in a wide window, else one below the other
// with − and + in front of what differs. Its first line is the given one of all.
func (m *Model) pair(p standing.Pair, first int) []string {
	rows := text.Align(p.Mine, p.Solution)
	if m.width >= twoColumns {
		half := (m.width - 3) / 2
		lines := []string{text.Pad(m.theme.Bold.Render(m.lang.Say("yours: %s", p.Name)), half) + m.theme.Faint.Render(" │ ") + m.theme.Bold.Render(m.lang.Say("the solution: %s", p.Name))}
		for i, r := range rows {
			if !r.Same && (i == 0 || rows[i-1].Same) {
				m.differ = append(m.differ, first+len(lines))
			}
			lines = append(lines, m.besides(r, half)...)
		}
		return append(lines, "")
	}
	lines := []string{m.theme.Bold.Render(p.Name), m.theme.Faint.Render(m.lang.Say("− only yours   + only the solution's")), ""}
	for i := 0; i < len(rows); {
		if rows[i].Same {
			lines = append(lines, m.marked("  ", rows[i].Left)...)
			i++
			continue
		}
		end := i
		for end < len(rows) && !rows[end].Same {
			end++
		}
		m.differ = append(m.differ, first+len(lines))
		lines = append(lines, m.changes(rows[i:end])...)
		i = end
	}
	return append(lines, "")
}

// besides puts a row of two texts side by side, with a sign between them if
// they differ. Lines that are too long go on below.
func (m *Model) besides(r text.Row, half int) []string {
	left, right := text.Wrap(r.Left+"\n", half), text.Wrap(r.Right+"\n", half)
	if r.Same {
		return text.Beside(left, right, half, m.theme.Faint.Render(" │ "))
	}
	return text.Beside(painted(m.theme.Bad, left), painted(m.theme.Good, right), half, m.theme.Accent.Render(" ≠ "))
}

// changes shows rows that differ: first what is only the student's.
func (m *Model) changes(rows []text.Row) []string {
	var mine, theirs []string
	for _, r := range rows {
		if r.Left != "" {
			mine = append(mine, painted(m.theme.Bad, m.marked("− ", r.Left))...)
		}
		if r.Right != "" {
			theirs = append(theirs, painted(m.theme.Good, m.marked("+ ", r.Right))...)
		}
	}
	return append(mine, theirs...)
}

// painted gives lines a style.
func painted(style lipgloss.Style, lines []string) []string {
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	return lines
}

// marked puts a sign in front of a line, which goes on below if it is long.
func (m *Model) marked(sign, line string) []string {
	lines := text.Wrap(line+"\n", m.width-2)
	for i := range lines {
		lines[i] = sign + lines[i]
	}
	return lines
}
