package figure

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/corpus"
)

// Recalls are models of one kind that have learnt to recall, with several seeds.
type Recalls struct {
	Name string
	Runs []run.Recall
}

// OpenRecalls reads the folders of such models, which are called the same but for their seed
// where they are of one kind, in the order in which the kinds come.
func OpenRecalls(dirs ...string) (all []Recalls, err error) {
	for _, dir := range dirs {
		c, err := run.OpenRecall(dir)
		if err != nil {
			return nil, err
		}
		if len(c.Scores) == 0 {
			return nil, lang.Errorf("%s: nothing was asked yet; it is still being trained", dir)
		}
		name := strings.TrimSuffix(filepath.Base(filepath.Clean(dir)), "-"+strconv.FormatUint(c.Seed, 10))
		i := slices.IndexFunc(all, func(r Recalls) bool { return r.Name == name })
		if i < 0 {
			i, all = len(all), append(all, Recalls{Name: name})
		}
		all[i].Runs = append(all[i].Runs, c)
	}
	for _, r := range all {
		for _, c := range r.Runs {
			if !slices.Equal(c.Recipe.Pairs, all[0].Runs[0].Recipe.Pairs) {
				return nil, lang.Errorf("%s was asked for other numbers of pairs than %s: %v and %v; want the same",
					r.Name, all[0].Name, c.Recipe.Pairs, all[0].Runs[0].Recipe.Pairs)
			}
		}
	}
	return all, nil
}

// Accuracy returns which part of the answers was right in texts of the i-th number of pairs:
// the mean of the seeds, the smallest and the largest.
func (r Recalls) Accuracy(i int) (mean, low, high float64) {
	low = math.Inf(1)
	for _, c := range r.Runs {
		x := c.Scores[i].Accuracy()
		mean, low, high = mean+x/float64(len(r.Runs)), min(low, x), max(high, x)
	}
	return mean, low, high
}

// recall shows which part of the answers is right, by the number of pairs, and beside models
// that see through a window what they can reach at best: looking once, and looking once in
// each of their layers.
func recall(o Options) (*chart.Chart, error) {
	all, err := OpenRecalls(o.Runs...)
	if err != nil {
		return nil, err
	}
	panel := chart.Panel{X: chart.Axis{Label: o.Lang.Say("pairs in the text, logarithmic"), Log: true},
		Y: chart.Axis{Label: o.Lang.Say("part of the answers that is right"), Max: 1.02}}
	for _, pairs := range all[0].Runs[0].Recipe.Pairs {
		panel.X.Ticks = append(panel.X.Ticks, chart.Tick{At: float64(pairs), Label: strconv.Itoa(pairs)})
	}
	for _, r := range all {
		mean := chart.Line{Name: r.Name, Dots: true}
		for i, s := range r.Runs[0].Scores {
			x, _, _ := r.Accuracy(i)
			mean.Add(float64(s.Pairs), x)
		}
		for _, c := range r.Runs {
			own := chart.Line{Faint: true, Tint: true}
			for _, s := range c.Scores {
				own.Add(float64(s.Pairs), s.Accuracy())
			}
			panel.Lines = append(panel.Lines, own)
		}
		panel.Lines = append(panel.Lines, mean)
	}
	panel.Lines = append(panel.Lines, bounds(o.Lang, all)...)
	return &chart.Chart{Title: o.Lang.Say("Recall: which values are found again"), Columns: 1, Panels: []chart.Panel{panel},
		Subtitle: o.Lang.Say("each seed, and the mean of the seeds")}, nil
}

// bounds are what the first model with a window among several can reach at best.
func bounds(p lang.Printer, all []Recalls) (lines []chart.Line) {
	i := slices.IndexFunc(all, func(r Recalls) bool { return r.Runs[0].Window() > 0 })
	if i < 0 {
		return nil
	}
	c := all[i].Runs[0]
	once := chart.Line{Name: p.Say("at best, %d tokens seen", c.Window()), Dashed: true}
	layers := chart.Line{Name: p.Say("at best, %d tokens through %d layers", c.Reach(), c.Model.NumLayers), Dashed: true}
	for _, pairs := range c.Recipe.Pairs {
		once.Add(float64(pairs), corpus.BestRecall(pairs, c.Window()))
		layers.Add(float64(pairs), corpus.BestRecall(pairs, c.Reach()))
	}
	return []chart.Line{once, layers}
}
