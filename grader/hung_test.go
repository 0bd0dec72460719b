package grader

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// script answers call after call: a failure of the kind, or results for Passed.
type script []verdict.Kind

func (s *script) Call(context.Context, string, wire.Values) (wire.Values, error) {
	next := (*s)[0]
	*s = (*s)[1:]
	if next == verdict.Passed {
		return nil, nil
	}
	return nil, &verdict.Failure{Kind: next}
}

// A function that hangs is not called for ever, and one that answers is not
// given up for a single input.
func TestWhatHangsIsNotCalledAgain(t *testing.T) {
	const answer, hang, panicked = verdict.Passed, verdict.Timeout, verdict.Panic
	for _, c := range []struct {
		name   string
		script script // what the subject does, as often as it is called
		calls  int
		notRun int // how many calls are not put to it
	}{
		{"never answered", script{hang}, 4, 3},
		{"answered before, and hangs twice", script{answer, hang, answer, hang}, 6, 2},
		{"answered before, and hangs once", script{answer, hang, answer, answer}, 4, 0},
		{"panics", script{panicked, panicked, panicked}, 3, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, notRun := hung{}, 0
			for range c.calls {
				_, err := h.spare(nil, &c.script).Call(t.Context(), "f", nil)
				if f, ok := err.(*verdict.Failure); ok && f.Message.String() == "not run: f ran out of time in a check before" {
					require.Equal(t, verdict.Timeout, f.Kind)
					notRun++
				}
			}
			require.Equal(t, c.notRun, notRun)
			require.Empty(t, c.script)
		})
	}
}

func TestWhatHangsTakesNothingElseAlong(t *testing.T) {
	h, subject := hung{}, script{verdict.Timeout, verdict.Passed, verdict.Passed}
	_, err := h.spare(nil, &subject).Call(t.Context(), "f", nil)
	require.Error(t, err)
	_, err = h.spare(nil, &subject).Call(t.Context(), "g", nil)
	require.NoError(t, err)
	_, err = h.spare(&course.Build{}, &subject).Call(t.Context(), "f", nil)
	require.NoError(t, err)
}
