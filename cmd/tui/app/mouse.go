package app

import (
	tea "github.com/charmbracelet/bubbletea"
)

// toggleMouse turns the mouse on or off. It is off at first: while a program
// reads the mouse, most terminals select text only with the shift key held.
func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	if m.mouse {
		m.keys.Mouse.SetHelp("m", m.lang.Say("mouse off"))
		m.news = m.lang.Say("Click on a step or a tab to open it. To select text now, hold shift.")
		return tea.EnableMouseCellMotion
	}
	m.keys.Mouse.SetHelp("m", m.lang.Say("mouse"))
	m.news = ""
	return tea.DisableMouse
}

// point does what a click or a turn of the wheel asks for. The wheel is another
// way to press an arrow key.
func (m *Model) point(e tea.MouseMsg) tea.Cmd {
	const head = 1 // lines above the page
	switch {
	case e.Action != tea.MouseActionPress:
	case e.Button == tea.MouseButtonWheelUp:
		return m.key(tea.KeyMsg{Type: tea.KeyUp})
	case e.Button == tea.MouseButtonWheelDown:
		return m.key(tea.KeyMsg{Type: tea.KeyDown})
	case e.Button == tea.MouseButtonLeft && m.page == mapPage:
		return m.courses.Click(e.Y - head)
	case e.Button == tea.MouseButtonLeft && m.page == stepPage:
		return m.step.Click(e.X, e.Y-head)
	}
	return nil
}
