package figure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/bench"
	"github.com/stubformer/stubformer/grader/studio/bench/roofline"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
)

// ladder shows how a matrix product gets faster, change by change: what
// `grade bench` has measured and written.
func ladder(o Options) (*chart.Chart, error) {
	var file bench.Ladder
	if err := readJSON(o.File, &file); err != nil {
		return nil, err
	}
	if len(file.Rungs) == 0 {
		return nil, lang.Errorf(`%s holds no "rungs"; want [{"name": …, "gflops": …}, …]`, o.File)
	}
	p := chart.Panel{X: chart.Axis{Label: "GFLOP/s", Max: file.Peak}}
	for _, r := range file.Rungs {
		if r.Name == "" || !(r.GFLOPS > 0) {
			return nil, lang.Errorf("%s: the rung %q has %g gflops; want a name and a number above 0", o.File, r.Name, r.GFLOPS)
		}
		p.Bars = append(p.Bars, chart.Bar{Label: r.Name, Value: r.GFLOPS,
			Text: fmt.Sprintf("%.3g  (×%.3g)", r.GFLOPS, r.GFLOPS/file.Rungs[0].GFLOPS)})
	}
	if file.Peak > 0 {
		p.Marks = []chart.Mark{{Label: o.Lang.Say("peak: %.0f", file.Peak), At: file.Peak, Vertical: true}}
	}
	subtitle := file.Machine
	if file.Size > 0 {
		subtitle = o.Lang.Say("%d × %d matrices, %s", file.Size, file.Size, subtitle)
	}
	return &chart.Chart{Title: o.Lang.Say("The ladder: how a matrix product gets fast"), Subtitle: subtitle, Columns: 1, Panels: []chart.Panel{p}}, nil
}

// step shows where the time of a training step goes: what `grade bench step` has measured
// and written.
func step(o Options) (*chart.Chart, error) {
	var file roofline.Step
	if err := readJSON(o.File, &file); err != nil {
		return nil, err
	}
	if len(file.Operations) == 0 {
		return nil, lang.Errorf(`%s holds no "operations"; want what grade bench step --out writes`, o.File)
	}
	whole, p := file.Seconds(), chart.Panel{X: chart.Axis{Label: o.Lang.Say("share of the time, %%")}}
	for _, op := range file.Operations {
		if op.Name == "" || !(op.Seconds > 0) {
			return nil, lang.Errorf("%s: the operation %q takes %g seconds; want a name and a number above 0", o.File, op.Name, op.Seconds)
		}
		least, by := file.Limit(op)
		p.Bars = append(p.Bars, chart.Bar{Label: op.Name, Value: 100 * op.Seconds / whole,
			Text: o.Lang.Say("%.1f %%, at %.0f %% of the limit of %s", 100*op.Seconds/whole, 100*least/op.Seconds, limits[by].In(o.Lang))})
	}
	return &chart.Chart{Title: o.Lang.Say("Where the time of a training step goes"), Columns: 1, Panels: []chart.Panel{p},
		Subtitle: o.Lang.Say("%s, %d tokens on one core, %s", file.Model, file.Tokens, file.Machine)}, nil
}

// limits are the names of the limits.
var limits = map[roofline.Limit]lang.Text{roofline.Arithmetic: lang.T("arithmetic"), roofline.Memory: lang.T("memory"), "": lang.T("the machine")}

// misconception is a known mistake and how many students of a class made it.
type misconception struct {
	Step     string `json:"step"`
	ID       string `json:"id"`
	Title    string `json:"title"`
	Students int    `json:"students"`
	Of       int    `json:"of"`
}

// mostMistakes is how many of a class's mistakes fit into a picture, and
// longestTitle how much of their titles, in characters.
const (
	mostMistakes = 15
	longestTitle = 58
)

// misconceptions shows what a class got wrong, the most frequent first.
func misconceptions(o Options) (*chart.Chart, error) {
	var all []misconception
	if err := readJSON(o.File, &all); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, lang.Errorf("%s lists no mistakes, so there is nothing to draw", o.File)
	}
	for _, m := range all {
		if m.Step == "" || m.Students < 0 || m.Of < m.Students {
			return nil, lang.Errorf("%s: %q of step %q was made by %d of %d students, which cannot be", o.File, m.ID, m.Step, m.Students, m.Of)
		}
	}
	subtitle := o.Lang.Say("students whose answers match a known mistake")
	slices.SortStableFunc(all, func(a, b misconception) int { return b.Students - a.Students })
	if len(all) > mostMistakes {
		subtitle += o.Lang.Say("; the %d most frequent of %d", mostMistakes, len(all))
		all = all[:mostMistakes]
	}
	most := all[0].Students // there is no half a student
	p := chart.Panel{X: chart.Axis{Label: o.Lang.Say("students"), Ticks: chart.Ticks(0, float64(max(most, 1)), min(8, max(most, 1)))}}
	for _, m := range all {
		label := []rune(m.Step + ": " + lang.Of(m.Title).In(o.Lang))
		if len(label) > longestTitle {
			label = append(label[:longestTitle-1], '…')
		}
		p.Bars = append(p.Bars, chart.Bar{Label: string(label), Value: float64(m.Students), Text: o.Lang.Say("%d of %d", m.Students, m.Of)})
	}
	return &chart.Chart{Title: o.Lang.Say("What this class got wrong"), Subtitle: subtitle, Columns: 1, Panels: []chart.Panel{p}}, nil
}

// readJSON reads a file of measurements.
func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return lang.Errorf("there is no file %s", path)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return lang.Errorf("%s is not what this figure reads: %w", path, err)
	}
	return nil
}
