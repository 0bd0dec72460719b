package registry_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// Without the oracle, a check is left out whatever the subject answers, so that the
// maximum of a student edition is always the same; and no answer that is kept back is
// taken for a wrong one: whoever is right in PyTorch's fixtures passes.
func TestWhatIsKeptBackDependsOnNoSubject(t *testing.T) {
	set, err := fixtures.Load()
	require.NoError(t, err)
	out := map[string]bool{}
	steps := sweep.Some(registry.Steps(), few)
	for _, id := range course.KeptBack(t.Context(), steps, set) {
		out[id] = true
	}
	require.Contains(t, out, "linear.forward.fresh")
	inPart := 0
	for _, s := range steps {
		right := scaled{s, func(wire.Value) float64 { return 1 }}
		exam := &course.Exam{Step: s, Subject: right, Fixtures: set, Seed: 1, Oracle: course.KeepBack}
		for _, c := range s.Checks {
			err := exam.Run(t.Context(), c)
			require.Equal(t, out[c.ID], errors.Is(err, course.ErrKeptBack), c.ID)
			if err == nil && exam.InPart() {
				inPart++
			}
			var f *verdict.Failure
			if !errors.As(err, &f) {
				continue
			}
			require.NotContains(t, f.Message.String(), course.ErrKeptBack.Error(), c.ID)
			if agrees := strings.Contains(c.Title, "agree"); agrees && f.Kind.OfValues() && strings.HasPrefix(f.Asked.String(), "fixture") {
				require.NoError(t, err, c.ID)
			}
		}
	}
	require.Greater(t, inPart, len(steps))
}

// An edition without some checks has neither their points nor the hints to them.
func TestLeavingOut(t *testing.T) {
	whole, err := course.Find(registry.Steps(), "step02")
	require.NoError(t, err)
	left, err := course.Find(course.LeavingOut(registry.Steps(), "linear.forward.fresh", "linear.backward.again"), "step02")
	require.NoError(t, err)
	require.Equal(t, whole.Max()-15, left.Max())
	require.Equal(t, []string{"linear.forward.fresh", "linear.backward.again"}, left.KeptBack)
	require.Nil(t, left.HintsFor("linear.backward.again"))
	require.NotEqual(t, len(whole.Hints), len(left.Hints))
}
