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
)

// controlled grades one step. What the grader could not finish it tries once
// more, for what has passed by, and then with the solution, in the same way: a
// failure is the grader's own only if the solution meets it too. Nothing that a
// submission does, prints or claims can therefore pass for a failure of the
// grader, which costs no points.
func (g *run) controlled(ctx context.Context, step *course.Step) report.Step {
	result := g.step(ctx, step)
	solutions := g.Impl == Solutions && g.HandedIn == nil
	if result.Verdict != verdict.GraderError || g.Probe != "" || solutions || !g.Kit.HasSolutions(step.Folder) {
		return result
	}
	g.apart(step)
	if result = g.step(ctx, step); result.Verdict != verdict.GraderError || ctx.Err() != nil {
		return result
	}
	c := *g
	c.made, c.Impl, c.HandedIn, c.OwnStack, c.Overlay, c.Marks = nil, Solutions, nil, false, nil, nil
	c.watch = func(Event) {}
	control := c.step(ctx, step)
	if ctx.Err() == nil {
		g.blameSubject(&result, &control)
	}
	return result
}

// blameSubject gives the checks of a step that the grader could not finish, and
// could with the solution, to the submission.
func (g *run) blameSubject(result, control *report.Step) {
	finished := map[string]bool{}
	for _, c := range control.Checks {
		finished[c.ID] = c.Verdict != verdict.GraderError
	}
	for i := range result.Checks {
		c := &result.Checks[i]
		if c.Verdict != verdict.GraderError || !finished[c.ID] {
			continue
		}
		f := &verdict.Failure{Kind: verdict.Exited, Diagnosis: verdict.Diagnosis{Kind: verdict.Unexplained},
			Message: lang.T("this program cannot be examined, and the solution can, in the same way")}
		if c.Failure == nil {
			f.Kind, f.Message = verdict.CompileError, lang.T("this cannot be built, and the solution can, in the same way")
		} else {
			f.Detail = c.Failure.Detail
		}
		if err := g.trouble[c.ID]; err != nil {
			f.Detail = g.Lang.Error(err)
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
