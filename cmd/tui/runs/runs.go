// Package runs describes the training runs of a kit, and makes the picture of
// how one went.
package runs

import (
	"fmt"
	"time"

	"github.com/stubformer/stubformer/grader/figure"
	"github.com/stubformer/stubformer/grader/train/run"
)

// Run is the folder of a training run, and what its log says.
type Run struct {
	Dir    string // below the kit: runs/tiny-village
	Config run.Config
	Steps  []run.Step
	When   time.Time // of the last line of the log
	Floor  float64   // the smallest loss that any model can have on the run's text; 0: not known
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

// Validation returns the last loss on the validation text; 0 if there is none.
func (r Run) Validation() float64 {
	for i := len(r.Steps) - 1; i >= 0; i-- {
		if loss := r.Steps[i].ValidationLoss; loss != 0 {
			return loss
		}
	}
	return 0
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

// Chart is the picture of the losses. The axis reaches over the whole run, so
// that one sees how much of it is left.
func (r Run) Chart() *figure.Chart {
	training := figure.Line{Name: "training"}
	validation := figure.Line{Name: "validation"}
	mean := 0.0
	for _, s := range r.Steps {
		if s.Loss > 0 {
			const inertia = 0.9 // of the running mean: the loss of one batch jumps about
			if mean == 0 {
				mean = s.Loss
			}
			mean = inertia*mean + (1-inertia)*s.Loss
			training.X, training.Y = append(training.X, float64(s.Step)), append(training.Y, mean)
		}
		if s.ValidationLoss > 0 {
			validation.X, validation.Y = append(validation.X, float64(s.Step)), append(validation.Y, s.ValidationLoss)
		}
	}
	p := figure.Panel{Lines: []figure.Line{training, validation},
		X: figure.Axis{Label: "step", Max: float64(max(r.Config.Recipe.Steps, 1))},
		Y: figure.Axis{Label: "loss (nats per character)", Log: true}}
	if r.Floor > 0 {
		p.Marks = []figure.Mark{{Label: fmt.Sprintf("floor, the text's entropy: %.3f", r.Floor), At: r.Floor}}
	}
	return &figure.Chart{Columns: 1, Panels: []figure.Panel{p}}
}
