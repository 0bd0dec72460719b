// Package trial runs a milestone: it builds its program around a student's steps, and says
// how the training went.
package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Attempt is a milestone that is to be run.
type Attempt struct {
	milestone.Milestone
	Kit    *workspace.Kit
	Source workspace.Source // whose steps
	Prints io.Writer        // where what the code prints goes
	Wait   time.Duration    // how long the program may take; 0: two minutes

	// Overlay holds files that lie over those of the steps, by path
	// ("step05_swiglu/swiglu.go"): a solution with a mistake in it.
	Overlay map[string][]byte
}

// Run builds the milestone's program around the steps and trains. watch is called
// with what was measured on the way. The errors are those of train.Build and
// train.Run, or ctx's.
func (a Attempt) Run(ctx context.Context, watch func(run.Step)) (Result, error) {
	dir, err := scratch.New()
	if err != nil {
		return Result{}, err
	}
	defer dir.Remove()
	steps := a.Steps(registry.Steps())
	binary, err := train.BuildAround(ctx, a.Kit, a.Source,
		workspace.Build{Step: steps[len(steps)-1].Folder, Package: "grader/programs/milestone/" + a.Name, Overlay: a.Overlay}, dir.Path)
	if err != nil {
		return Result{}, err
	}
	wait := cmp.Or(a.Wait, 2*time.Minute) // six times what it gives itself
	within, stop := context.WithTimeout(ctx, wait)
	defer stop()
	begin := time.Now()
	r := Result{Name: a.Name, Time: begin}
	err = train.Run(within, binary, nil, a.Prints, func(e run.Event) {
		switch {
		case e.Doubt != nil:
			r.Doubts = append(r.Doubts, *e.Doubt)
		case e.Step != nil:
			r.take(*e.Step)
			watch(*e.Step)
		case e.Start != nil:
			r.Planned = e.Start.Steps
		}
	})
	if err = errors.Join(err, ctx.Err()); err != nil {
		return Result{}, err
	}
	if within.Err() != nil {
		return Result{}, &train.ProgramError{Message: fmt.Sprintf("the training did not come to an end within %v; "+
			"a loop of your code may have none: go run ./cmd/grade all --own-stack", wait)}
	}
	if r.Sample == "" {
		return Result{}, errors.New("the program of the milestone ended without a result")
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, nil
}

// kept is of how many steps a curve keeps one.
const kept = 10

// take writes down a step.
func (r *Result) take(s run.Step) {
	r.Steps, r.TokensPerSecond = s.Step, s.TokensPerSecond
	if s.ValidationLoss != nil {
		r.Loss = *s.ValidationLoss
	}
	if s.Sample != "" {
		r.Sample, s.Sample = s.Sample, ""
	}
	if s.Step%kept == 1 || s.ValidationLoss != nil {
		r.Curve = append(r.Curve, s)
	}
}
