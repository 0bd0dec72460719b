package registry_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

type panics struct{}

func (panics) Call(context.Context, string, wire.Values) (wire.Values, error) {
	return nil, &verdict.Failure{Kind: verdict.Panic, Message: lang.Raw("panic: behind your back")}
}

// Several checks look at one answer; what each writes into its failure is not
// the next one's to read.
func TestAFailureNamesItsFixtureOnce(t *testing.T) {
	set, err := fixtures.Load()
	require.NoError(t, err)
	for _, s := range sweep.Some(registry.Steps(), few) {
		exam := &course.Exam{Step: s, Subject: panics{}, Fixtures: set, Seed: 1}
		for _, c := range s.Checks {
			var f *verdict.Failure
			if errors.As(exam.Run(t.Context(), c), &f) {
				require.LessOrEqual(t, strings.Count(f.Asked.String(), "fixture"), 1, "%s: %s", c.ID, f.Asked)
			}
		}
	}
}
