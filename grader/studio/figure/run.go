package figure

import (
	"math"
	"path/filepath"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/corpus"
)

// Run is what is known of a training run, which may be going on.
type Run struct {
	Name   string // for the legend
	Config run.Config
	Steps  []run.Step
	Floor  float64 // the smallest expected loss that any model can have on its text; 0: not known
}

// OpenRun reads the folder of a training run.
func OpenRun(dir string) (Run, error) {
	c, err := run.Open(dir)
	if err != nil {
		return Run{}, err
	}
	r := Run{Name: filepath.Base(filepath.Clean(dir)), Config: c, Floor: corpus.Entropy(c.Corpus)}
	r.Steps, err = run.ReadLog(dir)
	return r, err
}

// ofRuns makes a figure of the folders of runs.
func ofRuns(make func(lang.Printer, ...Run) (*chart.Chart, error)) func(Options) (*chart.Chart, error) {
	return func(o Options) (*chart.Chart, error) {
		var runs []Run
		for _, dir := range o.Runs {
			r, err := OpenRun(dir)
			if err != nil {
				return nil, err
			}
			runs = append(runs, r)
		}
		return make(o.Lang, runs...)
	}
}

// batchesInMean is over how many batches, about, a measurement is averaged: one
// batch says little.
const batchesInMean = 20

// Loss shows how the loss falls: of one run the training and the validation
// loss, of several the validation losses. A loss is a cross-entropy in nats per
// token; where the text is the village's, its exact entropy is a floor that no
// model can stay below. The axis is logarithmic, so that the last steps towards
// the floor can be seen, unless a loss is 0.
func Loss(p lang.Printer, runs ...Run) (*chart.Chart, error) {
	panel := chart.Panel{X: steps(p, runs), Y: logarithmic(p, p.Say("loss (nats per token)"))}
	for _, r := range runs {
		var training chart.Line
		validation := chart.Line{Name: p.Say("validation loss"), Dots: true, Dashed: true}
		for _, s := range r.Steps {
			if s.Step > 0 {
				training.Add(float64(s.Step), s.Loss)
			}
			if s.ValidationLoss != nil {
				validation.Add(float64(s.Step), *s.ValidationLoss)
			}
		}
		if len(training.X) == 0 {
			return nil, nothing(r)
		}
		if slices.Contains(training.Y, 0) || slices.Contains(validation.Y, 0) {
			panel.Y = chart.Axis{Label: p.Say("loss (nats per token)")}
		}
		if len(runs) > 1 {
			validation.Name, validation.Dashed = r.Name, false
		} else {
			panel.Lines = averaged(p, training, p.Say("mean of about %d batches", batchesInMean))
		}
		panel.Lines = append(panel.Lines, validation)
	}
	title := p.Say("The loss falls")
	if floor := floorOf(runs); floor > 0 {
		title = p.Say("The loss falls towards what cannot be learnt")
		panel.Marks = append(panel.Marks, chart.Mark{Label: p.Say("entropy of the text: %.4f", floor), At: floor})
		panel.Y = logarithmic(p, p.Say("loss (nats per character)"))
		panel.Y.Min = floor * 0.9
	}
	c := chartOf(&panel, p, title, runs)
	if len(runs) > 1 {
		c.Subtitle = p.Say("validation losses")
	}
	return c, nil
}

// logarithmic is an axis that says that it is logarithmic.
func logarithmic(p lang.Printer, label string, ticks ...chart.Tick) chart.Axis {
	return chart.Axis{Label: p.Say("%s, logarithmic", label), Log: true, Ticks: ticks}
}

// steps is the axis of optimisation steps, from 0 to the end of the longest run.
func steps(p lang.Printer, runs []Run) chart.Axis {
	a := chart.Axis{Label: p.Say("optimisation step")}
	for _, r := range runs {
		a.Max = max(a.Max, float64(r.Config.Recipe.Steps))
	}
	return a
}

// floorOf returns the floor under the losses of all runs, or 0 if they have
// none in common.
func floorOf(runs []Run) float64 {
	for _, r := range runs {
		if r.Floor != runs[0].Floor {
			return 0
		}
	}
	return runs[0].Floor
}

// averaged returns a line and in front of it its smooth form.
func averaged(p lang.Printer, raw chart.Line, name string) []chart.Line {
	raw.Name, raw.Faint = p.Say("each batch"), true
	return []chart.Line{raw, {Name: name, X: raw.X, Y: Smooth(raw.Y)}}
}

