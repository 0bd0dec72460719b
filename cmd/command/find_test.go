package command

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
)

func TestFindStep(t *testing.T) {
	for _, c := range []struct{ name, id, says string }{
		{name: "init", id: "step01"},
		{name: "step01_init", id: "step01"},
		{name: "05", id: "step05"},
		{name: "setp01", says: "Did you mean step01?"},
		{name: "swigl", says: "Did you mean swiglu?"},
		{name: "rmsnrom", says: "Did you mean rmsnorm?"},
		{name: "wholly-else", says: "there is no step"},
		{name: "", says: "there is no step"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := FindStep(c.name)
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.id, s.ID)
		})
	}
}

// Scripts and courses depend on the exit statuses.
func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		code int
		says string // "" if nothing is to be said
	}{
		{"all is well", nil, 0, ""},
		{"something did not pass", StatusError{Code: ExitWrong}, 1, ""},
		{"wrong usage", lang.Errorf("which step?"), 2, "which step?"},
		{"the grader's own failure", Failed(lang.Errorf("the disk is full")), 3, "the disk is full"},
		{"interrupted", context.Canceled, 130, "interrupted; what was graded before is kept"},
		{"interrupted while grading", Failed(fmt.Errorf("step04: %w", context.Canceled)), 130, "interrupted; what was graded before is kept"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, say := outcome(c.err)
			require.Equal(t, c.code, code)
			if c.says == "" {
				require.NoError(t, say)
			} else {
				require.ErrorContains(t, say, c.says)
			}
		})
	}
}
