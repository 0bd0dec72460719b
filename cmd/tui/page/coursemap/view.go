package coursemap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/component/badge"
	"github.com/stubformer/stubformer/cmd/tui/component/meter"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/grader/lang"
)

// The width from which what is known of a step stands beside the list, and the list's then.
const sideBySide, listWide = 96, 54

// View draws the page: the list, and below it or beside it what is to be known of the step
// under the cursor.
func (m *Model) View() string {
	if !m.loaded {
		return text.Block([]string{"", m.lang.Say("Reading your history …")}, m.width, m.height)
	}
	if m.width >= sideBySide {
		return m.beside()
	}
	if m.tight() {
		return text.Block(slices.Concat(m.inWindow(m.width), m.total(m.width), m.below(m.width)), m.width, m.height)
	}
	lines := slices.Concat([]string{""}, m.rows(m.width), m.total(m.width), m.below(m.width))
	return text.Block(lines, m.width, m.height)
}

// inWindow are the rows that there is room for; the first and the last of them say how many
// are above and below.
func (m *Model) inWindow(width int) []string {
	rows := m.rows(width)
	from, to := m.window(len(rows))
	shown := slices.Clone(rows[from:to])
	above, below := from, len(rows)-to
	if len(shown) >= 5 { // a line of its own for each; the cursor stands in neither
		if above > 0 {
			above, shown[0] = above+1, ""
		}
		if below > 0 {
			below, shown[len(shown)-1] = below+1, ""
		}
	}
	if above > 0 {
		shown[0] = text.Spread(shown[0], m.theme.Faint.Render(m.lang.Say("▲ %d more", above)), width)
	}
	if last := len(shown) - 1; below > 0 {
		shown[last] = text.Spread(shown[last], m.theme.Faint.Render(m.lang.Say("▼ %d more", below)), width)
	}
	return shown
}

// tight reports whether there is no room for empty lines and long sentences.
func (m *Model) tight() bool { return m.height < len(m.places())+8 }

// window returns which lines of the list there is room for, around the cursor: what
// is to be known or done always stands below them.
func (m *Model) window(lines int) (from, to int) {
	below := len(m.total(m.width))
	if m.width < sideBySide {
		below += len(m.below(m.width))
	}
	room := min(lines, max(1, m.height-below))
	at := slices.Index(m.places(), m.cursor)
	from = max(0, min(at-room/2, lines-room))
	return from, from + room
}

// places says which step stands in each line of the list; below 0 for the name of
// a track, which stands above the steps of each but the first.
func (m *Model) places() []int {
	var places []int
	for i, s := range m.course.Steps {
		if i > 0 && s.Track != m.course.Steps[i-1].Track {
			places = append(places, -1)
		}
		places = append(places, i)
	}
	return places
}

// rows are all steps by their tracks.
func (m *Model) rows(width int) []string {
	var lines []string
	places := m.places()
	for line, i := range places {
		if i < 0 {
			track := m.course.Steps[places[line+1]].Track
			lines = append(lines, "    "+m.theme.Bold.Render(track.Text().In(m.lang)))
			continue
		}
		lines = append(lines, m.row(m.course.Steps[i], i == m.cursor, width))
	}
	return lines
}

// row is a step in one line: its points, also as a bar, and its state.
func (m *Model) row(s standing.Step, selected bool, width int) string {
	points := "–"
	if s.Best != nil {
		points = fmt.Sprint(s.Best.Score)
		if s.Best.Max != fullMarks {
			points += fmt.Sprintf("/%d", s.Best.Max)
		}
	}
	const barWide, roomForBar = 10, 64
	points, state := text.Right(points, 6), badge.State(m.theme, s, m.lang)
	bar := "  "
	if width >= roomForBar || m.width >= sideBySide {
		bar = "  " + meter.Bar(m.theme, s.Points(), s.Top(), barWide) + "  "
	}
	if what := m.busy[s.ID]; what != "" { // what was known is old
		points, state = m.theme.Faint.Render(points), m.theme.Accent.Render("… "+what)
	}
	next := " "
	if n := m.course.Next(); n != nil && n.ID == s.ID {
		next = m.theme.Accent.Render("→")
	}
	line := next + " " + text.Pad(s.ID[len("step"):]+" "+s.Name, 15) + points + bar + text.Pad(state, max(14, text.Width(state)))
	if room := width - text.Width(line) - 5; room > 20 {
		line += "  " + m.theme.Faint.Render(text.Cut(short(lang.Of(s.Title).In(m.lang), room), room))
	}
	if selected {
		return m.theme.Selected.Render("▌ ") + m.theme.Row.Render(text.Pad(ansi.Strip(line), width-2))
	}
	return "  " + line
}

// short is a title, or where that is wider than its room what stands before its first comma
// or colon.
func short(title string, room int) string {
	if end := strings.IndexAny(title, ",:，：、"); end > 0 && text.Width(title) > room {
		return title[:end]
	}
	return title
}

// fullMarks is what a step brings, unless checks are left out of the points.
const fullMarks = 100

// Sum is the line about the core, in a width: points, as a bar where there is room, and how
// many steps have passed.
func (m *Model) Sum(width int) string {
	if !m.loaded {
		return ""
	}
	points, top, passed, steps := m.course.Total(false)
	left, right := fmt.Sprintf("%d/%d", points, top), m.lang.Say("%d/%d passed", passed, steps)
	if m.course.Electives() {
		left = m.lang.Say("core") + " " + left
	}
	room := width - text.Width(left) - text.Width(right) - 3
	switch {
	case room >= 6:
		return left + " " + meter.Bar(m.theme, points, top, min(20, room)) + "  " + right
	case room >= 0:
		return left + "  " + right
	}
	return text.Cut(left, max(width, 0))
}

// total is what stands under the list.
func (m *Model) total(width int) []string {
	var lines []string
	if m.course.Electives() {
		points, top, passed, steps := m.course.Total(true)
		words := m.lang.Say("%d of %d steps passed", passed, steps)
		left := "    " + text.Pad(m.lang.Say("electives"), 15) + text.Right(fmt.Sprintf("%d/%d", points, top), 8) + "  "
		bar := meter.Bar(m.theme, points, top, max(0, min(30, width-text.Width(left)-text.Width(words)-3)))
		lines = append(lines, left+bar+"  "+words)
		if !m.tight() {
			lines = append([]string{""}, lines...)
		}
	}
	lines = append(lines, m.milestones(width)...)
	if m.course.Damaged > 0 {
		lines = append(lines, "", m.theme.Warn.Render("  "+m.lang.Say("%d line(s) of .stubformer/history.jsonl cannot be read and are left out.", m.course.Damaged)))
	}
	return lines
}
