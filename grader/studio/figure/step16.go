package figure

import (
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// flash shows what the attention of step 08 and that of step 16 cost as a text grows: what
// `grade bench attention` has measured and written.
func flash(o Options) (*chart.Chart, error) {
	var all []run.Attentions
	if err := readJSON(o.File, &all); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, lang.Errorf("%s is an empty list; want what grade bench attention --out writes", o.File)
	}
	seconds, bytes := func(a run.Attention) float64 { return a.Seconds }, func(a run.Attention) float64 { return float64(a.Bytes) / 1e6 }
	lines := func(cost func(run.Attention) float64) []chart.Line {
		naive, own := chart.Line{Name: o.Lang.Say("step 08"), Dots: true}, chart.Line{Name: o.Lang.Say("step 16, in tiles"), Dots: true}
		for _, a := range all {
			naive.X, naive.Y = append(naive.X, float64(a.Tokens)), append(naive.Y, cost(a.Naive))
			own.X, own.Y = append(own.X, float64(a.Tokens)), append(own.Y, cost(a.Flash))
		}
		return []chart.Line{naive, own}
	}
	for _, a := range all {
		for _, cost := range []run.Attention{a.Naive, a.Flash} {
			if a.Tokens <= 0 || !(cost.Seconds > 0) || cost.Bytes <= 0 {
				return nil, lang.Errorf("%s: %d tokens with %g seconds and %d bytes; want numbers above 0", o.File, a.Tokens, cost.Seconds, cost.Bytes)
			}
		}
	}
	tokens := logarithmic(o.Lang, o.Lang.Say("tokens"))
	return &chart.Chart{Title: o.Lang.Say("What attention costs: all scores at once, and in tiles"), Columns: 2,
		Subtitle: o.Lang.Say("forward and backward, one head with K = 64, one core"),
		Panels: []chart.Panel{
			{X: tokens, Y: logarithmic(o.Lang, o.Lang.Say("seconds")), Lines: lines(seconds)},
			{X: tokens, Y: logarithmic(o.Lang, o.Lang.Say("memory, MB")), Lines: lines(bytes)},
		}}, nil
}
