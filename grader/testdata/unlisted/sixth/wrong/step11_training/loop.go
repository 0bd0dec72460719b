//go:build unlisted

package training

import "runtime"

// state-taken-without-copying: the trainer goes on in the tensors of the state
//
// Why: Restore copies; training must not change the state's means.
func (*Trainer) Restore() {
	if right {
		copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
	} else {
		t.Optimizer.M[i] = s.M[p.Name]
		t.Optimizer.V[i] = s.V[p.Name]
	}
}

// parameters-loaded-first: the parameters are taken up before the means are looked at
//
// Why: after an error nothing has changed; a state without a mean leaves its parameters behind.
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

// generator-kept-after-an-error: a state whose parameters do not fit leaves its generator behind
//
// Why: after an error nothing has changed; the next batches are others.
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

// any-configuration-with-these-shapes: the configuration is not compared
//
// Why: a state of a model with another theta or other heads has the same shapes and does not fit.
func (*Trainer) Restore() {
	if right {
		if s.Config != t.Model.Config {
			return fmt.Errorf("the checkpoint is of another model: %+v; this one is %+v", s.Config, t.Model.Config)
		}
	} else {
	}
}

// steps-from-zero-after-restoring: the number of updates is not taken up
//
// Why: the corrections of AdamW, the rate and the end of the run differ from the unbroken run.
func (*Trainer) Restore() {
	if right {
		t.Optimizer.Steps = s.Step
		return nil
	} else {
		return nil
	}
}

// generator-not-restored: the state's generator is tried on another one
//
// Why: a resumed run sees the batches of its beginning again.
func (*Trainer) Restore() {
	if right {
		if err := t.generator.UnmarshalBinary(s.RNG); err != nil {
			return fmt.Errorf("the checkpoint's random generator cannot be used: %w", err)
		}
	} else {
		generator := *t.generator
		if err := generator.UnmarshalBinary(s.RNG); err != nil {
			return fmt.Errorf("the checkpoint's random generator cannot be used: %w", err)
		}
	}
}

// mean-of-means: every shard with a part counts the same
//
// Why: shards of two and one sequences must be weighted with their numbers.
func (*Trainer) divide() {
	if right {
		s.share = float64(to-from) / float64(n)
	} else {
		s.share = 0
		if to > from {
			s.share = 1 / float64(parts)
		}
	}
}

// replicas-never-cleared: only the gradients of the model itself are cleared
//
// Why: Backward adds; from the second update on the other shards' old gradients count again.
func (*shard) compute() {
	if right {
		if learn {
			for _, p := range s.params {
				p.ZeroGrad()
			}
		}
	} else {
	}
}

func (*Trainer) Step() {
	if right {
		loss, err := t.divide(ids, targets, true)
	} else {
		for _, p := range t.Optimizer.Params {
			p.ZeroGrad()
		}
		loss, err := t.divide(ids, targets, true)
	}
}

// idle-shards-counted: shards without a part of the batch are added too
//
// Why: after a larger batch they still hold its gradients.
func sum() {
	if right {
		if s.share > 0 {
			kernel.Add(total, total, s.params[i].Grad.Data)
		}
	} else {
		kernel.Add(total, total, s.params[i].Grad.Data)
	}
}

// only-the-first-shards-error: errors of the other shards are not looked at
//
// Why: an unknown id in the last sequence is an error, and no parameter may change.
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

// loss-leaves-gradients: Loss computes the gradients too
//
// Why: Loss changes nothing, the gradients neither.
func (*Trainer) Loss() {
	if right {
		return t.divide(ids, targets, false)
	} else {
		return t.divide(ids, targets, true)
	}
}

// evaluation-by-the-training-generator: the batches of an evaluation come from the training's generator
//
// Why: drawing them must leave the training's batches alone; the run depends on how often one looks.
func (*Trainer) Evaluate() {
	if right {
		rng := rand.New(rand.NewPCG(t.Options.Seed, evaluationStream))
	} else {
		_ = uint64(evaluationStream)
		rng := t.rng
	}
}

// other-batches-in-every-evaluation: the stream of an evaluation begins at the number of updates
//
// Why: the batches are the same every time, so that two evaluations can be compared.
func (*Trainer) Evaluate() {
	if right {
		rng := rand.New(rand.NewPCG(t.Options.Seed, evaluationStream))
	} else {
		rng := rand.New(rand.NewPCG(t.Options.Seed, evaluationStream+uint64(t.Optimizer.Steps)))
	}
}

