package initializers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/reference/wire"
)

// restarted is a program in whose seeds is how often it was started, as the time
// of the start would be, if it cheats.
type restarted struct {
	initialised
	cheats bool
	starts int64
}

func (r *restarted) Close() error {
	r.starts++
	return nil
}

func (r *restarted) Call(ctx context.Context, function string, in wire.Values) (wire.Values, error) {
	if r.cheats {
		in = in.Clone()
		in["seed"].I64[0] += r.starts
	}
	return r.initialised.Call(ctx, function, in)
}

// Numbers that are the same twice must be the same in the next run too.
func TestDrawsOutliveTheProgram(t *testing.T) {
	step, err := course.Find(registry.Steps(), "step01")
	require.NoError(t, err)
	set, err := fixtures.Load()
	require.NoError(t, err)
	for _, c := range step.Checks {
		if c.ID != "seed.reproducible" {
			continue
		}
		honest := &restarted{}
		require.NoError(t, (&course.Exam{Step: step, Subject: honest, Fixtures: set, Seed: 1}).Run(t.Context(), c))
		require.EqualValues(t, 1, honest.starts)
		err := (&course.Exam{Step: step, Subject: &restarted{cheats: true}, Fixtures: set, Seed: 1}).Run(t.Context(), c)
		require.ErrorContains(t, err, "the program was started again")
		return
	}
	require.Fail(t, "step 01 has no check seed.reproducible")
}
