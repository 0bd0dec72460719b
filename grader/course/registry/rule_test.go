package registry_test

import (
	"context"
	"errors"
	"math"
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

// scaled is a subject whose answers are right but for a factor.
type scaled struct {
	step   *course.Step
	factor func(v wire.Value) float64
}

func (s scaled) Call(_ context.Context, function string, in wire.Values) (wire.Values, error) {
	out, err := (&course.Exam{Step: s.step}).Solve(function)(in)
	if err != nil {
		return nil, &verdict.Failure{Kind: verdict.NotImplemented}
	}
	out = singles(out)
	for name, v := range out {
		f := float32(s.factor(v))
		for i := range v.F32 {
			v.F32[i] *= f
		}
		out[name] = v
	}
	return out, nil
}

// structures are what is said about a subject's answers, by check.
func structures(t *testing.T, factor func(v wire.Value) float64) map[string]string {
	set, err := fixtures.Load()
	require.NoError(t, err)
	said := map[string]string{}
	for _, s := range sweep.Some(registry.Steps(), few) {
		if s.ID < "step02" || s.ID > "step09" { // of functions whose contract tells their sizes, and small ones
			continue
		}
		exam := &course.Exam{Step: s, Subject: scaled{s, factor}, Fixtures: set, Seed: 1}
		for _, c := range s.Checks {
			err := exam.Run(t.Context(), c)
			var f *verdict.Failure
			if _, leftOut := course.WhyLeftOut(err); err == nil || leftOut {
				continue
			}
			require.True(t, errors.As(err, &f), "%s: %v", c.ID, err)
			if f.Diagnosis.Kind == verdict.ByStructure {
				said[c.ID] = f.Diagnosis.Text.String()
			}
		}
	}
	return said
}

// A factor that is the same everywhere is a number, and one that follows a size is
// not, whatever check asks.
func TestAFactorIsHeldAgainstOtherCases(t *testing.T) {
	many, several := 25, 10
	if !sweep.On() {
		many, several = 4, 1
	}
	twice := structures(t, func(wire.Value) float64 { return 2 })
	require.Greater(t, len(twice), many)
	for check, text := range twice {
		require.Equal(t, "Your output is 2 times what is expected everywhere.", text, check)
	}
	byRoot := structures(t, func(v wire.Value) float64 { return 1 / math.Sqrt(float64(max(1, append(v.Shape, 1)[0]))) })
	require.Greater(t, len(byRoot), many)
	named := 0
	for check, text := range byRoot {
		if strings.Contains(text, "root of the size of axis 0") || strings.Contains(text, "(1/√") {
			named++
			continue
		}
		require.Regexp(t, "That is so in this case alone|With other sizes it is another factor|Your output holds", text, check)
	}
	require.Greater(t, named, several)
}
