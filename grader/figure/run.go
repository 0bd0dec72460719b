package figure

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/train/run"
	"github.com/stubformer/stubformer/reference/corpus"
)

// Run is what is known of a training run, which may be going on.
type Run struct {
	Name   string // for the legend
	Config run.Config
	Steps  []run.Step
}

// OpenRun reads the folder of a training run.
func OpenRun(dir string) (Run, error) {
	c, err := run.Open(dir)
	if err != nil {
		return Run{}, err
	}
	steps, err := run.ReadLog(dir)
	return Run{filepath.Base(filepath.Clean(dir)), c, steps}, err
}

// ofRuns makes a figure of the folders of runs.
func ofRuns(make func(...Run) (*Chart, error)) func(Options) (*Chart, error) {
	return func(o Options) (*Chart, error) {
		var runs []Run
		for _, dir := range o.Runs {
			r, err := OpenRun(dir)
			if err != nil {
				return nil, err
			}
			runs = append(runs, r)
		}
		return make(runs...)
	}
}

// batchesInMean is over how many batches, about, a measurement is averaged: one
// batch says little.
const batchesInMean = 20

// Loss shows how the loss falls: of one run the training and the validation
// loss, of several the validation losses. A loss is a cross-entropy in nats per
// token; where the text is the village's, its exact entropy is a floor that no
// model can stay below. The axis is logarithmic, so that the last steps towards
// the floor can be seen.
func Loss(runs ...Run) (*Chart, error) {
	p := Panel{X: steps(runs), Y: Axis{Label: "loss (nats per token)", Log: true}}
	for _, r := range runs {
		var training Line
		validation := Line{Name: "validation loss", Dots: true, Dashed: true}
		for _, s := range r.Steps {
			if s.Loss > 0 {
				training.add(s.Step, s.Loss)
			}
			if s.ValidationLoss > 0 {
				validation.add(s.Step, s.ValidationLoss)
			}
		}
		if len(training.X) == 0 {
			return nil, nothing(r)
		}
		if len(runs) > 1 {
			validation.Name, validation.Dashed = r.Name, false
		} else {
			p.Lines = averaged(training, fmt.Sprintf("training loss, averaged over about %d batches", batchesInMean))
		}
		p.Lines = append(p.Lines, validation)
	}
	title := "The loss falls"
	if floor, ok := floorOf(runs); ok {
		title = "The loss falls towards what cannot be learnt"
		p.Marks = append(p.Marks, Mark{Label: fmt.Sprintf("entropy of the text: %.4f", floor), At: floor})
		p.Y.Label = "loss (nats per character)"
		p.Y.Min = floor * 0.9
	}
	chart := p.chart(title, runs)
	if len(runs) > 1 {
		chart.Subtitle = "validation losses"
	}
	return chart, nil
}

// steps is the axis of optimisation steps, from 0 to the end of the longest run.
func steps(runs []Run) Axis {
	a := Axis{Label: "optimisation step"}
	for _, r := range runs {
		a.Max = max(a.Max, float64(r.Config.Recipe.Steps))
	}
	return a
}

// floorOf returns the entropy of the text that all runs learn from, if it is known.
func floorOf(runs []Run) (float64, bool) {
	for _, r := range runs {
		if r.Config.Corpus != corpus.VillageName {
			return 0, false
		}
	}
	return corpus.VillageEntropy(), true
}

// averaged returns a line and in front of it its smooth form.
func averaged(raw Line, name string) []Line {
	raw.Name, raw.Faint = "each batch", true
	return []Line{raw, {Name: name, X: raw.X, Y: smooth(raw.Y)}}
}

// smooth returns for every value the mean of about batchesInMean around it, fewer at
// the ends, where it stays in the middle.
func smooth(ys []float64) []float64 {
	out := make([]float64, len(ys))
	for i := range ys {
		reach := min(batchesInMean/2, i, len(ys)-1-i)
		sum := 0.0
		for _, y := range ys[i-reach : i+reach+1] {
			sum += y
		}
		out[i] = sum / float64(2*reach+1)
	}
	return out
}

