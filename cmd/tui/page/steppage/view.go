package steppage

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/component/badge"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/grader/lang"
)

// fill writes the content of the open tab.
func (m *Model) fill() {
	if m.step.Step == nil {
		return
	}
	var lines []string
	switch m.tabs.Active {
	case LessonTab:
		lines = strings.Split(m.lesson, "\n")
	case HintsTab:
		lines = m.hints()
	case CompareTab:
		lines = m.compare()
	case HistoryTab:
		lines = m.history()
	}
	m.content = strings.Join(lines, "\n")
	m.scroll.SetContent(m.content)
	m.scroll.SetYOffset(m.scroll.YOffset) // no further down than there are lines
}

// View draws the page.
func (m *Model) View() string {
	if m.step.Step == nil {
		return text.Block(nil, m.width, m.height)
	}
	lines := []string{m.title(), "", m.tabs.View(m.theme), ""}
	body := m.scroll.View()
	if m.tabs.Active == ChecksTab {
		body = m.checks.View()
	}
	lines[len(lines)-1] = text.Spread(cmp.Or(m.asked(), m.theme.Accent.Render(m.todo())), m.more(), m.width)
	return text.Block(append(lines, strings.Split(body, "\n")...), m.width, m.height)
}

// todo says what to do while nothing has been written, or "".
func (m *Model) todo() string {
	if m.tabs.Active != ChecksTab || m.step.State != standing.Untouched && m.step.State != standing.Blocked {
		return ""
	}
	where := "steps/" + m.step.Folder
	if len(m.step.Files) == 1 {
		where += "/" + m.step.Files[0]
	}
	return m.lang.Say("Nothing is written yet. Write your code in %s and save.", where)
}

// title is the line about the step.
func (m *Model) title() string {
	right := badge.State(m.theme, m.step, m.lang)
	if m.step.Best != nil {
		right = m.lang.Say("best %d/%d  ", m.step.Best.Score, m.step.Best.Max) + right
		if now := m.step.Last.Score; now != m.step.Best.Score {
			right = m.lang.Say("now %d, ", now) + right
		}
	}
	return text.Spread(m.theme.Bold.Render(m.step.ID)+"  "+lang.Of(m.step.Title).In(m.lang), right, m.width)
}

// more says that there is more below, or how far a long text is scrolled.
func (m *Model) more() string {
	switch {
	case m.tabs.Active == ChecksTab && m.checks.More():
		return m.theme.Accent.Render(m.lang.Say("▼ more below"))
	case m.tabs.Active != ChecksTab && m.scroll.TotalLineCount() > m.scroll.Height:
		return m.theme.Faint.Render(fmt.Sprintf("%3.0f %%", 100*m.scroll.ScrollPercent()))
	}
	return ""
}
