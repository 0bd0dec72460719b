package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
