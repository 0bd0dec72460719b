package app

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
)

// Still returns the map as it stands on a screen of so many columns and rows, for a picture.
func Still(t theme.Theme, p lang.Printer, e *engine.Engine, steps []*course.Step, columns, rows int) string {
	m := New(t, p, e, steps)
	m.Init()
	m.Update(tea.WindowSizeMsg{Width: columns, Height: rows})
	m.Update(e.Load()())
	return m.View()
}
