package grader

import (
	"context"
	"time"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// patience is how long a right program may take: a busy machine is not the seed's
// fault.
const patience = 5 * time.Minute

// Program is a program that is right, so that it must have full marks.
type Program struct {
	Name    string
	Request // whose Steps and Seed are not looked at

	Sits  func(i int) bool // reports whether it is tried with the i-th seed; nil for all
	Timed bool             // whether it is asked what depends on the clock, and nothing else
}

// Loss is a check in which a right program lost points.
type Loss struct {
	Step    *course.Step
	Program string
	Seed    uint64
	Check   report.Check
}

// Try puts the checks of a step to right programs, with every seed, and calls
// lost for each that is not passed. Every program is built once and goes on
// running. What does not depend on the seed is asked with the first one only,
// and what depends on the clock only of programs that are Timed.
func Try(ctx context.Context, step *course.Step, programs []Program, seeds []uint64, lost func(Loss)) error {
	set, err := fixtures.Load()
	if err != nil {
		return err
	}
	tmp, err := workplace(false)
	if err != nil {
		return err
	}
	defer tmp.Remove()
	var trials []*trial
	for _, p := range programs {
		p.Limits.Start, p.Limits.Call, p.Limits.Budget = patience, patience, 0
		g := &run{Request: p.Request, fixtures: set, dir: tmp.Path, trouble: map[string]error{}}
		t := &trial{run: g, name: p.Name, timed: p.Timed, subjects: g.subjects(ctx, step), settled: map[string]bool{},
			exam: &course.Exam{Step: step, Fixtures: set, Earlier: g.earlier(step)}, sits: p.Sits}
		defer t.subjects.close()
		trials = append(trials, t)
	}
	for i, seed := range seeds { // all programs in turn, so that the truth is computed once
		for _, t := range trials {
			if t.sits != nil && !t.sits(i) {
				continue
			}
			if err := t.sit(ctx, seed, lost); err != nil {
				return err
			}
		}
	}
	return nil
}

// trial is one program on trial.
type trial struct {
	*run
	name     string
	subjects *subjects
	exam     *course.Exam
	timed    bool
	settled  map[string]bool // checks that need not be put again
	sits     func(i int) bool
}

// sit puts to the program, with one seed, the checks that are not settled.
func (t *trial) sit(ctx context.Context, seed uint64, lost func(Loss)) error {
	step := t.exam.Step
	t.exam.Seed = seed
	checks, _ := t.checks(step)
	for _, check := range checks {
		if t.settled[check.ID] || check.Timed != t.timed {
			continue
		}
		subject, unbuilt := t.subjects.of(step.BuildFor(check.ID))
		c, err := t.refused(check, unbuilt), unbuilt
		if err == nil {
			t.exam.Subject = subject
			c, err = t.runCheck(ctx, t.exam, check)
			if _, left := course.WhyLeftOut(err); left {
				continue
			}
			t.settled[check.ID] = !t.exam.Drew()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if unbuilt != nil && c.Verdict == verdict.GraderError || workspace.OfMachine(err) {
			return err // which is no matter of the seed
		}
		if c.Points < c.Max {
			lost(Loss{step, t.name, seed, c})
		}
	}
	return nil
}