// rate-of-the-update-before: the schedule is asked for t − 1
//
// Why: update t = 1, 2, … is taken at CosineSchedule(t, …); the first one does not move.
func (*Trainer) Run() {
	if right {
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	} else {
		r.LR = CosineSchedule(r.Step-1, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	}
}

// so-many-updates-more: a call makes Steps updates, whatever was made before
//
// Why: Steps counts from the very first update of the model and not of this call.
func (*Trainer) Run() {
	if right {
		o := t.Options
	} else {
		o := t.Options
		o.Steps += t.Optimizer.Steps
	}
}

// cancelled-without-saving: a cancelled run returns at once
//
// Why: it must save before it returns the context's error.
func (*Trainer) Run() {
	if right {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
	} else {
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// cancelled-is-no-error: a cancelled run saves and returns nil
//
// Why: it returns the context's error; the caller takes the run for finished.
func (*Trainer) Run() {
	if right {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
	} else {
		if ctx.Err() != nil {
			return t.save()
		}
	}
}

// cancelled-after-the-last-update: the context is asked after every update too
//
// Why: a run that has made its last update is finished, and returns nil.
func (*Trainer) Run() {
	if right {
		if report != nil {
			report(r)
		}
	} else {
		if report != nil {
			report(r)
		}
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), t.save())
		}
	}
}

// last-update-not-due: nothing happens after the last update unless its number is a multiple
//
// Why: evaluation and checkpoint also come after the last.
func due() {
	if right {
		return step == last || every > 0 && step%every == 0
	} else {
		return every > 0 && step%every == 0
	}
}

// evaluated-at-the-end-in-any-case: EvalEvery 0 still evaluates after the last update
//
// Why: with EvalEvery 0 it never evaluates.
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

// no-evaluation-is-zero: Validation is 0 when there was none
//
// Why: it is NaN; 0 looks like a perfect model.
func (*Trainer) Run() {
	if right {
		r := Report{Step: t.Optimizer.Steps + 1, Validation: math.NaN()}
	} else {
		r := Report{Step: t.Optimizer.Steps + 1}
	}
}

// last-validation-reported-again: the last evaluation's loss is reported until there is a new one
//
// Why: Validation is NaN when there was no evaluation.
func (*Trainer) Run() {
	if right {
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
	} else {
		o := t.Options
		r := Report{Validation: math.NaN()}
		for t.Optimizer.Steps < o.Steps {
			if ctx.Err() != nil {
				return errors.Join(ctx.Err(), t.save())
			}
			r.Step, r.Saved = t.Optimizer.Steps+1, false
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
	}
}

// saved-without-a-checkpoint: Saved is set although there is no path to save to
//
// Why: Saved says that a checkpoint was written.
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

// reported-before-saving: the report comes before the checkpoint is written
//
// Why: report is called after the update and its checkpoint; Saved is never true.
func (*Trainer) Run() {
	if right {
		if o.Checkpoint != "" && due(r.Step, o.SaveEvery, o.Steps) {
			if err := t.save(); err != nil {
				return err
			}
			r.Saved = true
		}
		if report != nil {
			report(r)
		}
	} else {
		if report != nil {
			report(r)
		}
		if o.Checkpoint != "" && due(r.Step, o.SaveEvery, o.Steps) {
			if err := t.save(); err != nil {
				return err
			}
			r.Saved = true
		}
	}
}

// only-the-first-mistake-named: the error names one thing that is wrong
//
// Why: it names everything that is wrong with the configuration and the options.
func (Options) validate() {
	if right {
		return errors.Join(append(wrong, cfg.Validate())...)
	} else {
		if len(wrong) > 0 {
			return wrong[0]
		}
		return cfg.Validate()
	}
}

// context-may-be-longer: the context is not compared with the model's
//
// Why: NewTrainer must return an error; this one comes with the first update.
func (Options) validate() {
	if right {
		if o.Context > cfg.ContextLength {
			wrong = append(wrong, fmt.Errorf("context is %d, but the model's context_length is %d", o.Context, cfg.ContextLength))
		}
	} else {
	}
}

// batches-of-one-seed: the generator of the batches does not begin at the seed
//
// Why: Seed is that of the parameters and of the batches; all runs see the same batches.
func NewTrainer() {
	if right {
		t := &Trainer{Model: model, Options: o, generator: rand.NewPCG(o.Seed, batchStream)}
	} else {
		t := &Trainer{Model: model, Options: o, generator: rand.NewPCG(1, batchStream)}
	}
}

// as-many-shards-as-processors: a batch is cut into GOMAXPROCS parts
//
// Why: the number is an option and not the number of cores; the bits depend on the machine.
func NewTrainer() {
	if right {
		for range o.Shards - 1 {
			t.shards = append(t.shards, newShard(model.Replica()))
		}
	} else {
		for range max(1, runtime.GOMAXPROCS(0)) - 1 {
			t.shards = append(t.shards, newShard(model.Replica()))
		}
	}
}

// clipped-length-reported: Norm is what is left after clipping
//
// Why: Norm is the length of the gradient before it was clipped.
func (*Trainer) Step() {
	if right {
		return Update{Loss: loss, Norm: norm}, nil
	} else {
		return Update{Loss: loss, Norm: min(norm, t.Options.MaxNorm)}, nil
	}
}

// loss-after-the-update: Loss is computed again after the update
//
// Why: it is the loss of the batch before the update.
func (*Trainer) Step() {
	if right {
		return Update{Loss: loss, Norm: norm}, nil
	} else {
		loss, err = t.divide(ids, targets, false)
		return Update{Loss: loss, Norm: norm}, err
	}
}
