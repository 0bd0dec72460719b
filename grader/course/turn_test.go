package course_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// What another part of a check has found is told beside the first, if it is of another kind:
// an answer, one of the costs, memory that is shared. A clock only repeats what was counted.
func TestFaultsOfOneCheckAreToldTogether(t *testing.T) {
	fails := func(kind verdict.Kind, what, message string) error {
		return &verdict.Failure{Kind: kind, What: what, Message: lang.Raw(message)}
	}
	copied := fails(verdict.TooCostly, "allocated", "it copies")
	for _, c := range []struct {
		name  string
		parts []error
		kind  verdict.Kind
		said  string
		also  string
	}{
		{"one", []error{nil, copied, nil}, verdict.TooCostly, "it copies", ""},
		{"two costs", []error{copied, fails(verdict.TooCostly, "kept", "it keeps")}, verdict.TooCostly, "it copies",
			"Also found: costs too much: it keeps"},
		{"the same cost twice", []error{copied, fails(verdict.TooCostly, "allocated", "it copies more")}, verdict.TooCostly, "it copies", ""},
		{"two wrong answers", []error{fails(verdict.WrongValues, "", "wrong"), fails(verdict.Panic, "", "crash")}, verdict.WrongValues, "wrong", ""},
		{"three faults", []error{fails(verdict.WrongValues, "", "wrong"), copied, fails(verdict.Shared, "", "shared")}, verdict.WrongValues, "wrong",
			"Also found: costs too much: it copies\nAlso found: shares memory: shared"},
		{"a clock", []error{copied, fails(verdict.TooSlow, "", "slow")}, verdict.TooCostly, "it copies", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := course.InTurn(len(c.parts), func(i int) error { return c.parts[i] })
			var f *verdict.Failure
			require.ErrorAs(t, err, &f)
			require.Equal(t, c.kind, f.Kind)
			require.Equal(t, c.said, f.Message.String())
			require.Equal(t, c.also, f.And.String())
		})
	}
	require.NoError(t, course.InTurn(2, func(int) error { return nil }))
}

// Who is wrong only while others call is told that two share memory, and not how it ended.
func TestDisturbedIsShared(t *testing.T) {
	var f *verdict.Failure
	require.ErrorAs(t, course.Disturbed(&verdict.Failure{Kind: verdict.Panic, Message: lang.Raw("index out of range")}), &f)
	require.Equal(t, verdict.Shared, f.Kind)
	require.Contains(t, f.Message.String(), "Alone the call is right.")
	require.Contains(t, f.Message.String(), "index out of range")
}