// Schedule shows the learning rate of every update.
func Schedule(runs ...Run) (*Chart, error) {
	p, err := history(runs, "learning rate", func(s run.Step) (float64, bool) { return s.LR, s.Step > 0 })
	if err != nil {
		return nil, err
	}
	if len(runs) == 1 {
		r := runs[0].Config.Recipe
		if r.Warmup > 0 && r.Warmup < r.Steps {
			p.Marks = append(p.Marks, Mark{Label: fmt.Sprintf("warm-up ends: step %d", r.Warmup), At: float64(r.Warmup), Vertical: true})
		}
		p.Marks = append(p.Marks, Mark{Label: fmt.Sprintf("smallest rate: %g", r.LRMin), At: r.LRMin})
	}
	p.Y.Max = p.largest() * 1.05
	return p.chart("Learning rate: a straight warm-up, then half a cosine", runs), nil
}

// GradNorm shows the length of the whole gradient at every update, before it is
// clipped.
func GradNorm(runs ...Run) (*Chart, error) {
	p, err := history(runs, "gradient norm (before clipping)", func(s run.Step) (float64, bool) { return s.GradNorm, s.GradNorm > 0 })
	if err != nil {
		return nil, err
	}
	p.Y.Log = true
	if len(runs) > 1 {
		for i, l := range p.Lines {
			p.Lines[i].Y = smooth(l.Y)
		}
	} else {
		p.Lines = averaged(p.Lines[0], fmt.Sprintf("averaged over about %d batches", batchesInMean))
		limit := runs[0].Config.Recipe.MaxNorm
		p.Marks = append(p.Marks, Mark{Label: fmt.Sprintf("longer gradients are clipped to %g", limit), At: limit})
	}
	return p.chart("Length of the gradient", runs), nil
}

// Speed shows how many tokens a second a run learns from.
func Speed(runs ...Run) (*Chart, error) {
	p, err := history(runs, "tokens per second (mean of 20 steps)", func(s run.Step) (float64, bool) { return s.TokensPerSecond, s.TokensPerSecond > 0 })
	if err != nil {
		return nil, err
	}
	p.Y.Max = p.largest() * 1.05
	return p.chart("Speed of training", runs), nil
}

// history returns a panel with one measurement of every step, a line a run.
func history(runs []Run, label string, measured func(run.Step) (float64, bool)) (*Panel, error) {
	p := &Panel{X: steps(runs), Y: Axis{Label: label}}
	for _, r := range runs {
		l := Line{Name: r.Name}
		for _, s := range r.Steps {
			if y, ok := measured(s); ok {
				l.add(s.Step, y)
			}
		}
		if len(l.X) == 0 {
			return nil, nothing(r)
		}
		p.Lines = append(p.Lines, l)
	}
	return p, nil
}

func nothing(r Run) error {
	return fmt.Errorf("the log of the run %s holds no steps yet; there is nothing to draw", r.Name)
}

// chart returns the figure of some runs.
func (p *Panel) chart(title string, runs []Run) *Chart {
	c := &Chart{Title: title, Columns: 1, Panels: []Panel{*p}}
	if len(runs) == 1 {
		m := runs[0].Config.Model
		c.Subtitle = fmt.Sprintf("%s: %s, %s, d_model %d, context %d", runs[0].Config.Corpus,
			count(m.NumLayers, "layer"), count(m.NumHeads, "head"), m.DModel, m.ContextLength)
	}
	return c
}

// largest returns the largest y of all lines.
func (p *Panel) largest() float64 {
	most := math.Inf(-1)
	for _, l := range p.Lines {
		for _, y := range l.Y {
			most = max(most, y)
		}
	}
	return most
}

// add appends a point.
func (l *Line) add(step int, y float64) { l.X, l.Y = append(l.X, float64(step)), append(l.Y, y) }

// count returns "1 layer", "2 layers".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}
