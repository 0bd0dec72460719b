package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// routedTokens is about how many tokens are read to see who computes them.
const routedTokens = 4096

// chooser is a feed-forward network that is a mixture of experts, and says which of them
// took the tokens that it read last: k a token.
type chooser interface{ Chosen() []int }

// route reads the beginning of the text that was kept back, with the parameters of each
// snapshot, and writes which experts were chosen to a file: a list of run.Routing as JSON.
func route(f folder, path string) error {
	ids, err := readTokens(f.path(run.ValidationFile))
	if err != nil {
		return err
	}
	ids = ids[:min(len(ids), routedTokens)]
	steps, err := run.Snapshots(f.dir)
	if err != nil {
		return err
	}
	var all []run.Routing
	for _, step := range steps {
		m, err := f.after(&step)
		if err != nil {
			return err
		}
		r := f.newRouting(step)
		for at := 0; at < len(ids); at += f.Model.ContextLength {
			if err := f.count(&r, m, ids[at:min(at+f.Model.ContextLength, len(ids))]); err != nil {
				return err
			}
		}
		all = append(all, r)
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return whole.Write(path, data)
}

func (f folder) newRouting(step int) run.Routing {
	r := run.Routing{Step: step, Tokens: make([]int, f.VocabSize), Chosen: make([][][]int, f.Model.NumLayers)}
	for layer := range r.Chosen {
		r.Chosen[layer] = make([][]int, f.Model.NumExperts)
		for e := range r.Chosen[layer] {
			r.Chosen[layer][e] = make([]int, f.VocabSize)
		}
	}
	return r
}

// count adds who computed the tokens of a piece of text.
func (f folder) count(r *run.Routing, m *lm.LM, ids []int) error {
	if _, err := m.Forward([][]int{ids}); err != nil {
		return err
	}
	for _, id := range ids {
		r.Tokens[id]++
	}
	for layer, b := range m.Blocks {
		mixture, ok := any(b.FFN).(chooser)
		if !ok {
			return errors.New("the feed-forward network of the model has no experts")
		}
		chosen, k := mixture.Chosen(), f.Model.ExpertsPerToken
		if len(chosen) != len(ids)*k {
			return fmt.Errorf("Chosen of layer %d returned %d experts for %d tokens; want %d for each; to see what is wrong: go run ./cmd/grade step18",
				layer+1, len(chosen), len(ids), k)
		}
		for slot, e := range chosen {
			if e < 0 || e >= f.Model.NumExperts {
				return fmt.Errorf("Chosen of layer %d has expert %d of %d; to see what is wrong: go run ./cmd/grade step18", layer+1, e, f.Model.NumExperts)
			}
			r.Chosen[layer][e][ids[slot/k]]++
		}
	}
	return nil
}
