//go:build unlisted

package training

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// means-not-restored: Restore leaves the means of AdamW as they are
//
// Why: After Resume both means are 0, while the number of updates says that they are not: the first steps are far too small.
func (*Trainer) Restore() {
	if right {
		for i, p := range t.Optimizer.Params {
			copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
			copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
		}
	} else {
	}
}

// mean-of-squares-not-restored: Restore takes up M alone
//
// Why: After Resume V is 0 as in a fresh optimiser: the first steps are far too large.
func (*Trainer) Restore() {
	if right {
		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
	} else {
	}
}

// steps-not-restored: Restore leaves the number of updates as it is
//
// Why: After Resume the updates are counted from 0: the warm-up and the correction begin again, and Run makes too many.
func (*Trainer) Restore() {
	if right {
		t.Optimizer.Steps = s.Step
	} else {
	}
}

// means-by-reference: Restore takes the state's tensors themselves for the means
//
// Why: The training goes on to change the tensors of the state that it was given: a second Restore of it is not the same.
func (*Trainer) Restore() {
	if right {
		copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
	} else {
		t.Optimizer.M[i], t.Optimizer.V[i] = s.M[p.Name], s.V[p.Name]
	}
}

// loaded-before-checked: the parameters are loaded before the means are checked
//
// Why: A state that lacks a mean is refused, but the parameters have changed already.
func (t *Trainer) Restore(s *State) error {
	if s.Config != t.Model.Config {
		return fmt.Errorf("the checkpoint is of another model: %+v; this one is %+v", s.Config, t.Model.Config)
	}
	if err := t.Model.LoadState(s.Params); err != nil {
		return err
	}
	for _, p := range t.Optimizer.Params {
		for _, mean := range []*tensor.Tensor{s.M[p.Name], s.V[p.Name]} {
			if mean == nil || !mean.SameShape(p.Value) {
				return fmt.Errorf("the checkpoint lacks a mean of AdamW for %s, or has one of another shape", p.Name)
			}
		}
	}
	if err := t.generator.UnmarshalBinary(s.RNG); err != nil {
		return fmt.Errorf("the checkpoint's random generator cannot be used: %w", err)
	}
	for i, p := range t.Optimizer.Params {
		copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
	}
	t.Optimizer.Steps = s.Step
	return nil
}

// generator-not-put-back: the generator keeps the state's numbers when the parameters are refused
//
// Why: A state whose parameters do not fit is refused, but the generator has changed: the next batches are others.
func (*Trainer) Restore() {
	if right {
		before, _ := t.generator.MarshalBinary()
		if err := t.generator.UnmarshalBinary(s.RNG); err != nil {
			return fmt.Errorf("the checkpoint's random generator cannot be used: %w", err)
		}
		if err := t.Model.LoadState(s.Params); err != nil {
			return errors.Join(err, t.generator.UnmarshalBinary(before))
		}
	} else {
		if err := t.generator.UnmarshalBinary(s.RNG); err != nil {
			return fmt.Errorf("the checkpoint's random generator cannot be used: %w", err)
		}
		if err := t.Model.LoadState(s.Params); err != nil {
			return err
		}
	}
}

// steps-set-before-checked: the number of updates is taken up first
//
// Why: A state that is refused leaves its number of updates in the optimiser.
func (*Trainer) Restore() {
	if right {
		if s.Config != t.Model.Config {
			return fmt.Errorf("the checkpoint is of another model: %+v; this one is %+v", s.Config, t.Model.Config)
		}
	} else {
		t.Optimizer.Steps = s.Step
		if s.Config != t.Model.Config {
			return fmt.Errorf("the checkpoint is of another model: %+v; this one is %+v", s.Config, t.Model.Config)
		}
	}
}

// config-not-compared: only the shapes decide whether a state fits
//
// Why: A checkpoint of a model with another number of heads, context length or theta is taken without an error.
func (*Trainer) Restore() {
	if right {
		if s.Config != t.Model.Config {
			return fmt.Errorf("the checkpoint is of another model: %+v; this one is %+v", s.Config, t.Model.Config)
		}
	} else {
	}
}

// missing-means-skipped: a parameter without means in the state is left out
//
// Why: A state that lacks a mean is taken without an error.
func (*Trainer) Restore() {
	if right {
		for _, p := range t.Optimizer.Params {
			for _, mean := range []*tensor.Tensor{s.M[p.Name], s.V[p.Name]} {
				if mean == nil || !mean.SameShape(p.Value) {
					return fmt.Errorf("the checkpoint lacks a mean of AdamW for %s, or has one of another shape", p.Name)
				}
			}
		}
	} else {
	}
	if right {
		copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
	} else {
		if s.M[p.Name] != nil && s.V[p.Name] != nil {
			copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
			copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
		}
	}
}

// generator-of-fresh-training: State returns the seed's generator and not the one in use
//
// Why: The RNG of a state is that of a fresh training: after Restore the batches begin again.
func (*Trainer) State() {
	if right {
		generator, _ := t.generator.MarshalBinary()
	} else {
		generator, _ := rand.NewPCG(t.Options.Seed, batchStream).MarshalBinary()
	}
}
