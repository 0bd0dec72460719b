//go:build mistake

package training

// rate-of-next-update: the loop takes each update at the next one's learning rate
//
// Why: Updates are counted from 1: update t has the rate of t.
//
// Hint: CosineSchedule(Steps + 1, …) before the update, where Steps is how many were made.
func (*Trainer) Run() {
	if right {
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	} else {
		r.LR = CosineSchedule(r.Step+1, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	}
}

// updates-from-zero: the loop counts updates from 0 when it asks for the learning rate
//
// Why: With a warm-up the rate of update 0 is 0: the first batch is wasted.
//
// Hint: The first update has the rate of t = 1.
func (*Trainer) Run() {
	if right {
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	} else {
		r.LR = CosineSchedule(r.Step-1, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	}
}

// warmup-counted-twice: the cosine of the loop ends at Warmup + Steps instead of at Steps
//
// Why: The training ends before the rate has come down.
//
// Hint: The last argument is Options.Steps.
func (*Trainer) Run() {
	if right {
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	} else {
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Warmup+o.Steps)
	}
}

// one-update-too-many: the loop makes one update too many
//
// Why: With ≤ a run that is resumed when it was finished goes on by one more each time.
//
// Hint: Go on while Steps < Options.Steps.
func (*Trainer) Run() {
	if right {
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
		for t.Optimizer.Steps <= o.Steps {
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
	}
}

// steps-of-this-call: the loop counts the updates of this call instead of all the model has had
//
// Why: A resumed run would begin to count anew, and train for longer than an unbroken one.
//
// Hint: The optimiser's Steps come back with the checkpoint; count those.
func (*Trainer) Run() {
	if right {
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
		for range o.Steps {
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
	}
}

// last-not-saved: the checkpoint is saved every SaveEvery updates, but not after the last one
//
// Why: The updates after the last multiple of SaveEvery are lost.
//
// Hint: Save after the last update too.
func due() {
	if right {
		return step == last || every > 0 && step%every == 0
	} else {
		return every > 0 && step%every == 0
	}
}

// not-saved-when-cancelled: nothing is saved when the run is cancelled
//
// Why: Whoever presses Ctrl-C wants to go on later from where the run was.
//
// Hint: Save first, then return the context's error.
func (*Trainer) Run() {
	if right {
		return errors.Join(ctx.Err(), t.save())
	} else {
		return ctx.Err()
	}
}

// evaluation-trains: an evaluation updates the parameters
//
// Why: Then the validation text is a part of the training text, and its loss says nothing about
// new text.
//
// Hint: Evaluate calls Loss, which changes nothing.
func (*Trainer) Evaluate() {
	if right {
		loss, err := t.Loss(ids, targets)
	} else {
		update, err := t.Step(ids, targets, t.Options.LRMin)
		loss := update.Loss
	}
}

// evaluation-draws-from-training: an evaluation draws its batches from the training's random
// generator
//
// Why: How often one looks would change what is learnt, and two evaluations could not be compared.
//
// Hint: Make a new generator with a fixed seed for every evaluation.
func (*Trainer) Evaluate() {
	if right {
		rng := rand.New(rand.NewPCG(t.Options.Seed, evaluationStream))
	} else {
		_ = rand.NewPCG(t.Options.Seed, evaluationStream)
	}
	if right {
		ids, targets, err := text.Batch(rng, t.Options.Batch, t.Options.Context)
	} else {
		ids, targets, err := text.Batch(t.rng, t.Options.Batch, t.Options.Context)
	}
}

// restored-without-means: a resumed run begins with AdamW's means at 0
//
// Why: With t large the bias correction is over, so means that begin at 0 again give steps of the
// wrong length: the loss jumps.
//
// Hint: Restore copies M and V of every parameter.
func (*Trainer) Restore() {
	if right {
		copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
	} else {
		_, _ = i, p
	}
}

// restored-without-step: a resumed run begins at update 1
//
// Why: The warm-up and the bias correction would start again, and the run would be too long.
//
// Hint: Restore sets Optimizer.Steps.
func (*Trainer) Restore() {
	if right {
		t.Optimizer.Steps = s.Step
	} else {
	}
}

// restored-without-generator: a resumed run draws the first batches once more
//
// Why: A generator that starts from the seed gives the batches that the run has seen already.
//
// Hint: Restore takes up the generator's state with UnmarshalBinary.
func (*Trainer) Restore() {
	if right {
		if err := t.generator.UnmarshalBinary(s.RNG); err != nil {
			return fmt.Errorf("the checkpoint's random generator cannot be used: %w", err)
		}
	} else {
		if err := new(rand.PCG).UnmarshalBinary(s.RNG); err != nil {
			return fmt.Errorf("the checkpoint's random generator cannot be used: %w", err)
		}
	}
}

// one-sequence-for-all: the loop trains on the first sequence of a batch, as often as there are sequences
//
// Why: A batch of 32 then teaches as much as one sequence does, and its gradient is as noisy.
//
// Hint: Give Step the batch as it was drawn; sequences share no memory.
func (*Trainer) Run() {
	if right {
		update, err := t.Step(ids, targets, r.LR)
	} else {
		for b := range ids {
			copy(ids[b], ids[0])
			copy(targets[b], targets[0])
		}
		update, err := t.Step(ids, targets, r.LR)
	}
}

// few-batches: the loop draws four batches and repeats them for ever
//
// Why: The model learns these by heart, and nothing of the rest of the text. The loss falls as never
// before.
//
// Hint: Draw a batch for every update, from a generator that is made once.
func (*Trainer) Run() {
	if right {
		ids, targets, err := text.Batch(t.rng, o.Batch, o.Context)
	} else {
		if t.Optimizer.Steps%4 == 0 {
			t.rng = rand.New(rand.NewPCG(o.Seed, 7))
		}
		ids, targets, err := text.Batch(t.rng, o.Batch, o.Context)
	}
}
