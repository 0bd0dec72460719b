package course

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/verdict"
)

// What is for a check alone comes before what is for several, and what helps with
// the formula is not said where the formula is not the question.
func TestHintsFor(t *testing.T) {
	s := &Step{Hints: []Hint{
		{For: "linear", Text: "general"}, {For: "linear.backward.dx", Text: "derivative", Last: true},
		{For: "linear.forward", Text: "formula"}, {For: "linear.forward.bad_input", Text: "check first"},
		{For: "linear.forward.bad_input", Text: "check second"}, {For: "linear.backward.again", Text: "buffers"},
		{For: "linear.forward.fresh", Text: "sizes"},
	}}
	for check, want := range map[string][]string{
		"linear.forward":             {"formula", "general"},
		"linear.forward.fresh":       {"sizes", "formula", "general"},
		"linear.backward.dx":         {"general", "derivative"},
		"linear.forward.bad_input":   {"check first", "check second"},
		"linear.backward.again":      {"buffers"},
		"linear.backward.no_forward": nil,
		"rope.forward":               nil,
	} {
		var got []string
		for _, h := range s.HintsFor(check) {
			got = append(got, h.Text)
		}
		require.Equal(t, want, got, check)
	}
}

func TestHintsOn(t *testing.T) {
	require.Len(t, HintsOn(verdict.NotFinite), 1)
	require.Contains(t, HintsOn(verdict.InputChanged)[0].Text, "append(x.Shape[:n], …)")
	require.Empty(t, HintsOn(verdict.WrongValues))
	require.Empty(t, HintsOn(""))
}
