package app

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/component/ascii"
	"github.com/stubformer/stubformer/cmd/tui/component/helpline"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/grader/verdict"
)

// resize gives every part its room.
func (m *Model) resize() tea.Cmd {
	body := max(0, m.height-2-len(m.foot()))
	m.courses.SetSize(m.width, body)
	m.train.SetSize(m.width, body)
	m.plots.SetSize(m.width, body)
	m.card.SetSize(m.width, body)
	m.write.SetSize(m.width, body)
	return m.step.SetSize(m.width, body)
}

// The least window in which the pages can be read.
const (
	leastWidth  = 50
	leastHeight = 15
)

// View draws the dashboard.
func (m *Model) View() string {
	if m.theme.Plain {
		return ascii.Of(m.view())
	}
	return m.view()
}

func (m *Model) view() string {
	switch {
	case m.width == 0:
		return ""
	case m.width < leastWidth || m.height < leastHeight:
		small := m.lang.Say("The window has %d × %d characters; the dashboard needs %d × %d.", m.width, m.height, leastWidth, leastHeight)
		return text.Block(text.Wrap(small, m.width), m.width, m.height)
	case m.help:
		return text.Block(m.allKeys(), m.width, m.height)
	}
	var body string
	switch m.page {
	case stepPage:
		body = m.step.View()
	case trainPage:
		body = m.train.View()
	case plotPage:
		body = m.plots.View()
	case cardPage:
		body = m.card.View()
	case writePage:
		body = m.write.View()
	default:
		body = m.courses.View()
	}
	foot := strings.Join(m.foot(), "\n")
	return strings.Join([]string{m.head(), body, "", foot}, "\n")
}

// head is the line on top: where you are, and what is going on.
func (m *Model) head() string {
	right := m.lang.Say("○ not watching")
	if m.watch != nil {
		right = m.lang.Say("● watching your files")
	}
	switch {
	case m.grading != nil:
		right = m.spinner.View() + " " + m.lang.Say("%s: %s", m.grading.Step.ID, m.doing)
	case m.learns != "":
		right = m.spinner.View() + " " + m.lang.Say("%s: %s", m.learns, m.lang.Say("learning"))
	case m.train.Active():
		right = m.spinner.View() + " " + m.train.Doing()
	case m.page == writePage && m.write.Doing() != "":
		right = m.write.Doing()
	}
	left := m.theme.Bold.Render("Stubformer")
	if m.page == mapPage {
		left += "  " + m.courses.Sum(m.width-text.Width(left)-text.Width(right)-4)
	}
	return text.Spread(left, m.theme.Accent.Render(right), m.width)
}

// foot is the last news, if there is any, and the help.
func (m *Model) foot() []string {
	keys := append(m.pageKeys(), m.keys.Quit, m.keys.Watch, m.keys.Mouse)
	return append(m.newsLines(), helpline.Line(m.theme, keys, m.keys.Help, m.width))
}

// pageKeys are the keys that do something on the page.
func (m *Model) pageKeys() []key.Binding {
	switch m.page {
	case stepPage:
		return append(m.step.Help(), m.keys.Edit, m.gradeKey())
	case trainPage:
		return m.train.Help()
	case plotPage:
		return m.plots.Help()
	case cardPage:
		return m.card.Help()
	case writePage:
		return m.write.Help()
	}
	keys := append(m.courses.Help(), m.gradeKey(), m.keys.Train, m.keys.Plots)
	if _, _, passed, _ := m.course.Total(false); passed > 0 {
		keys = append(keys, m.keys.Card)
	}
	if m.course.NextMilestone() != nil {
		keys = append(keys, m.keys.Milestone)
	}
	return keys
}

// gradeKey is the key that grades, or while that goes on the one that cancels it.
func (m *Model) gradeKey() key.Binding {
	if m.grading != nil {
		return m.keys.Cancel
	}
	return m.keys.Grade
}

// newsLines are one line, or two if the news is long.
func (m *Model) newsLines() []string {
	const most = 2
	if m.trouble != "" {
		return []string{m.theme.Warn.Render(text.Cut("! "+m.trouble, m.width))}
	}
	if m.readOnly != "" && m.news == "" {
		return []string{m.theme.Warn.Render(text.Cut("! "+m.readOnly, m.width))}
	}
	lines := text.Wrap(m.news, m.width)
	switch {
	case len(lines) == 0:
		return []string{""}
	case len(lines) > most:
		return []string{lines[0], text.Cut(strings.Join(lines[1:], " "), m.width)}
	}
	return lines
}

// said writes how a grading ended.
func (m *Model) said(g engine.Graded) string {
	s := g.Report
	if s.Verdict == verdict.Passed && m.engine.HasSolutions() {
		return m.lang.Say("%s graded in %.1f s: %s, %s. Tab 4: the solution", s.ID, g.Took.Seconds(), s.Points(), s.Verdict.Text())
	}
	return m.lang.Say("%s graded in %.1f s: %s, %s", s.ID, g.Took.Seconds(), s.Points(), s.Verdict.Text())
}
