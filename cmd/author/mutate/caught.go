package mutate

import (
	"context"
	"maps"
	"slices"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/workspace"
)

// untilCaught lets none of the checks be made any more once one has failed that
// tells no more than that the program is wrong.
func untilCaught(checks []course.Check, noMore func(course.Check) bool) {
	var caught *course.Exam // the one in which a check has failed
	var by int              // which one it was: it may be asked again
	for i, c := range checks {
		checks[i].Run = func(e *course.Exam) error {
			if caught == e && by != i && noMore(c) {
				return course.ErrKeptBack
			}
			err := c.Run(e)
			if _, left := course.WhyLeftOut(err); err != nil && !left {
				caught, by = e, i
			}
			return err
		}
	}
}

// first puts some of the checks before the others.
func first(checks []course.Check, such func(course.Check) bool) {
	rank := func(c course.Check) int {
		if such(c) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(checks, func(a, b course.Check) int { return rank(a) - rank(b) })
}

// listen finds out which checks are silent in the steps of those that are only counted.
func listen(ctx context.Context, kit *workspace.Kit, jobs []Result) (err error) {
	known := map[*course.Step]map[string]bool{}
	for i := range jobs {
		job := &jobs[i]
		if !job.Counted {
			continue
		}
		if known[job.Step] == nil {
			if known[job.Step], err = silent(ctx, kit, job.Step, job.seed); err != nil {
				return err
			}
		}
		job.silent = known[job.Step]
	}
	return nil
}

// silent returns the checks of a step in which its solution leaves no mark: no mistake is
// named by them, and nothing is measured against a tolerance.
func silent(ctx context.Context, kit *workspace.Kit, step *course.Step, seed uint64) (map[string]bool, error) {
	none, watched := map[string]bool{}, *step
	watched.Checks = slices.Clone(step.Checks)
	for i, c := range watched.Checks {
		watched.Checks[i].Run = func(e *course.Exam) error {
			before := e.Marks
			e.Marks = map[string]diagnose.Mark{}
			err := c.Run(e)
			none[c.ID] = len(e.Marks) == 0
			maps.Copy(e.Marks, before)
			return err
		}
	}
	_, err := grader.Grade(ctx, grader.Request{Kit: kit, Steps: []*course.Step{&watched}, Impl: grader.Solutions, Seed: seed,
		Limits: probe.DefaultLimits(), Brief: true}, nil)
	return none, err
}
