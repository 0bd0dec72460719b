package grader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Programs that are right have full marks, however unlike the solution they are: one of
// each step here with SWEEP=1, and all of them with `grade dev seeds`.
func TestRightProgramsHaveFullMarks(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	for _, s := range sweep.Some(registry.Steps(), 1) {
		t.Run(s.ID, func(t *testing.T) {
			programs, err := grader.RightPrograms(kit, s, grader.Request{Limits: probe.DefaultLimits()})
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(programs), 3, "the solution and two others")
			err = grader.Try(t.Context(), s, programs[len(programs)-1:], []uint64{1}, func(l grader.Loss) {
				t.Errorf("%s, %s, seed %d:\n%s", l.Program, l.Check.ID, l.Seed, l.Check.Message)
			})
			require.NoError(t, err)
		})
	}
}

// A program that is not right is found out, with every seed.
func TestTryFindsWhatIsWrong(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	wrong := grader.Program{Name: "wrong", Request: grader.Request{Kit: kit, Impl: grader.Solutions, Limits: probe.DefaultLimits(),
		Overlay: changed(t, linearFile, "W.Matrix().T()) //", "W.Matrix().T()); l.y.Data[0]++ //")}}
	lost := map[uint64][]string{}
	err = grader.Try(t.Context(), step(t, "step02")[0], []grader.Program{wrong}, []uint64{1, 2}, func(l grader.Loss) {
		lost[l.Seed] = append(lost[l.Seed], l.Check.ID)
	})
	require.NoError(t, err)
	require.Contains(t, lost[1], "linear.forward")
	require.Contains(t, lost[1], "linear.forward.fresh")
	require.Contains(t, lost[2], "linear.forward.fresh")
}
