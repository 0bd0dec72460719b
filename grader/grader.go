// Package grader is the one door to grading. The command line, the dashboard
// and the tests all come through Grade: it builds a probe whose code is decided
// by an overlay, puts a step's checks to it, and returns one Report.
package grader

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/host/room"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Impl says whose code is graded.
type Impl string

// The implementations that a request may name.
const (
	Mine      Impl = "mine"      // the step folders of the checkout
	Solutions Impl = "solutions" // the solutions
	Pristine  Impl = "pristine"  // the stubs as they were handed out
)

// Request says what to grade.
type Request struct {
	Kit      *workspace.Kit
	Steps    []*course.Step
	Impl     Impl
	OwnStack bool   // earlier steps are the student's own too, not the solutions
	Probe    string // grade this command, which speaks the protocol, instead of Go code
	Seed     uint64 // of the fresh random cases
	Limits   probe.Limits
	Lang     lang.Printer // of the titles and messages in the report

	// HandedIn, if it is set, is graded instead of folders: one folder a step.
	HandedIn map[string]*workspace.Folder
	// Fence is for code that nobody trusts; nil builds and runs it as one's own.
	Fence *workspace.Fence
	// Box is where one's own code runs that is built without a Fence; nil for none.
	Box *sandbox.Box

	// Overlay holds files that lie over those of the steps, by path
	// ("step05_swiglu/swiglu.go"): the solution with a known mistake in it.
	Overlay map[string][]byte
	// Brief leaves out of the messages what takes calls of its own to find out. Verdicts,
	// points and known mistakes are what they are.
	Brief bool
	// Smallest looks for the smallest call that shows what is wrong, which takes a second or
	// so for a cause. It changes no verdict and no diagnosis.
	Smallest bool
	// Marks, if it is set, receives every step's marks.
	Marks func(*course.Step, map[string]diagnose.Mark)
}

// Event reports progress. Check is nil while a step is being built.
type Event struct {
	Step   *course.Step
	Check  *course.Check
	Number int           // of the check, from 1
	Result *report.Check // nil while the check is running
}

// Grade grades the requested steps one after another. Its error is the
// grader's own failure to start at all; what goes wrong in a step stands in the
// report.
func Grade(ctx context.Context, req Request, watch func(Event)) (*report.Report, error) {
	var r *report.Report
	err := GradeAll(ctx, []Request{req}, watch, func(_ int, graded *report.Report) { r = graded })
	return r, err
}

