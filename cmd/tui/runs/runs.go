// Package runs describes the training runs of a kit, and makes the picture of
// how one went.
package runs

import (
	"slices"
	"time"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// Run is the folder of a training run, and what its log says.
type Run struct {
	figure.Run
	Dir  string    // below the kit: runs/tiny-village
	When time.Time // of the last line of the log
}

// Plan says what to train.
type Plan struct {
	Resume string // a run's folder, below the kit; "" begins a new one
	Config string // of a new run: tiny, small or base
	Corpus string // of a new run: village or opticks
	Impl   string // whose code: mine or solutions
}

// Last returns the last step of the log; the zero Step if there is none.
func (r Run) Last() run.Step {
	if len(r.Steps) == 0 {
		return run.Step{}
	}
	return r.Steps[len(r.Steps)-1]
}

// Validation returns the last loss on the validation text; nil if there is none.
func (r Run) Validation() *float64 {
	for _, s := range slices.Backward(r.Steps) {
		if s.ValidationLoss != nil {
			return s.ValidationLoss
		}
	}
	return nil
}

// Samples returns the steps that hold a sample of what the model wrote.
func (r Run) Samples() []run.Step {
	var out []run.Step
	for _, s := range r.Steps {
		if s.Sample != "" {
			out = append(out, s)
		}
	}
	return out
}

// Chart is the picture of the losses, without its title: the page says what is
// shown. It is nil until there is a loss.
func (r Run) Chart(p lang.Printer) *chart.Chart {
	chart, err := figure.Loss(p, r.Run)
	if err != nil {
		return nil
	}
	chart.Title, chart.Subtitle = "", ""
	return chart
}
