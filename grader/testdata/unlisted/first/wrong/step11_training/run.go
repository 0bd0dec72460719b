//go:build unlisted

package training

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
)

// rate-of-last-update: the schedule is asked for the updates made so far
//
// Why: Update t is made at the rate of t − 1: the first one at 0.
func (*Trainer) Run() {
	if right {
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	} else {
		r.LR = CosineSchedule(r.Step-1, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	}
}

// other-rate-reported: the rate of the next update is reported
//
// Why: Report.LR is not the rate that the update was made at but that of the one after it.
func (*Trainer) Run() {
	if right {
		r.Loss, r.Norm = update.Loss, update.Norm
	} else {
		r.Loss, r.Norm = update.Loss, update.Norm
		r.LR = CosineSchedule(r.Step+1, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	}
}

// cosine-after-warmup: the cosine takes Steps updates from the end of the warm-up
//
// Why: The rate has not come down to LRMin at the end: the cosine ends at Warmup + Steps.
func (*Trainer) Run() {
	if right {
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	} else {
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Warmup+o.Steps)
	}
}

// steps-from-zero: updates are reported from 0
//
// Why: Report.Step counts from 0, and so do evaluations and checkpoints: the last one is not made at the end.
func (*Trainer) Run() {
	if right {
		r := Report{Step: t.Optimizer.Steps + 1, Validation: math.NaN()}
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	} else {
		r := Report{Step: t.Optimizer.Steps, Validation: math.NaN()}
		r.LR = CosineSchedule(r.Step+1, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	}
}

// steps-of-this-call: Run makes Steps updates in every call
//
// Why: After Resume Run makes Steps more updates instead of those that are left.
func (*Trainer) Run() {
	if right {
		o := t.Options
	} else {
		o := t.Options
		o.Steps += t.Optimizer.Steps
	}
}

// same-batch-always: the batch is drawn once for the whole run
//
// Why: Every update is made from the first batch.
func (t *Trainer) Run(ctx context.Context, text, validation *Tokens, report func(Report)) error {
	o := t.Options
	ids, targets, err := text.Batch(t.rng, o.Batch, o.Context)
	if err != nil {
		return err
	}
	for t.Optimizer.Steps < o.Steps {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
		r := Report{Step: t.Optimizer.Steps + 1, Validation: math.NaN()}
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
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

// evaluated-before-update: the validation is computed before the update
//
// Why: Report.Validation belongs to the parameters before the update and not after it.
func (*Trainer) Run() {
	if right {
		update, err := t.Step(ids, targets, r.LR)
	} else {
		if validation != nil && o.EvalEvery > 0 && due(r.Step, o.EvalEvery, o.Steps) {
			if r.Validation, err = t.Evaluate(validation); err != nil {
				return err
			}
		}
		update, err := t.Step(ids, targets, r.LR)
	}
	if right {
		if validation != nil && o.EvalEvery > 0 && due(r.Step, o.EvalEvery, o.Steps) {
			if r.Validation, err = t.Evaluate(validation); err != nil {
				return err
			}
		}
	} else {
	}
}

// trained-on-validation: batches are drawn from the validation text if there is one
//
// Why: Run trains on the text that is meant for evaluation.
func (*Trainer) Run() {
	if right {
		ids, targets, err := text.Batch(t.rng, o.Batch, o.Context)
	} else {
		source := text
		if validation != nil {
			source = validation
		}
		ids, targets, err := source.Batch(t.rng, o.Batch, o.Context)
	}
}

// evaluated-on-training-text: the evaluation reads the training text
//
// Why: Report.Validation is the loss on the training text.
func (*Trainer) Run() {
	if right {
		if r.Validation, err = t.Evaluate(validation); err != nil {
			return err
		}
	} else {
		if r.Validation, err = t.Evaluate(text); err != nil {
			return err
		}
	}
}

// evaluation-draws-from-training: the batches of an evaluation come from the generator of the training
//
// Why: An evaluation changes the batches of the training, and two evaluations are not of the same batches.
func (*Trainer) Evaluate() {
	if right {
		rng := rand.New(rand.NewPCG(t.Options.Seed, evaluationStream))
	} else {
		rng := t.rng
		_ = evaluationStream
	}
}

// evaluation-by-updates: the batches of an evaluation depend on the number of updates
//
// Why: Two evaluations are of different batches and cannot be compared.
func (*Trainer) Evaluate() {
	if right {
		rng := rand.New(rand.NewPCG(t.Options.Seed, evaluationStream))
	} else {
		rng := rand.New(rand.NewPCG(t.Options.Seed+uint64(t.Optimizer.Steps), evaluationStream))
	}
}

// evaluation-learns: an evaluation makes a step at the last rate
//
// Why: An evaluation moves the parameters: the model is trained on the validation text.
func (*Trainer) Evaluate() {
	if right {
		loss, err := t.Loss(ids, targets)
	} else {
		update, err := t.Step(ids, targets, CosineSchedule(t.Optimizer.Steps, t.Options.LRMax, t.Options.LRMin, t.Options.Warmup, t.Options.Steps))
		loss := update.Loss
	}
}

// last-evaluation-counts: the loss of the last batch alone is returned
//
// Why: Evaluate returns the loss of its last batch divided by their number, or that of one batch, and not the mean.
func (*Trainer) Evaluate() {
	if right {
		total += loss
	} else {
		total = loss * float64(t.Options.EvalBatches)
	}
}

// evaluation-not-averaged: the losses of the batches are summed
//
// Why: Evaluate returns the sum over its batches and not the mean.
func (*Trainer) Evaluate() {
	if right {
		return total / float64(t.Options.EvalBatches), nil
	} else {
		return total, nil
	}
}
