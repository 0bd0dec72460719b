package grader

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// controlled grades one step. What the grader could not finish it tries once
// more, for what has passed by, then with the solution, in the same way, and if it could
// finish that, a last time: a failure is the grader's own if the solution meets it too,
// or if the machine lacked something. Nothing that a submission does, prints or claims
// can therefore pass for a failure of the grader, which costs no points.
func (g *run) controlled(ctx context.Context, step *course.Step) report.Step {
	troubled := func(r *report.Step) bool {
		return r.Verdict == verdict.GraderError && g.Probe == "" && g.endless.busy == nil && ctx.Err() == nil
	}
	result := g.step(ctx, step)
	if !troubled(&result) {
		return result
	}
	g.apart(step)
	solutions := g.Impl == Solutions && g.HandedIn == nil
	if result = g.step(ctx, step); !troubled(&result) || solutions {
		return result
	}
	if !g.Kit.HasSolutions(step.Folder) {
		g.blameSubject(&result, suspected)
		return result
	}
	c := *g
	c.made, c.Impl, c.HandedIn, c.OwnStack, c.Overlay, c.Marks = nil, Solutions, nil, false, nil, nil
	c.watch = func(Event) {}
	control := c.step(ctx, step)
	if control.Verdict == verdict.GraderError && len(finished(&control)) == 0 || ctx.Err() != nil {
		return result
	}
	if result = g.step(ctx, step); troubled(&result) {
		ids := finished(&control)
		g.blameSubject(&result, func(c *report.Check) bool { return ids[c.ID] })
	}
	return result
}

// finished are the ids of the checks that the grader could finish.
func finished(control *report.Step) map[string]bool {
	ids := map[string]bool{}
	for _, c := range control.Checks {
		if c.Verdict != verdict.GraderError {
			ids[c.ID] = true
		}
	}
	return ids
}

// suspected reports whether something is suspected of a check that the grader could not
// finish.
func suspected(c *report.Check) bool { return c.Failure != nil && c.Failure.Suspected != "" }

// blameSubject gives those of the checks that the grader could not finish to the
// submission, for which nothing of the machine's is known to be the reason.
func (g *run) blameSubject(result *report.Step, which func(*report.Check) bool) {
	for i := range result.Checks {
		c := &result.Checks[i]
		err := g.trouble[c.ID]
		if c.Verdict != verdict.GraderError || !which(c) || workspace.OfMachine(err) {
			continue
		}
		f := &verdict.Failure{Kind: verdict.Exited, Diagnosis: verdict.Diagnosis{Kind: verdict.Unexplained},
			Message: lang.T("this program cannot be examined, and the solution can, in the same way")}
		var limit *workspace.BuildLimitError
		switch {
		case suspected(c):
			*f = *c.Failure
			f.Kind = f.Suspected
		case errors.As(err, &limit):
			f.Kind, f.Message = limitKind(limit), lang.T("%v", err)
		case c.Failure == nil:
			f.Kind, f.Message, f.Detail = verdict.CompileError, lang.T("this cannot be built, and the solution can, in the same way"), g.Lang.Error(err)
		default:
			if f.Detail = c.Failure.Detail; err != nil {
				f.Detail = g.Lang.Error(err)
			}
		}
		c.Failure = f
		g.say(c)
	}
	if result.Message != "" && len(result.Checks) > 0 { // the checks share it
		result.Message = result.Checks[0].Message
	}
	result.Close()
}

// caught calls do and returns its panic, if it does panic, as an error: an
// answer that no binding gives must not end the grading of others.
func caught(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v\n%s", p, debug.Stack())
		}
	}()
	return do()
}

// put puts a check to the subject. What it earns does not depend on the checks before
// it: where it ends a process that they have used, and left a goroutine or memory in, it
// is put once more, to a new one. No call of it is: what a call is about may be a layer
// that a process before has made.
func put(ctx context.Context, exam *course.Exam, check *course.Check) error {
	ask := func() error { return caught(func() error { return exam.Run(ctx, *check) }) }
	subject, ok := exam.Subject.(interface{ Used() bool })
	used := ok && subject.Used()
	err := ask()
	if used && ended(err) && !subject.Used() {
		return ask()
	}
	return err
}

// ended reports whether an error says that the subject's process came to its end by
// itself.
func ended(err error) bool {
	var f *verdict.Failure
	return errors.As(err, &f) && (f.Kind == verdict.Panic || f.Kind == verdict.Exited || f.Kind == verdict.OutOfMemory)
}
