//go:build unlisted

package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// never-before-the-end: what is due every so many updates is due at multiples only
//
// Why: After the last update there is neither evaluation nor checkpoint if Steps is not a multiple.
func due(step, every, last int) bool { return every > 0 && step%every == 0 }

// due-one-late: what is due every so many updates is due one update later
//
// Why: Evaluations and checkpoints come after the updates 1, 1 + every, … and not after every, 2·every, …
func due(step, every, last int) bool { return step == last || every > 0 && (step-1)%every == 0 }

// every-zero-is-always: 0 stands for every update
//
// Why: With SaveEvery = 0 a checkpoint is written after every update and not at the end only.
func due(step, every, last int) bool { return step == last || step%max(1, every) == 0 }

// no-evaluations-evaluated: EvalEvery = 0 evaluates after the last update
//
// Why: With EvalEvery = 0 there should be no evaluation at all; there is one at the end.
func (*Trainer) Run() {
	if right {
		if validation != nil && o.EvalEvery > 0 && due(r.Step, o.EvalEvery, o.Steps) {
			if r.Validation, err = t.Evaluate(validation); err != nil {
				return err
			}
		}
	} else {
		if validation != nil && due(r.Step, o.EvalEvery, o.Steps) {
			if r.Validation, err = t.Evaluate(validation); err != nil {
				return err
			}
		}
	}
}

// not-evaluated-is-zero: Validation is 0 where nothing was evaluated
//
// Why: Report.Validation is 0 and not NaN after an update without an evaluation.
func (*Trainer) Run() {
	if right {
		r := Report{Step: t.Optimizer.Steps + 1, Validation: math.NaN()}
	} else {
		r := Report{Step: t.Optimizer.Steps + 1}
	}
}

// saved-without-checkpoint: Saved is set even if the options name no checkpoint
//
// Why: Report.Saved is true although nothing was written.
func (*Trainer) Run() {
	if right {
		if o.Checkpoint != "" && due(r.Step, o.SaveEvery, o.Steps) {
			if err := t.save(); err != nil {
				return err
			}
			r.Saved = true
		}
	} else {
		if due(r.Step, o.SaveEvery, o.Steps) {
			if err := t.save(); err != nil {
				return err
			}
			r.Saved = true
		}
	}
}

// cancelled-is-no-error: a cancelled Run returns nil
//
// Why: Run returns nil and not the context's error when it is cancelled.
func (*Trainer) Run() {
	if right {
		return errors.Join(ctx.Err(), t.save())
	} else {
		return t.save()
	}
}

// cancelled-without-saving: a cancelled Run does not save
//
// Why: What was trained since the last checkpoint is lost when Run is cancelled.
func (*Trainer) Run() {
	if right {
		return errors.Join(ctx.Err(), t.save())
	} else {
		return ctx.Err()
	}
}

// context-not-looked-at: Run ignores its context
//
// Why: A cancelled Run goes on to the last update.
func (*Trainer) Run() {
	if right {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
	} else {
		_ = context.Background
	}
}

// cancelled-between-draw-and-update: the context is looked at after the batch is drawn
//
// Why: The checkpoint of a cancelled Run has a generator that has drawn a batch which was not trained on: it is skipped after Resume.
func (*Trainer) Run() {
	if right {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
	} else {
	}
	if right {
		update, err := t.Step(ids, targets, r.LR)
	} else {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
		update, err := t.Step(ids, targets, r.LR)
	}
}

// report-must-be-there: report is called without asking whether it is nil
//
// Why: Run with a nil report panics.
func (*Trainer) Run() {
	if right {
		if report != nil {
			report(r)
		}
	} else {
		report(r)
	}
}

// validation-must-be-there: validation is read without asking whether it is nil
//
// Why: Run with a nil validation and EvalEvery above 0 panics.
func (*Trainer) Run() {
	if right {
		if validation != nil && o.EvalEvery > 0 && due(r.Step, o.EvalEvery, o.Steps) {
			if r.Validation, err = t.Evaluate(validation); err != nil {
				return err
			}
		}
	} else {
		if o.EvalEvery > 0 && due(r.Step, o.EvalEvery, o.Steps) {
			if r.Validation, err = t.Evaluate(validation); err != nil {
				return err
			}
		}
	}
}

// batches-begin-again: Restore leaves the generator as it is
//
// Why: After Resume the batches begin again with the first one: the training repeats those it has seen.
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
		if err := t.Model.LoadState(s.Params); err != nil {
			return err
		}
	}
}

// last-batch-again: the state of the generator is that before the last batch
//
// Why: After Resume the first batch is the last one before the checkpoint: it is trained on twice.
func (t *Trainer) State() *State {
	generator := t.before
	if generator == nil {
		generator, _ = t.generator.MarshalBinary()
	}
	s := &State{Config: t.Model.Config, Step: t.Optimizer.Steps, RNG: generator,
		Params: map[string]*tensor.Tensor{}, M: map[string]*tensor.Tensor{}, V: map[string]*tensor.Tensor{}}
	for i, p := range t.Optimizer.Params {
		s.Params[p.Name], s.M[p.Name], s.V[p.Name] = p.Value, t.Optimizer.M[i], t.Optimizer.V[i]
	}
	return s
}

func (*Trainer) Run() {
	if right {
		ids, targets, err := text.Batch(t.rng, o.Batch, o.Context)
	} else {
		t.before, _ = t.generator.MarshalBinary()
		ids, targets, err := text.Batch(t.rng, o.Batch, o.Context)
	}
}

type Trainer struct {
	Model     *lm.LM
	Optimizer *AdamW
	Options   Options

	shards    []*shard
	workers   *team[bool]
	adders    *team[[]*shard]
	generator *rand.PCG
	rng       *rand.Rand
	before    []byte
}
