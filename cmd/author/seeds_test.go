package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
)

// A run that is interrupted does not say that no point was lost.
func TestInterruptedSeeds(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	step, err := course.Find(registry.Steps(), "step02")
	require.NoError(t, err)
	programs, err := rightPrograms(kit, step, "")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var said strings.Builder
	r := &seedsReport{w: &said, seeds: []uint64{1, 2}}
	require.ErrorIs(t, r.step(ctx, step, programs), context.Canceled)
	require.Contains(t, said.String(), "step02  not finished")
	require.NotContains(t, said.String(), "points lost")
}

func TestTakeTurns(t *testing.T) {
	programs := make([]grader.Program, 4)
	takeTurns(programs)
	require.Nil(t, programs[0].Sits, "the solution has all seeds")
	for i, want := range []int{1, 2, 3, 1, 2} {
		for p := 1; p < len(programs); p++ {
			require.Equal(t, p == want, programs[p].Sits(i), "seed %d, program %d", i, p)
		}
	}
}