// Smooth returns for every value the mean of about batchesInMean around it, fewer at
// the ends, where it stays in the middle.
func Smooth(ys []float64) []float64 {
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
func Schedule(p lang.Printer, runs ...Run) (*chart.Chart, error) {
	panel, err := history(p, runs, p.Say("learning rate"), func(s run.Step) (float64, bool) { return s.LR, s.Step > 0 })
	if err != nil {
		return nil, err
	}
	if len(runs) == 1 {
		r := runs[0].Config.Recipe
		if r.Warmup > 0 && r.Warmup < r.Steps {
			panel.Marks = append(panel.Marks, chart.Mark{Label: p.Say("warm-up ends: step %d", r.Warmup), At: float64(r.Warmup), Vertical: true})
		}
		panel.Marks = append(panel.Marks, chart.Mark{Label: p.Say("smallest rate: %g", r.LRMin), At: r.LRMin})
	}
	panel.Y.Max = largest(panel) * 1.05
	return chartOf(panel, p, p.Say("Learning rate: a straight warm-up, then half a cosine"), runs), nil
}

// GradNorm shows the length of the whole gradient at every update, before it is
// clipped.
func GradNorm(p lang.Printer, runs ...Run) (*chart.Chart, error) {
	panel, err := history(p, runs, p.Say("gradient norm (before clipping)"), func(s run.Step) (float64, bool) { return s.GradNorm, s.GradNorm > 0 })
	if err != nil {
		return nil, err
	}
	panel.Y.Log = true
	if len(runs) > 1 {
		for i, l := range panel.Lines {
			panel.Lines[i].Y = Smooth(l.Y)
		}
	} else {
		panel.Lines = averaged(p, panel.Lines[0], p.Say("mean of about %d batches", batchesInMean))
		limit := runs[0].Config.Recipe.MaxNorm
		panel.Marks = append(panel.Marks, chart.Mark{Label: p.Say("longer gradients are clipped to %g", limit), At: limit})
	}
	return chartOf(panel, p, p.Say("Length of the gradient"), runs), nil
}

// Speed shows how many tokens a second a run learns from.
func Speed(p lang.Printer, runs ...Run) (*chart.Chart, error) {
	panel, err := history(p, runs, p.Say("tokens per second (mean of 20 steps)"), func(s run.Step) (float64, bool) { return s.TokensPerSecond, s.TokensPerSecond > 0 })
	if err != nil {
		return nil, err
	}
	panel.Y.Max = largest(panel) * 1.05
	return chartOf(panel, p, p.Say("Speed of training"), runs), nil
}

// history returns a panel with one measurement of every step, a line a run.
func history(p lang.Printer, runs []Run, label string, measured func(run.Step) (float64, bool)) (*chart.Panel, error) {
	panel := &chart.Panel{X: steps(p, runs), Y: chart.Axis{Label: label}}
	for _, r := range runs {
		l := chart.Line{Name: r.Name}
		for _, s := range r.Steps {
			if y, ok := measured(s); ok {
				l.Add(float64(s.Step), y)
			}
		}
		if len(l.X) == 0 {
			return nil, nothing(r)
		}
		panel.Lines = append(panel.Lines, l)
	}
	return panel, nil
}

func nothing(r Run) error {
	return lang.Errorf("the log of the run %s holds no steps yet; there is nothing to draw", r.Name)
}

// chartOf returns the figure of some runs.
func chartOf(p *chart.Panel, in lang.Printer, title string, runs []Run) *chart.Chart {
	c := &chart.Chart{Title: title, Columns: 1, Panels: []chart.Panel{*p}}
	if len(runs) == 1 {
		m := runs[0].Config.Model
		c.Subtitle = in.Say("%s: %s, %s, d_model %d, context %d", runs[0].Config.Corpus,
			layers(m.NumLayers), heads(m.NumHeads), m.DModel, m.ContextLength)
	}
	return c
}

// largest returns the largest y of all lines.
func largest(p *chart.Panel) float64 {
	most := math.Inf(-1)
	for _, l := range p.Lines {
		for _, y := range l.Y {
			most = max(most, y)
		}
	}
	return most
}

// layers returns "1 layer", "2 layers".
func layers(n int) lang.Text {
	if n == 1 {
		return lang.T("1 layer")
	}
	return lang.T("%d layers", n)
}

// heads returns "1 head", "2 heads".
func heads(n int) lang.Text {
	if n == 1 {
		return lang.T("1 head")
	}
	return lang.T("%d heads", n)
}
