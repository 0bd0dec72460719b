//edition:alone

package main

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/tensor"
	paged "github.com/stubformer/stubformer/steps/step22_paged"
)

func init() {
	asks("pages", 3, func(w *worker, q []string) (float64, error) { return w.pages(q[0], number(q[1]), number(q[2])) })
}

// turns is how often pages and cache write in turn.
const turns = 9

// pages writes texts side by side as batch does, through the cache of step 12 and through
// pages of step 22 in turn, and returns the time of the pages in that of the cache: the
// median of the turns.
func (w *worker) pages(name string, rows, tokens int) (float64, error) {
	m, err := w.model(name)
	if err != nil {
		return 0, err
	}
	reader := paged.New(m, rows*run.PagesFor(tokens), run.PageTokens)
	texts := make([]*paged.Text, rows)
	for row := range texts {
		texts[row] = reader.Pool().NewText()
	}
	through := func() (*tensor.Tensor, error) {
		for _, t := range texts {
			t.Truncate(0)
		}
		return write(rows, tokens, func(ids [][]int) (*tensor.Tensor, error) { return reader.Forward(texts, ids) })
	}
	cached := func() (*tensor.Tensor, error) {
		_, c, err := w.cache(name, rows)
		if err != nil {
			return nil, err
		}
		return write(rows, tokens, c.Last)
	}
	var ratios []float64
	for turn := range 1 + turns {
		begin := cputime.Process()
		last, err := through()
		if err != nil {
			return 0, err
		}
		middle := cputime.Process()
		page := slices.Clone(last.Data)
		other, err := cached()
		if err != nil {
			return 0, err
		}
		end := cputime.Process()
		for i, x := range other.Data {
			if d := x - page[i]; d > 1e-3 || d < -1e-3 {
				return 0, fmt.Errorf("through pages the logits are others than through the cache: %g and %g", page[i], x)
			}
		}
		if turn > 0 { // the first is for practice
			ratios = append(ratios, (middle-begin).Seconds()/(end-middle).Seconds())
		}
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2], nil
}
