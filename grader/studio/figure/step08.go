package figure

import (
	"context"
	"errors"
	"math"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/workspace"
)

// prompt is the text that a model is given if none is asked for.
const prompt = "Tom went to the mill."

// widest is how many heads stand side by side at most.
const widest = 4

// attention runs a trained model on a text and shows, for every layer and head,
// how much each token attends to each token before it. Each row sums to 1.
func attention(ctx context.Context, o Options) (*chart.Chart, error) {
	r, err := OpenRun(o.Runs[0])
	if err != nil {
		return nil, err
	}
	binary, remove, err := program(ctx, o, r)
	if err != nil {
		return nil, err
	}
	defer remove()
	if o.Prompt == "" {
		o.Prompt = prompt
	}
	coding := func() (*train.Coder, error) { return train.NewCoder(ctx, o.Kit, source(o), o.Prints) }
	a, err := train.Attend(ctx, binary, o.Runs[0], o.Prompt, coding, o.Prints)
	if err != nil {
		return nil, err
	}
	c := &chart.Chart{Title: o.Lang.Say("Attention: what each token looks at"), Columns: min(r.Config.Model.NumHeads, widest),
		Subtitle: o.Lang.Say("%s: %s, d_model %d; every row sums to 1", r.Name, layers(r.Config.Model.NumLayers), r.Config.Model.DModel)}
	tokens := make([]string, len(a.Tokens))
	for i, t := range a.Tokens {
		tokens[i] = visible(t)
	}
	for layer, weights := range a.Layers {
		for head := range r.Config.Model.NumHeads {
			values := make([][]float64, len(tokens))
			for t := range values {
				values[t] = doubles(weights.Row(head*len(tokens) + t))
				for s := t + 1; s < len(tokens); s++ {
					if values[t][s] == 0 {
						values[t][s] = math.NaN() // the future, which the mask hides
					}
				}
			}
			c.Panels = append(c.Panels, chart.Panel{
				Title: o.Lang.Say("layer %d, head %d", layer+1, head+1), X: chart.Axis{Label: o.Lang.Say("key")}, Y: chart.Axis{Label: o.Lang.Say("query")},
				Heat: &chart.Heat{Label: o.Lang.Say("attention weight"), Rows: tokens, Cols: tokens, Values: values, Max: 1},
			})
		}
	}
	return c, nil
}

// program builds the training program that runs a folder's model, and returns what
// takes it away again.
func program(ctx context.Context, o Options, r Run) (binary string, remove func(), err error) {
	tmp, err := scratch.New()
	if err != nil {
		return "", nil, err
	}
	binary, err = train.Build(ctx, o.Kit, source(o), r.Config.Model, tmp.Path)
	if err != nil {
		return "", nil, errors.Join(err, tmp.Remove())
	}
	return binary, func() { tmp.Remove() }, nil
}

// source is whose code a figure is made with.
func source(o Options) workspace.Source {
	if o.Impl == grader.Solutions {
		return workspace.Solutions()
	}
	return workspace.Own()
}

// visible returns a token as a label: what cannot be seen gets a sign.
func visible(token string) string {
	switch token {
	case " ":
		return "·"
	case "\n":
		return "¶"
	}
	return token
}
