package class

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/workspace"
)

func TestTrySeed(t *testing.T) {
	step := &course.Step{ID: "step08"}
	trouble := errors.New("no space left")
	losing := func(seed uint64, times int) Trial {
		return func(_ context.Context, s *course.Step, programs []grader.Program, seeds []uint64, lost func(grader.Loss)) error {
			require.Equal(t, grader.Solutions, programs[0].Impl)
			if times--; seeds[0] == seed && times >= 0 {
				lost(grader.Loss{Step: s, Seed: seed, Check: report.Check{ID: "attention.forward", Max: 15, Message: "y is wrong:\n  it is 3."}})
			}
			return nil
		}
	}
	failing := func(context.Context, *course.Step, []grader.Program, []uint64, func(grader.Loss)) error {
		return trouble
	}
	tests := map[string]struct {
		try  Trial
		want string
	}{
		"a good seed":             {losing(7, 9), ""},
		"a machine that stumbled": {losing(1009, 1), ""},
		"a bad seed": {losing(1009, 9), "with seed 1009 the solutions themselves lose points: step08 attention.forward (0/15): y is wrong: it is 3. " +
			"That is a fault of the grader, so nobody was graded. Take another seed, for example --seed 1010, and please report this one"},
		"trouble": {failing, "the solutions could not be tried, so nobody was graded: no space left"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := TrySeed(t.Context(), Settings{Steps: []*course.Step{step}, Seed: 1009}, tt.try)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.want)
		})
	}
}

// What the grader itself says of the solutions, and of a check that no program
// passes.
func TestTrySeedOnSolutions(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	step, err := course.Find(registry.Steps(), "embedding")
	require.NoError(t, err)
	s := Settings{Kit: kit, Steps: []*course.Step{step}, Limits: probe.DefaultLimits(), Seed: 3}
	require.NoError(t, TrySeed(t.Context(), s, grader.Try))

	impossible := *step
	impossible.Checks = append(impossible.Checks[:1:1], course.Check{ID: "impossible", Points: 5, Run: func(*course.Exam) error { return errors.New("ill-conditioned") }})
	s.Steps = []*course.Step{&impossible}
	var bad *SeedError
	require.ErrorAs(t, TrySeed(t.Context(), s, grader.Try), &bad)
	require.Equal(t, []string{"step03 impossible (0/5): the grader could not finish this check, which is not your fault: ill-conditioned"}, bad.Lost)
	zh, err := lang.For("zh")
	require.NoError(t, err)
	require.Contains(t, zh.Error(bad), "ill-conditioned。这是评分程序的错误")
}
