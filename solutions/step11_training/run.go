package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Report is what Run says after every update.
type Report struct {
	Step       int     // of the update, from 1
	Loss       float64 // of its batch, before the update
	Norm       float64 // of its gradient, before clipping
	LR         float64 // its learning rate
	Validation float64 // loss on the validation text after the update; NaN when there was no evaluation
	Saved      bool    // a checkpoint was written after the update
}

// Run trains until Options.Steps updates are made, counted from the very first
// of the model and not of this call. It draws batches from text, takes update
// t = 1, 2, … at the rate CosineSchedule(t, …, Steps), evaluates on validation
// every EvalEvery updates and after the last, and saves a checkpoint every
// SaveEvery updates and after the last. With EvalEvery 0 it never evaluates; with
// SaveEvery 0 the checkpoint of the end is the only one. report is called after
// every update; it may be nil, and so may validation.
//
// When ctx is cancelled before the last update, Run finishes the update that it is in,
// saves, and returns the context's error.
func (t *Trainer) Run(ctx context.Context, text, validation *Tokens, report func(Report)) error {
	o := t.Options
	for t.Optimizer.Steps < o.Steps {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
		r := Report{Step: t.Optimizer.Steps + 1, Validation: math.NaN()}
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
		ids, targets, err := text.Batch(t.rng, o.Batch, o.Context)
		if err != nil {
			return err
		}
		update, err := t.Step(ids, targets, r.LR)
		if err != nil {
			return err
		}
		r.Loss, r.Norm = update.Loss, update.Norm
		if validation != nil && o.EvalEvery > 0 && due(r.Step, o.EvalEvery, o.Steps) {
			if r.Validation, err = t.Evaluate(validation); err != nil {
				return err
			}
		}
		if o.Checkpoint != "" && due(r.Step, o.SaveEvery, o.Steps) {
			if err := t.save(); err != nil {
				return err
			}
			r.Saved = true
		}
		if report != nil {
			report(r)
		}
	}
	return nil
}

// due reports whether something that happens every so many updates, and after the
// last one, happens now. Every 0 is never before the last.
func due(step, every, last int) bool { return step == last || every > 0 && step%every == 0 }

// Evaluate returns the mean loss of Options.EvalBatches batches of a text. They
// are the same every time, so that two evaluations can be compared, and drawing
// them leaves the batches of the training alone. Like Loss it changes nothing.
func (t *Trainer) Evaluate(text *Tokens) (float64, error) {
	const evaluationStream = 0x6576616c // "eval"
	rng := rand.New(rand.NewPCG(t.Options.Seed, evaluationStream))
	total := 0.0
	for range t.Options.EvalBatches {
		ids, targets, err := text.Batch(rng, t.Options.Batch, t.Options.Context)
		if err != nil {
			return 0, err
		}
		loss, err := t.Loss(ids, targets)
		if err != nil {
			return 0, err
		}
		total += loss
	}
	return total / float64(t.Options.EvalBatches), nil
}

// State returns the state of the training. Its tensors are those that the
// training goes on to change: save it before the next Step, or copy it.
func (t *Trainer) State() *State {
	generator, _ := t.generator.MarshalBinary() // which returns no error
	s := &State{Config: t.Model.Config, Step: t.Optimizer.Steps, RNG: generator,
		Params: map[string]*tensor.Tensor{}, M: map[string]*tensor.Tensor{}, V: map[string]*tensor.Tensor{}}
	for i, p := range t.Optimizer.Params {
		s.Params[p.Name], s.M[p.Name], s.V[p.Name] = p.Value, t.Optimizer.M[i], t.Optimizer.V[i]
	}
	return s
}

// Restore takes up a state that was saved: the parameters, both means, the
// number of updates and the random generator, so that the training goes on
// exactly as it would have. It copies: the state stays as it is, however the
// training goes on. The error says what does not fit the trainer's model, and then
// nothing has changed.
func (t *Trainer) Restore(s *State) error {
	if s.Config != t.Model.Config {
		return fmt.Errorf("the checkpoint is of another model: %+v; this one is %+v", s.Config, t.Model.Config)
	}
	for _, p := range t.Optimizer.Params {
		for _, mean := range []*tensor.Tensor{s.M[p.Name], s.V[p.Name]} {
			if mean == nil || !mean.SameShape(p.Value) {
				return fmt.Errorf("the checkpoint lacks a mean of AdamW for %s, or has one of another shape", p.Name)
			}
		}
	}
	before, _ := t.generator.MarshalBinary()
	if err := t.generator.UnmarshalBinary(s.RNG); err != nil {
		return fmt.Errorf("the checkpoint's random generator cannot be used: %w", err)
	}
	if err := t.Model.LoadState(s.Params); err != nil {
		return errors.Join(err, t.generator.UnmarshalBinary(before))
	}
	for i, p := range t.Optimizer.Params {
		copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
	}
	t.Optimizer.Steps = s.Step
	return nil
}

// Resume returns a trainer that goes on from a checkpoint.
func Resume(path string, o Options) (*Trainer, error) {
	s, err := Load(path)
	if err != nil {
		return nil, err
	}
	t, err := NewTrainer(s.Config, o)
	if err != nil {
		return nil, err
	}
	if err := t.Restore(s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// save writes the checkpoint that the options name, if they name one.
func (t *Trainer) save() error {
	if t.Options.Checkpoint == "" {
		return nil
	}
	return Save(t.Options.Checkpoint, t.State())
}
