package main

import (
	"encoding/json"
	"math"
	"time"

	"github.com/stubformer/stubformer/grader/host/whole"
	writer "github.com/stubformer/stubformer/grader/programs/generate"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/cputime"
)

// patience is how long a position is measured at least.
const patience = 120 * time.Millisecond

// pace measures how many tokens a second the model reads at positions that double up
// to its context, with a cache, if there is one, and by reading the whole text again, and
// writes them to a file: a list of run.Pace as JSON.
func pace(f folder, path string) error {
	m, err := f.load()
	if err != nil {
		return err
	}
	text := make([]int, m.Config.ContextLength)
	for i := range text {
		text[i] = i % m.Config.VocabSize
	}
	c := writer.Written(m)
	var all []run.Pace
	for p := 1; p < len(text); p = min(2*p, max(p+1, len(text)-1)) {
		with, err := withCache(c, text[:p+1])
		if err != nil {
			return err
		}
		without, err := perSecond(func() error {
			_, err := m.Forward([][]int{text[:p+1]})
			return err
		})
		if err != nil {
			return err
		}
		all = append(all, run.Pace{Position: p, With: with, Without: without})
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return whole.Write(path, data)
}

// withCache returns how many times a second the cache can read the last token of a text,
// or 0 if there is no cache.
func withCache(c writer.Cache, text []int) (float64, error) {
	if c == nil {
		return 0, nil
	}
	past := len(text) - 1
	if _, err := c.Last([][]int{text[c.Len(0):past]}); err != nil {
		return 0, err
	}
	return perSecond(func() error {
		c.Truncate(0, past)
		_, err := c.Last([][]int{text[past:]})
		return err
	})
}

// perSecond returns how often a second do can be called: as if each call took as long as
// the shortest, since whatever else runs on the machine only makes them longer.
func perSecond(do func() error) (float64, error) {
	if err := do(); err != nil { // memory is allocated and warm
		return 0, err
	}
	shortest := time.Duration(math.MaxInt64)
	for begin := time.Now(); time.Since(begin) < patience; {
		start := cputime.Wall()
		if err := do(); err != nil {
			return 0, err
		}
		shortest = min(shortest, max(cputime.Wall()-start, 1))
	}
	return 1 / shortest.Seconds(), nil
}
