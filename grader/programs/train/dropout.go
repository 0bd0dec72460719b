package main

import (
	"slices"

	lm "github.com/stubformer/stubformer/steps/step10_lm"
	training "github.com/stubformer/stubformer/steps/step11_training"
)

// dropper is a block that drops numbers in training: Drop begins a round, for all blocks,
// and Keep ends it.
type dropper interface {
	Drop(seed, round uint64)
	Keep()
}

// dropping returns a block of the model that drops numbers, or nil.
func dropping(f folder, m *lm.LM) dropper {
	if len(m.Blocks) == 0 || !slices.Contains(f.Model.With, "dropout") {
		return nil
	}
	d, _ := any(m.Blocks[0]).(dropper)
	return d
}

// evaluate looks at the validation text, where it is time for that, with nothing dropped.
func (w *watcher) evaluate(r *training.Report) {
	last := r.Step == w.Recipe.Steps
	if w.drops == nil || !last && r.Step%w.Recipe.EvalEvery != 0 {
		return
	}
	loss, err := w.trainer.Evaluate(w.validation)
	if err != nil {
		w.Fail(err)
	}
	r.Validation = loss
}
