package checklist_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/component/checklist"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
)

// A list that was scrolled in a small window begins at its top in one that holds
// all of it.
func TestResized(t *testing.T) {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	m := checklist.New(theme.New(r), lang.Printer{})
	var items []checklist.Item
	for i := range 20 {
		items = append(items, checklist.Item{ID: fmt.Sprint(i), Title: fmt.Sprintf("check number %d", i)})
	}
	m.SetItems(items)
	m.SetSize(80, 6)
	m.Select("19")
	require.NotContains(t, m.View(), "check number 0")
	m.SetSize(80, 40)
	require.Contains(t, m.View(), "check number 0")
	require.Contains(t, m.View(), "check number 19")
}
