package figure

import (
	"context"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/chart"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

// experts shows for each layer of each run how much every expert has to do as the model is
// trained, and which kinds of characters it takes at the beginning and at the end.
func experts(ctx context.Context, o Options) (*chart.Chart, error) {
	c := &chart.Chart{Title: o.Lang.Say("Who computes what: experts and kinds of characters"), Columns: 3,
		Subtitle: o.Lang.Say("right: the part of the tokens of a kind that an expert takes, on the text that was kept back")}
	for _, dir := range o.Runs {
		r, err := OpenRun(dir)
		if err != nil {
			return nil, err
		}
		if r.Config.Model.NumExperts == 0 {
			return nil, lang.Errorf("the model of %s has no experts; this figure shows runs of go run ./cmd/grade train --with moe", dir)
		}
		panels, err := expertPanels(ctx, o, r, dir)
		if err != nil {
			return nil, err
		}
		c.Panels = append(c.Panels, panels...)
	}
	return c, nil
}

// expertPanels are those of one run, three a layer.
func expertPanels(ctx context.Context, o Options, r Run, dir string) ([]chart.Panel, error) {
	binary, remove, err := program(ctx, o, r)
	if err != nil {
		return nil, err
	}
	defer remove()
	all, err := train.Route(ctx, binary, dir, o.Prints)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, lang.Errorf("%s has no snapshots of the training, so there is nothing to draw; train it again", dir)
	}
	tokens, err := tokenizer.Open(dir, r.Config.VocabSize)
	if err != nil {
		return nil, err
	}
	kinds := make([]int, r.Config.VocabSize)
	for id := range kinds {
		token, err := tokens.Decode([]int{id})
		if err != nil {
			return nil, err
		}
		kinds[id] = kindOf(token)
	}
	var panels []chart.Panel
	for layer := range r.Config.Model.NumLayers {
		name := o.Lang.Say("%s, layer %d", r.Name, layer+1)
		panels = append(panels, loadPanel(o.Lang, name, r, all, layer))
		for _, at := range []run.Routing{all[0], all[len(all)-1]} {
			panels = append(panels, chart.Panel{Title: o.Lang.Say("%s, step %d", name, at.Step),
				X: chart.Axis{Label: o.Lang.Say("expert")}, Y: chart.Axis{Label: o.Lang.Say("kind")},
				Heat: takers(o.Lang, at, layer, kinds)})
		}
	}
	return panels, nil
}

// loadPanel shows the share of the slots that every expert of a layer has, by step.
func loadPanel(p lang.Printer, name string, r Run, all []run.Routing, layer int) chart.Panel {
	n := r.Config.Model.NumExperts
	panel := chart.Panel{Title: name, X: steps(p, []Run{r}), Y: chart.Axis{Label: p.Say("share of the slots")},
		Marks: []chart.Mark{{Label: p.Say("even"), At: 1 / float64(n)}}}
	for e := range n {
		line := chart.Line{Name: p.Say("expert %d", e)}
		for _, at := range all {
			line.Add(float64(at.Step), float64(sum(at.Chosen[layer][e]))/float64(sum(at.Tokens)*r.Config.Model.ExpertsPerToken))
		}
		panel.Lines = append(panel.Lines, line)
	}
	return panel
}

func sum(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// takers has a row for every kind of token that was read and a column for every expert of
// a layer: which part of the tokens of this kind go to this expert.
func takers(p lang.Printer, at run.Routing, layer int, kinds []int) *chart.Heat {
	h := &chart.Heat{Label: p.Say("part of the tokens"), Max: 1}
	for e := range at.Chosen[layer] {
		h.Cols = append(h.Cols, strconv.Itoa(e))
	}
	for kind, name := range kindNames(p) {
		of := count(at.Tokens, kinds, kind)
		if of == 0 {
			continue
		}
		row := make([]float64, len(h.Cols))
		for e, chosen := range at.Chosen[layer] {
			row[e] = float64(count(chosen, kinds, kind)) / float64(of)
		}
		h.Rows, h.Values = append(h.Rows, name), append(h.Values, row)
	}
	return h
}

// count adds up how often the tokens of a kind occur.
func count(tokens, kinds []int, kind int) (n int) {
	for id, times := range tokens {
		if kinds[id] == kind {
			n += times
		}
	}
	return n
}

// kindNames are the kinds of tokens, in the order of kindOf.
func kindNames(p lang.Printer) []string {
	return []string{p.Say("space"), p.Say("vowel"), p.Say("consonant"), p.Say("capital"), p.Say("other letter"), p.Say("sign")}
}

// kindOf is the kind of the first character of a token that can be seen.
func kindOf(token string) int {
	r, size := utf8.DecodeRuneInString(strings.TrimSpace(token))
	switch {
	case size == 0:
		return 0
	case strings.ContainsRune("aeiou", r):
		return 1
	case r >= 'a' && r <= 'z':
		return 2
	case unicode.IsUpper(r):
		return 3
	case unicode.IsLetter(r):
		return 4
	}
	return 5
}
