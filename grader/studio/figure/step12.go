package figure

import (
	"context"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train"
)

// pace shows how many tokens a second a trained model reads at each position of a
// text, one by one: with the cache of step 12, and by reading the text again.
func pace(ctx context.Context, o Options) (*chart.Chart, error) {
	r, err := OpenRun(o.Runs[0])
	if err != nil {
		return nil, err
	}
	binary, remove, err := program(ctx, o, r)
	if err != nil {
		return nil, err
	}
	defer remove()
	all, err := train.Pace(ctx, binary, o.Runs[0], o.Prints)
	if err != nil {
		return nil, err
	}
	if all[0].With == 0 {
		return nil, lang.Errorf("this figure shows the cache of step 12, which is not written or does not pass; see grade step12")
	}
	with, without := chart.Line{Name: o.Lang.Say("with the cache"), Dots: true}, chart.Line{Name: o.Lang.Say("reading the text again"), Dots: true}
	for _, p := range all {
		with.X, with.Y = append(with.X, float64(p.Position)), append(with.Y, p.With)
		without.X, without.Y = append(without.X, float64(p.Position)), append(without.Y, p.Without)
	}
	return &chart.Chart{Title: o.Lang.Say("What a cache saves: the next token, by position"), Columns: 1,
		Subtitle: o.Lang.Say("%s: %s, d_model %d", r.Name, layers(r.Config.Model.NumLayers), r.Config.Model.DModel),
		Panels: []chart.Panel{{X: logarithmic(o.Lang, o.Lang.Say("position")),
			Y: logarithmic(o.Lang, o.Lang.Say("tokens per second")), Lines: []chart.Line{with, without}}}}, nil
}