// GradeAll grades requests one after another, and calls done with the report of each.
// The programs of all are built before, together where that can be.
func GradeAll(ctx context.Context, reqs []Request, watch func(Event), done func(i int, r *report.Report)) error {
	set, err := fixtures.Load()
	if err != nil {
		return lang.Errorf("the fixtures are damaged: %w", err)
	}
	if watch == nil {
		watch = func(Event) {}
	}
	strangers := slices.ContainsFunc(reqs, func(r Request) bool { return r.Fence != nil })
	tmp, err := workplace(strangers)
	if err != nil {
		return err
	}
	defer tmp.Remove()
	runs := make([]*run, len(reqs))
	for i, req := range reqs {
		runs[i] = &run{Request: req, fixtures: set, stored: fixtures.Mistakes, watch: watch, dir: tmp.Path, trouble: map[string]error{}}
	}
	if err := buildTogether(ctx, runs); err != nil {
		return err
	}
	for i, g := range runs {
		r := g.grade(ctx)
		done(i, r)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// grade grades the steps of the request, or as many as there is time for.
func (g *run) grade(ctx context.Context) *report.Report {
	r := &report.Report{Schema: report.Schema, Kit: course.Version, Fixtures: g.fixtures.Hash(), Impl: g.name(), Seed: g.Seed,
		Sandbox: string(g.Fence.Sandbox().Level())}
	for _, step := range g.Steps {
		result := g.controlled(ctx, step)
		if ctx.Err() != nil {
			return r
		}
		if result.Verdict != verdict.Passed && g.standsOnOwn(step, &result) {
			g.blame(ctx, step, &result)
		}
		r.Steps = append(r.Steps, result)
	}
	return r
}

// name is how the report calls the graded code.
func (req Request) name() string {
	switch {
	case req.Probe != "":
		return "probe"
	case req.HandedIn != nil:
		return "dir"
	}
	return string(req.Impl)
}

// run is one grading run.
type run struct {
	Request
	fixtures *fixtures.Set
	stored   func(folder string) ([]byte, error) // see diagnose.Load
	watch    func(Event)
	dir      string // scratch, removed at the end
	made     map[program]made

	sound   []string // the folders of steps that are solutions where the others are one's own
	endless endless
	trouble map[string]error // why the grader could not finish a check, by its id
}

// step grades one step. Where its program holds other code too, and something befell it
// in which that may have a part, it is graded once more in a program of its own.
func (g *run) step(ctx context.Context, step *course.Step) report.Step {
	clear(g.trouble)
	scarce := room.Watch(g.dir)
	result, disturbed := g.examine(ctx, step)
	if disturbed {
		g.apart(step)
		result, _ = g.examine(ctx, step)
	}
	if scarce() && result.Verdict != verdict.Passed {
		g.excuse(&result)
	}
	return result
}

// examine puts the checks of a step to its probes.
func (g *run) examine(ctx context.Context, step *course.Step) (result report.Step, disturbed bool) {
	result = report.Of(step, g.Lang)
	g.watch(Event{Step: step})
	known, err := diagnose.Load(g.stored, step.Folder)
	if err != nil {
		g.refuse(&result, step, err)
		return result, false
	}
	subjects := g.subjects(ctx, step)
	defer subjects.close()
	if _, err := subjects.of(nil); err != nil {
		g.refuse(&result, step, err)
		return result, false
	}
	exam, hung := &course.Exam{Step: step, Fixtures: g.fixtures, Seed: g.Seed, Earlier: g.earlier(step), Brief: g.Brief}, hung{}
	checks, out := g.checks(step)
	called := map[string]map[string]bool{} // by check: the functions
	for i, check := range checks {
		build := step.BuildFor(check.ID)
		g.watch(Event{Step: step, Check: check, Number: i + 1})
		var c report.Check
		if subject, err := subjects.of(build); cmp.Or(err, g.endless.busy) != nil {
			c = g.refused(check, cmp.Or(err, g.endless.busy))
		} else {
			exam.Subject = hung.spare(build, subject)
			var err error
			c, err = g.runCheck(ctx, exam, check)
			if why, left := course.WhyLeftOut(err); left {
				out.add(why, check.ID)
				continue
			}
			called[check.ID] = exam.Called()
		}
		if ctx.Err() != nil {
			return result, false
		}
		result.Checks = append(result.Checks, c)
		g.watch(Event{Step: step, Check: check, Number: i + 1, Result: &c})
	}
	g.withdraw(result.Checks, called)
	result.Message = out.text().In(g.Lang)
	if err := caught(func() error { return g.diagnose(step, known, exam.Marks, &result) }); err != nil {
		result.Message = g.Lang.Say("The answers could not be diagnosed: %v", err)
	}
	if g.Smallest {
		g.smallest(ctx, exam, subjects, &result)
	}
	result.Close()
	return result, subjects.disturbed(result.Checks)
}

// causesShown is for how many causes of a step a small call is looked for: a report has
// room for no more.
const causesShown = 2

// smallest looks for small calls that show the first causes.
func (g *run) smallest(ctx context.Context, exam *course.Exam, subjects *subjects, result *report.Step) {
	wrong := report.Wrong(result.Causes())
	for _, cause := range wrong[:min(len(wrong), causesShown)] {
		c := cause.Checks[0]
		subject, err := subjects.of(exam.Step.BuildFor(c.ID))
		if c.Failure == nil || err != nil {
			continue
		}
		exam.Subject = subject
		err = caught(func() error { c.Failure.Small = exam.Smallest(ctx, c.Failure); return nil })
		if err == nil && c.Failure.Small != nil {
			g.say(c)
		}
	}
}

// diagnose names the known mistakes that explain all of a step's answers, if
// any do, at every check that they make fail.
func (g *run) diagnose(step *course.Step, known diagnose.Store, marks map[string]diagnose.Mark, result *report.Step) error {
	if g.Marks != nil {
		g.Marks(step, marks)
	}
	diagnosis, err := known.Diagnose(marks, step.FunctionNames(), func() (diagnose.Rules, error) {
		return diagnose.LoadRules(fixtures.Rules, step.Folder)
	})
	if err != nil {
		return err
	}
	for i := range result.Checks {
		c := &result.Checks[i]
		if c.Failure == nil || !c.Failure.Kind.OfCall() {
			continue
		}
		if why, ok := diagnosis.For(c.ID); ok {
			c.Failure.Diagnosis = why
			g.say(c)
		}
	}
	return nil
}

// title says a title of the course.
func (g *run) title(english string) string { return lang.Of(english).In(g.Lang) }

// say writes down what a check's failure says.
func (g *run) say(c *report.Check) {
	f := c.Failure
	f.Clean()
	c.Verdict, c.Message, c.Diagnosis = f.Kind, untrusted.Text(f.In(g.Lang.Within(verdict.Columns)), untrusted.MaxMessage), f.Diagnosis
	c.Diagnosis.Text = lang.Raw(f.Diagnosis.Text.In(g.Lang))
}

// runCheck puts one check to the subject and writes down how it went. The error
// is that of the check, which tells when it was left out.
func (g *run) runCheck(ctx context.Context, exam *course.Exam, check *course.Check) (report.Check, error) {
	start := time.Now()
	err := put(ctx, exam, check)
	c := report.Check{ID: check.ID, Title: g.title(check.Title), Max: check.Points, Seconds: time.Since(start).Seconds()}
	var f *verdict.Failure
	_, left := course.WhyLeftOut(err)
	switch {
	case left:
		return c, err
	case err == nil:
		c.Verdict, c.Points, c.Diagnosis.Kind = verdict.Passed, check.Points, "none"
		if c.InPart = exam.InPart(); c.InPart {
			c.Message = g.Lang.Say("%s", course.AsFarAsAsked())
		}
		return c, nil
	case !errors.As(err, &f):
		g.trouble[check.ID] = err
		g.endless.note(exam.Step.Folder, err)
		f = unfinished(err)
	}
	c.Failure = f
	g.quote(exam.Step, f)
	g.say(&c)
	return c, err
}

// unfinished is for a check that the grader could not put to its end.
func unfinished(err error) *verdict.Failure {
	return &verdict.Failure{Kind: verdict.GraderError, Diagnosis: verdict.Diagnosis{Kind: verdict.Unexplained},
		Message: lang.T("the grader could not finish this check, which is not your fault: %v", err)}
}

// quote shows the line of code in which the student's program crashed.
func (g *run) quote(step *course.Step, f *verdict.Failure) {
	if g.Probe != "" || f.Detail == "" {
		return
	}
	if b, err := g.build(step, nil); err == nil {
		f.Source = g.Kit.Quote(b, f.Detail)
	}
}
