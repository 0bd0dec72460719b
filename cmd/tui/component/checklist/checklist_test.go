package checklist_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/component/checklist"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
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

// The smallest input on which the code is wrong stands below what was compared.
func TestSmallest(t *testing.T) {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	one := func(x float32) wire.Value { return wire.Float32s([]float32{x}, 1) }
	failure := &verdict.Failure{Kind: verdict.WrongValues, Diff: verdict.Compare("y", one(0.25), one(0.5), 0)}
	failure.Small = &verdict.Small{In: []verdict.Array{{Name: "x", Value: one(1)}}, Output: "y", Got: one(2), Want: one(1)}
	item := checklist.Item{ID: "y", Result: &report.Check{Verdict: verdict.WrongValues, Failure: failure}}
	lines := strings.Join(checklist.Detail(theme.New(r), lang.Printer{}, item, 60, 40), "\n")
	require.Regexp(t, `(?s)want +0\.5.*small case +x = \[1\]: you gave y = \[2\], want \[1\]`, lines)
}
