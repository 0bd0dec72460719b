package coursemap_test

import (
	"io"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/page/coursemap"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
)

// The cursor stays with its step when rows come or go above it or under it.
func TestCursorStays(t *testing.T) {
	of := func(ids ...string) (c standing.Course) {
		for _, id := range ids {
			c.Steps = append(c.Steps, standing.Step{Step: &course.Step{ID: id, Track: course.Core}})
		}
		return c
	}
	m := coursemap.New(theme.New(lipgloss.NewRenderer(io.Discard)), lang.Printer{})
	m.SetSize(80, 24)
	m.SetCourse(of("step01", "step01a", "step01b", "step02"))
	for range 3 {
		m.Update(tea.KeyMsg{Type: tea.KeyDown})
	}
	require.Equal(t, "step02", m.Selected())
	m.SetCourse(of("step01", "step02"))
	require.Equal(t, "step02", m.Selected())
	m.SetCourse(of("step01"))
	require.Equal(t, "step01", m.Selected())
	require.Contains(t, m.View(), "▌")
}

// The titles of checks go on in a second line, and where the page ends it says how many there
// are more.
func TestChecks(t *testing.T) {
	s := course.Step{ID: "step01", Title: "Initialisation", Track: course.Core}
	for range 10 {
		s.Checks = append(s.Checks, course.Check{Points: 10, Title: "the forward pass agrees with PyTorch, on fixtures of odd sizes"})
	}
	m := coursemap.New(theme.New(lipgloss.NewRenderer(io.Discard)), lang.Printer{})
	m.SetCourse(standing.Course{Steps: []standing.Step{{Step: &s}}})
	for height, more := range map[int]string{18: "▼ and 7 more", 30: "▼ and 1 more", 60: ""} {
		m.SetSize(100, height)
		view := m.View()
		require.NotContains(t, view, "…", "no title is cut")
		require.Contains(t, view, "of odd sizes")
		if more == "" {
			require.NotContains(t, view, "more")
			require.Equal(t, 10, strings.Count(view, "of odd sizes"))
		} else {
			require.Contains(t, view, more)
		}
	}
}
