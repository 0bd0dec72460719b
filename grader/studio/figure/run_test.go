package figure

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/corpus"
)

// little is the log of a real run: 40 steps on the village text, 5 of warm-up,
// from 0.001 down to 0.0001.
func little(t *testing.T, name string) *chart.Chart {
	c, err := Make(context.Background(), name, Options{Runs: []string{filepath.Join("testdata", "little")}})
	require.NoError(t, err)
	require.Equal(t, name, c.Name)
	require.Len(t, c.Panels, 1)
	return c
}

func TestScheduleIsTheFormula(t *testing.T) {
	p := little(t, "schedule").Panels[0]
	require.Len(t, p.Lines, 1)
	require.Len(t, p.Lines[0].X, 40)
	for i, step := range p.Lines[0].X {
		// The learning rate of the update that makes step s is that of t = s, Loshchilov and Hutter's cosine.
		want := 1e-3 * step / 5
		if step >= 5 {
			want = 1e-4 + (1+math.Cos(math.Pi*(step-5)/35))/2*(1e-3-1e-4)
		}
		require.InDelta(t, want, p.Lines[0].Y[i], 1e-12, "step %g", step)
	}
	require.Equal(t, []chart.Mark{{Label: "warm-up ends: step 5", At: 5, Vertical: true}, {Label: "smallest rate: 0.0001", At: 1e-4}}, p.Marks)
}

func TestLoss(t *testing.T) {
	p := little(t, "loss").Panels[0]
	require.True(t, p.Y.Log)
	require.Len(t, p.Lines, 3, "each batch, their mean, validation")
	raw, mean, validation := p.Lines[0], p.Lines[1], p.Lines[2]
	require.True(t, raw.Faint)
	require.Equal(t, []float64{0, 10, 20, 30, 40}, validation.X)
	require.Equal(t, raw.X, mean.X)
	sum := 0.0
	for _, y := range raw.Y[10:31] {
		sum += y
	}
	require.InDelta(t, sum/21, mean.Y[20], 1e-12)
	require.Equal(t, raw.Y[39], mean.Y[39], "at the end there is nothing to average with")
	require.Len(t, p.Marks, 1)
	require.InDelta(t, corpus.VillageEntropy(), p.Marks[0].At, 1e-12)
	require.Equal(t, "loss (nats per character), logarithmic", p.Y.Label)
}

// made is a run that is not on disk.
func made(name, text string, steps ...run.Step) Run {
	c := run.Config{Corpus: text}
	c.Recipe = run.Recipe{Steps: 8, MaxNorm: 1.5}
	r := Run{Name: name, Config: c, Steps: steps}
	if text == corpus.VillageName {
		r.Floor = corpus.VillageEntropy()
	}
	return r
}

func TestSeveralRuns(t *testing.T) {
	a := made("a", corpus.VillageName, run.Step{ValidationLoss: new(3.0)}, run.Step{Step: 1, Loss: 2.5, GradNorm: 4}, run.Step{Step: 2, Loss: 2, ValidationLoss: new(1.0), GradNorm: 1})
	b := made("b", "mine.txt", run.Step{ValidationLoss: new(4.0)}, run.Step{Step: 1, Loss: 3, ValidationLoss: new(2.0), GradNorm: 2})
	c, err := Loss(lang.Printer{}, a, b)
	require.NoError(t, err)
	p := c.Panels[0]
	require.Equal(t, []chart.Line{{Name: "a", X: []float64{0, 2}, Y: []float64{3, 1}, Dots: true}, {Name: "b", X: []float64{0, 1}, Y: []float64{4, 2}, Dots: true}}, p.Lines)
	require.Empty(t, p.Marks, "the entropy of mine.txt is not known")
	require.Equal(t, "loss (nats per token), logarithmic", p.Y.Label)
	require.Equal(t, 8.0, p.X.Max)

	c, err = GradNorm(lang.Printer{}, a)
	require.NoError(t, err)
	require.Equal(t, []chart.Mark{{Label: "longer gradients are clipped to 1.5", At: 1.5}}, c.Panels[0].Marks)
	require.Equal(t, []float64{4, 1}, c.Panels[0].Lines[0].Y)
}

// A loss of 0 has no logarithm, and is drawn.
func TestALossOfZero(t *testing.T) {
	c, err := Loss(lang.Printer{}, made("a", "aaa.txt", run.Step{ValidationLoss: new(0.5)}, run.Step{Step: 1, Loss: 0, ValidationLoss: new(0.0)}))
	require.NoError(t, err)
	p := c.Panels[0]
	require.Equal(t, chart.Axis{Label: "loss (nats per token)"}, p.Y)
	require.Equal(t, []float64{0}, p.Lines[0].Y)
	require.Equal(t, []float64{0.5, 0}, p.Lines[len(p.Lines)-1].Y)
}

func TestNothingYet(t *testing.T) {
	for _, f := range []func(lang.Printer, ...Run) (*chart.Chart, error){Loss, Schedule, GradNorm, Speed} {
		_, err := f(lang.Printer{}, made("empty", "x", run.Step{ValidationLoss: new(4.0)}))
		require.EqualError(t, err, "the log of the run empty holds no steps yet; there is nothing to draw")
	}
}

func TestSmooth(t *testing.T) {
	require.Equal(t, []float64{1, 2, 3}, Smooth([]float64{1, 2, 3}))
	require.Equal(t, []float64{9, 3, 0}, Smooth([]float64{9, 0, 0}))
	require.Empty(t, Smooth(nil))
}

func TestSpeed(t *testing.T) {
	p := little(t, "speed").Panels[0]
	require.NotEmpty(t, p.Lines[0].Y)
	for _, y := range p.Lines[0].Y {
		require.Positive(t, y)
		require.Less(t, y, p.Y.Max)
	}
}
