package figure

import (
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train"
)

// translation shows what each character of a text that `grade translate` has written looked
// at in its source, by layer and head. Each row sums to 1.
func translation(o Options) (*chart.Chart, error) {
	var t train.Translation
	if err := readJSON(o.File, &t); err != nil {
		return nil, err
	}
	if len(t.Attention) == 0 {
		return nil, lang.Errorf(`%s holds no "attention"; want what grade translate --json writes`, o.File)
	}
	c := &chart.Chart{Title: o.Lang.Say("Cross-attention: what each character looks at in the source"), Subtitle: t.Source,
		Columns: min(len(t.Attention[0]), widest)}
	for layer, heads := range t.Attention {
		for head := range heads {
			p, err := Looked(o.Lang, t, layer, head)
			if err != nil {
				return nil, lang.Errorf("%s: %w", o.File, err)
			}
			c.Panels = append(c.Panels, p)
		}
	}
	return c, nil
}

// Looked is the panel of one head of a layer, or, with head −1, of the mean of all its heads.
func Looked(p lang.Printer, t train.Translation, layer, head int) (chart.Panel, error) {
	h := &chart.Heat{Label: p.Say("attention weight"), Max: 1}
	for _, c := range t.Source {
		h.Cols = append(h.Cols, visible(string(c)))
	}
	for _, c := range t.Target {
		h.Rows = append(h.Rows, visible(string(c)))
	}
	h.Rows = append(h.Rows, "■") // the end
	heads := t.Attention[layer]
	title := p.Say("layer %d, the mean of %d heads", layer+1, len(heads))
	if head >= 0 {
		heads, title = heads[head:head+1], p.Say("layer %d, head %d", layer+1, head+1)
	}
	h.Values = make([][]float64, len(h.Rows))
	for row := range h.Values {
		h.Values[row] = make([]float64, len(h.Cols))
		for _, weights := range heads {
			if len(weights) != len(h.Rows) || len(weights[row]) != len(h.Cols) {
				return chart.Panel{}, lang.Errorf("the attention of layer %d does not belong to a text of %d characters and one of %d",
					layer+1, len(h.Cols), len(h.Rows)-1)
			}
			for col, w := range weights[row] {
				h.Values[row][col] += float64(w) / float64(len(heads))
			}
		}
	}
	return chart.Panel{Title: title, X: chart.Axis{Label: p.Say("source")}, Y: chart.Axis{Label: p.Say("target")}, Heat: h}, nil
}
