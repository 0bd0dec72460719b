package mutate

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
)

// The checks that are called like the mutant's file come first, and after the one
// that fails no other is made.
func TestUntilCaught(t *testing.T) {
	var made []string
	check := func(id string, err error) course.Check {
		return course.Check{ID: id, Run: func(*course.Exam) error {
			made = append(made, id)
			return err
		}}
	}
	wrong := errors.New("wrong")
	checks := []course.Check{
		check("matmul", nil), check("micro.tile", nil), check("micro.simd", wrong), check("train.micro", wrong), check("adamw", nil),
	}
	likeliest(checks, "micro_simd.go")
	untilCaught(checks, func(course.Check) bool { return true })
	for range 2 { // a program may be examined twice
		made = nil
		var errs []error
		exam := &course.Exam{}
		for _, c := range checks {
			errs = append(errs, c.Run(exam))
		}
		require.Equal(t, []string{"micro.tile", "micro.simd"}, made)
		require.Equal(t, []error{nil, wrong, course.ErrKeptBack, course.ErrKeptBack, course.ErrKeptBack}, errs)
		// Where a program ended after other checks had used it, a new one is asked the same.
		again := slices.IndexFunc(checks, func(c course.Check) bool { return c.ID == "micro.simd" })
		require.Equal(t, wrong, checks[again].Run(exam))
	}
}

// Where mistakes are only counted, every check is made by which one may be named, and
// of the others those before a check fails.
func TestOnlySilentChecksAreLeftOut(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	norm := registry.Steps()[3]
	without, err := silent(t.Context(), kit, norm, 1)
	require.NoError(t, err)
	require.Len(t, without, len(norm.Checks))
	require.True(t, without["rmsnorm.backward.again"])
	require.False(t, without["rmsnorm.forward"])

	jobs, err := Catalogue(kit, []*course.Step{norm}, 1)
	require.NoError(t, err)
	jobs = append(jobs[:1:1], jobs[0])
	jobs[1].Counted = true
	require.NoError(t, Run(t.Context(), kit, jobs, func(Result) {}))
	all, counted := jobs[0], jobs[1]
	require.Greater(t, len(all.Caught), len(counted.Caught))
	require.Subset(t, all.Caught, counted.Caught)
	for _, id := range counted.Caught[1:] {
		require.False(t, without[id], "%s is made after a check has failed", id)
	}
	require.Equal(t, all.Marks, counted.Marks)
	require.Equal(t, all.Named, counted.Named)
}
