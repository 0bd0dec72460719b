// Package mutate proves the grader: it puts every known mistake into the
// solution, grades it, and sees whether the checks catch it and the diagnosis
// names it.
package mutate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// minMargin is how many times outside the tolerance a mistake must lie.
const minMargin = 10

// Result is how one mistake fared.
type Result struct {
	Step    *course.Step
	Mistake mistake.Mistake
	Version string            // id of the way in which it is made
	Overlay map[string][]byte // the files with the mistake in them, by path
	Caught  []string          // the checks that failed
	Margin  float64           // largest error over its tolerance on the fixtures; 0 where no finite numbers differ
	Named   string            // the mistakes that the diagnosis named, "" for none
	Marks   map[string]diagnose.Mark
	Problem string // why this result fails the course, "" if it does not

	Said  string         // at the first check that failed, about what is wrong
	Small *verdict.Small // a small call that shows it; nil if none was found, or wanted

	seed       uint64
	unlisted   bool            // is in no catalogue: need not be named, and what is close to the bounds is wrong, too
	mechanical bool            // made by Mechanical: may fail to compile, and need not be named
	Storing    bool            // its answers are about to be stored: whether it is named shows the next run
	Told       bool            // what is said about it is all that is wanted, with a small call
	brief      bool            // no check is made any more once one has failed
	Counted    bool            // what is said about it is not wanted, nor which checks catch it beside those by which it is named
	silent     map[string]bool // of those that are counted: the checks that leave no mark, by id
	slow       bool            // caught because it ran out of time
	again      bool            // it was graded twice, see timed
	Invalid    bool            // does not compile, so it is no mutant at all
}

// Catalogue returns the known mistakes of the steps, to be run. The seed is that
// of the fresh cases.
func Catalogue(kit *workspace.Kit, steps []*course.Step, seed uint64) ([]Result, error) {
	return jobs(kit, steps, func(step string) ([]mistake.Mistake, error) { return mistake.Load(kit.Root, step) }, Result{seed: seed})
}

// jobs returns the mistakes of the steps, each a result like one.
func jobs(kit *workspace.Kit, steps []*course.Step, load func(step string) ([]mistake.Mistake, error), one Result) ([]Result, error) {
	solutions, err := mistake.Solutions(kit.Root)
	if err != nil {
		return nil, err
	}
	var all []Result
	for _, s := range steps {
		mistakes, err := load(s.Folder)
		if err != nil {
			return nil, err
		}
		for _, m := range mistakes {
			for _, v := range m.Versions {
				job := one
				job.Step, job.Mistake, job.Version = s, m, v.ID
				if job.Overlay, err = v.Apply(solutions); err != nil {
					return nil, err
				}
				all = append(all, job)
			}
		}
	}
	return all, nil
}

// Unlisted returns the wrong programs of the steps in dir, which are in no
// catalogue, to be run.
func Unlisted(kit *workspace.Kit, dir string, steps []*course.Step, seed uint64) ([]Result, error) {
	return jobs(kit, steps, func(step string) ([]mistake.Mistake, error) { return mistake.Unlisted(dir, step) },
		Result{seed: seed, unlisted: true})
}

// together is how many programs are built at a time: what they have in common is
// compiled, and linked, once.
const together = 12

// Run grades the mistakes on all processors, and calls done with each result
// in the order given.
func Run(ctx context.Context, kit *workspace.Kit, jobs []Result, done func(Result)) error {
	if err := listen(ctx, kit, jobs); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ready := make([]chan struct{}, len(jobs))
	for i := range ready {
		ready[i] = make(chan struct{})
	}
	next := make(chan []int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for some := range next {
				if err := grade(ctx, kit, jobs, some, func(i int) { close(ready[i]) }); err != nil {
					cancel(err)
				}
			}
		})
	}
	go func() {
		defer close(next)
		for _, some := range batches(jobs) {
			select {
			case next <- some:
			case <-ctx.Done():
				return
			}
		}
	}()
	for i := range jobs {
		select {
		case <-ready[i]:
			if ctx.Err() == nil {
				done(jobs[i])
			}
		case <-ctx.Done():
		}
	}
	workers.Wait()
	return context.Cause(ctx)
}

// batches returns the numbers of the jobs, in order: those together that are built
// together.
func batches(jobs []Result) (all [][]int) {
	for i, job := range jobs {
		last := len(all) - 1
		if last < 0 || len(all[last]) == together || jobs[all[last][0]].Step != job.Step {
			all, last = append(all, nil), last+1
		}
		all[last] = append(all[last], i)
	}
	return all
}

// grade grades the solution with each of some mistakes in it, and calls done with the
// number of each.
func grade(ctx context.Context, kit *workspace.Kit, jobs []Result, some []int, done func(i int)) error {
	reqs := make([]grader.Request, len(some))
	for n, i := range some {
		reqs[n] = jobs[i].request(kit)
	}
	var wrong error
	var second []int // of those that need another look
	err := grader.GradeAll(ctx, reqs, nil, func(n int, rep *report.Report) {
		r := &jobs[some[n]]
		if len(rep.Steps) == 0 { // interrupted
			return
		}
		if err := r.read(rep.Steps[0]); err != nil && wrong == nil {
			wrong = fmt.Errorf("%s, %s: %w", r.Step.ID, r.Version, err)
		}
		if r.Problem != "" && r.timed() && !r.again {
			r.again, second = true, append(second, some[n])
			return
		}
		done(some[n])
	})
	if len(second) > 0 && ctx.Err() == nil {
		err = errors.Join(err, grade(ctx, kit, jobs, second, done))
	}
	return errors.Join(wrong, err)
}

// timed tells whether a check by the clock has failed, which a busy machine can do once.
func (r *Result) timed() bool {
	return slices.ContainsFunc(r.Step.Checks, func(c course.Check) bool { return c.Timed && slices.Contains(r.Caught, c.ID) })
}

// request is to grade the solution with the mistake in it.
func (r *Result) request(kit *workspace.Kit) grader.Request {
	limits := probe.DefaultLimits()
	if r.mechanical {
		limits.Start, limits.Call = mechanicalTime, mechanicalTime
	}
	return grader.Request{
		Kit: kit, Steps: []*course.Step{r.examined()}, Impl: grader.Solutions, Seed: r.seed, Limits: limits,
		Overlay: r.Overlay, Brief: r.Counted || r.brief, Smallest: r.Told,
		Marks: func(_ *course.Step, marks map[string]diagnose.Mark) { r.Marks = marks },
	}
}
