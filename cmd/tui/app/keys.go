package app

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
)

// allKeys lists the keys of every page; those of the page on which a model writes stand
// there in place of the map's.
func (m *Model) allKeys() []string {
	s, c, t, p, w, g := m.step.Keys, m.courses.Keys, m.train.Keys, m.plots.Keys, m.write.Keys, m.keys
	columns := [][]key.Binding{
		{c.Up, c.Open, c.Next, g.Train, g.Plots, g.Milestone, g.Card},
		{s.Back, s.Next, s.Scroll, s.Find, s.Again, s.Hint, s.Differ},
		{g.Grade, g.Cancel, g.Edit},
		{t.Up, t.Start, t.Write, t.Config, t.Corpus, t.Samples, t.Stop, p.Impl, p.Save},
		{g.Watch, g.Mouse, g.Suspend, g.Help, g.Quit},
	}
	titles := []string{m.lang.Say("on the map"), m.lang.Say("in a step"), m.lang.Say("in both"),
		m.lang.Say("training and pictures"), m.lang.Say("on every page")}
	if m.page == writePage {
		columns[0], titles[0] = []key.Binding{w.Run, w.Step, w.Undo, w.Prompt, w.Warmer, w.Wider, w.Again}, m.lang.Say("where a model writes")
	}
	var left, right []string
	for i, keys := range columns {
		block := []string{m.theme.Accent.Render(titles[i])}
		wide := 13
		if i >= 3 {
			wide = 8
		}
		for _, k := range keys {
			block = append(block, "  "+text.Pad(m.theme.Bold.Render(k.Help().Key), wide)+k.Help().Desc)
		}
		if i < 3 {
			left = append(left, block...)
		} else {
			right = append(right, block...)
		}
	}
	lines := []string{m.theme.Bold.Render(m.lang.Say("All keys")) + m.theme.Faint.Render("   "+m.lang.Say("any key leads back"))}
	return append(lines, text.Beside(left, right, max(30, m.width/2-4), " ")...)
}

// edit opens the editor on the step under the cursor, or the one that is shown.
func (m *Model) edit() tea.Cmd {
	id, message := m.courses.Selected(), ""
	if m.page == stepPage {
		id, message = m.step.Step(), m.step.Message()
	}
	if id == "" {
		return nil
	}
	return m.engine.Edit(m.find(id), m.course.Find(id).Files, message)
}
