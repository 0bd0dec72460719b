//go:build unlisted

package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// half-written-file-stays: when the writing or the rename fails, the second file is left where it is
//
// Why: Save leaves nothing else behind; where path is a folder, say, path.tmp stays.
func replaceFile() {
	if right {
		if err != nil {
			return errors.Join(fmt.Errorf("%s cannot be written, and what was there is unchanged: %w", path, err), os.Remove(temporary))
		}
	} else {
		if err != nil {
			return fmt.Errorf("%s cannot be written, and what was there is unchanged: %w", path, err)
		}
	}
}

// header-not-in-the-checksum: the checksum is that of the tensors only
//
// Why: a state is returned only if every bit is as it was saved; a flipped bit in
// the header changes a digit of the step or of the configuration unnoticed.
func Save() {
	if right {
		if _, err := body.Write(append(start, described...)); err != nil {
			return err
		}
	} else {
		if _, err := file.Write(append(start, described...)); err != nil {
			return err
		}
	}
}

func readState() {
	if right {
		s, err := readTensors(body, described, left)
	} else {
		sum.Reset()
		s, err := readTensors(body, described, left)
	}
}

// header-believed: memory for a tensor is asked for as the header says, without comparing with what is left of the file
//
// Why: Load must not panic, nor take more memory than the size of the file accounts
// for; a damaged (or crafted) shape of 10¹² numbers does both.
func readTensors() {
	if right {
		group, floats := groups[e.Group], floatsOf(e.Shape, left/4)
	} else {
		group, floats := groups[e.Group], floatsOf(e.Shape, math.MaxInt64/8)
	}
}

// means-taken-over: Restore keeps the tensors of the state as the optimiser's means
//
// Why: it must copy: the state stays as it is, however the training goes on. Two
// trainers that are restored from one state disturb each other.
func (*Trainer) Restore() {
	if right {
		copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
	} else {
		t.Optimizer.M[i] = s.M[p.Name]
		t.Optimizer.V[i] = s.V[p.Name]
	}
}

// parameters-loaded-before-the-means-are-checked: the state dictionary is loaded first
//
// Why: a state that lacks a mean is an error, and then nothing has changed; here the
// model has the state's parameters already.
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
	}
}

// fitting-by-shapes-only: Restore does not compare the configurations, only the shapes of the tensors
//
// Why: a state of a model with another number of heads, another Θ or context length
// has the same shapes and is taken up; the error must say that it does not fit.
func (*Trainer) Restore() {
	if right {
		if s.Config != t.Model.Config {
			return fmt.Errorf("the checkpoint is of another model: %+v; this one is %+v", s.Config, t.Model.Config)
		}
	} else {
	}
}

// cancelled-without-saving: a cancelled Run returns the context's error and writes no checkpoint
//
// Why: it saves first; all updates since the last checkpoint are lost.
func (*Trainer) Run() {
	if right {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
	} else {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// context-looked-at-after-the-update: the context is asked at the end of an update in place of its beginning
//
// Why: a context that is cancelled before Run still costs an update; and one that is cancelled
// during the last update gives an error for a run that is complete.
func (t *Trainer) Run(ctx context.Context, text, validation *Tokens, report func(Report)) error {
	o := t.Options
	for t.Optimizer.Steps < o.Steps {
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
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
	}
	return nil
}

// as-many-updates-in-every-call: Run makes Options.Steps updates, wherever the model stands
//
// Why: Steps is counted from the very first update of the model: a resumed run goes
// on past the end, at the rate lrMin.
func (t *Trainer) Run(ctx context.Context, text, validation *Tokens, report func(Report)) error {
	o := t.Options
	for update := range o.Steps {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
		r := Report{Step: t.Optimizer.Steps + 1, Validation: math.NaN()}
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
		ids, targets, err := text.Batch(t.rng, o.Batch, o.Context)
		if err != nil {
			return err
		}
		made, err := t.Step(ids, targets, r.LR)
		if err != nil {
			return err
		}
		r.Loss, r.Norm = made.Loss, made.Norm
		if validation != nil && o.EvalEvery > 0 && due(update+1, o.EvalEvery, o.Steps) {
			if r.Validation, err = t.Evaluate(validation); err != nil {
				return err
			}
		}
		if o.Checkpoint != "" && due(update+1, o.SaveEvery, o.Steps) {
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

// loss-leaves-gradients: Loss takes the way of Step, Backward included
//
// Why: Loss changes nothing (nor does Evaluate, which calls it); here the gradients
// of the model are those of the batch that was only to be measured.
func (*Trainer) Loss() {
	if right {
		return t.divide(ids, targets, false)
	} else {
		return t.divide(ids, targets, true)
	}
}

// idle-shards-added-too: the gradients of all shards are summed, also of those without a part
//
// Why: a batch of fewer sequences than shards adds the gradients that the idle
// shards have left from the batch before.
func sum() {
	if right {
		if s.share > 0 {
			kernel.Add(total, total, s.params[i].Grad.Data)
		}
	} else {
		kernel.Add(total, total, s.params[i].Grad.Data)
	}
}

// rest-of-the-batch-dropped: every shard gets ⌊N/shards⌋ sequences
//
// Why: the last sequences of a batch that cannot be divided evenly are not learnt
// from and not in the loss, and the shares sum to less than 1.
func (*Trainer) divide() {
	if right {
		from, to := min(i, parts)*n/parts, min(i+1, parts)*n/parts
	} else {
		from, to := min(i, parts)*(n/parts), min(i+1, parts)*(n/parts)
	}
}

// error-of-the-first-shard-only: only the first shard is asked for its error
//
// Why: an unknown id in a later part is no error: the update is made, without that
// part.
func (*Trainer) divide() {
	if right {
		for _, s := range t.shards[:parts] {
			if s.err != nil {
				return 0, s.err
			}
			loss += s.share * s.loss
		}
	} else {
		if err := t.shards[0].err; err != nil {
			return 0, err
		}
		for _, s := range t.shards[:parts] {
			loss += s.share * s.loss
		}
	}
}
