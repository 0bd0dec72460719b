package steppage

import (
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/standing"
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
	for _, p := range m.pairs {
		lines = append(lines, m.pair(p)...)
	}
	return lines
}

// twoColumns is the width from which two files stand side by side.
const twoColumns = 100

// pair shows one file: side by side in a wide window, else one below the other
// with − and + in front of what differs.
func (m *Model) pair(p standing.Pair) []string {
	rows := text.Align(p.Mine, p.Solution)
	if m.width >= twoColumns {
		half := (m.width - 3) / 2
		lines := []string{text.Pad(m.theme.Bold.Render(m.lang.Say("yours: %s", p.Name)), half) + m.theme.Faint.Render(" │ ") + m.theme.Bold.Render(m.lang.Say("the solution: %s", p.Name))}
		for _, r := range rows {
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
		lines = append(lines, m.changes(rows[i:end])...)
		i = end
	}
	return append(lines, "")
}

// besides puts a row of two texts side by side, with a sign between them if
// they differ. Lines that are too long go on below.
func (m *Model) besides(r text.Row, half int) []string {
	sign := m.theme.Accent.Render(" ≠ ")
	if r.Same {
		sign = m.theme.Faint.Render(" │ ")
	}
	return text.Beside(text.Wrap(r.Left+"\n", half), text.Wrap(r.Right+"\n", half), half, sign)
}

// changes shows rows that differ: first what is only the student's.
func (m *Model) changes(rows []text.Row) []string {
	var mine, theirs []string
	for _, r := range rows {
		if r.Left != "" {
			mine = append(mine, m.marked(m.theme.Bad.Render("− "), r.Left)...)
		}
		if r.Right != "" {
			theirs = append(theirs, m.marked(m.theme.Good.Render("+ "), r.Right)...)
		}
	}
	return append(mine, theirs...)
}

// marked puts a sign in front of a line, which goes on below if it is long.
func (m *Model) marked(sign, line string) []string {
	lines := text.Wrap(line+"\n", m.width-2)
	for i := range lines {
		lines[i] = sign + lines[i]
	}
	return lines
}
