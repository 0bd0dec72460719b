package steppage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/component/checklist"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// The checks stand in the order of the report on the terminal: what has one cause together,
// what is wrong before what is not written, and what passed behind both.
func TestChecksByCause(t *testing.T) {
	known := func(id string) verdict.Diagnosis {
		return verdict.Diagnosis{Kind: verdict.Mistake, ID: id, Known: []verdict.Known{{ID: id, Title: lang.Raw(id)}}}
	}
	s := report.Step{Checks: []report.Check{
		{ID: "todo", Verdict: verdict.NotImplemented},
		{ID: "forward", Verdict: verdict.WrongValues, Diagnosis: known("no-scale")},
		{ID: "right", Verdict: verdict.Passed},
		{ID: "backward", Verdict: verdict.WrongValues, Diagnosis: known("transposed")},
		{ID: "forward.fresh", Verdict: verdict.WrongValues, Diagnosis: known("no-scale")},
	}}
	var items []checklist.Item
	for _, c := range s.Checks {
		items = append(items, checklist.Item{ID: c.ID})
	}
	byCause(items, s.Causes())
	var order []string
	for _, item := range items {
		order = append(order, item.ID)
	}
	require.Equal(t, []string{"forward", "forward.fresh", "backward", "todo", "right"}, order)
	require.Equal(t, "no-scale", items[1].Cause.Title.String())
	require.Nil(t, items[4].Cause)
}
