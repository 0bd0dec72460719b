//go:build unlisted

package training

// decay-in-the-gradient: the weight decay is added to the gradient, as in L2
//
// Why: decoupled decay is promised; here it is divided by √v̂, and the gradients, which are read only, change.
func (*AdamW) update() {
	if right {
		kernel.Axpby(rest1, g, beta1, m)
		kernel.Mul(square, g, g)
		kernel.Axpby(rest2, square, beta2, v)
		kernel.ScaleTo(mHat, float32(1/bias1), m)
		kernel.ScaleTo(vHat, float32(1/bias2), v)
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		kernel.Axpy(float32(o.WeightDecay), p, g)
		kernel.Axpby(rest1, g, beta1, m)
		kernel.Mul(square, g, g)
		kernel.Axpby(rest2, square, beta2, v)
		kernel.ScaleTo(mHat, float32(1/bias1), m)
		kernel.ScaleTo(vHat, float32(1/bias2), v)
	}
}

// decay-without-the-rate: a parameter loses λ·p and not lr·λ·p
//
// Why: the decay is 1/lr times too strong.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		kernel.Axpy(float32(-o.WeightDecay), p, p)
	}
}

// rest-of-a-float32: 1 − β2 is computed from the float32 of β2
//
// Why: off by 1.3e-5 of itself, more than the tolerance, says the stub.
func (*AdamW) update() {
	if right {
		beta2, rest2 := float32(o.Beta2), float32(1-o.Beta2)
	} else {
		beta2, rest2 := float32(o.Beta2), 1-float32(o.Beta2)
	}
}

// eps-inside-the-root: ε is added to v̂ before the root
//
// Why: none of the three published forms; for small gradients the step is shorter by orders of magnitude.
func (*AdamW) update() {
	if right {
		kernel.Sqrt(vHat, vHat)
		kernel.AddConst(vHat, float32(o.Eps), vHat)
	} else {
		kernel.AddConst(vHat, float32(o.Eps), vHat)
		kernel.Sqrt(vHat, vHat)
	}
}

// clipped-one-by-one: every parameter's gradient is bounded by itself
//
// Why: all parameters together are one vector; the direction changes and the whole may still be too long.
func ClipGradNorm(params []*tensor.Param, maxNorm float64) float64 {
	total := 0.0
	for _, p := range params {
		squares := kernel.SumSquares(p.Grad.Data)
		total += squares
		if norm := math.Sqrt(squares); norm > maxNorm {
			kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
		}
	}
	return math.Sqrt(total)
}

// clipped-length-returned: the length after the clipping is returned
//
// Why: the length before is promised and goes into the reports.
func ClipGradNorm() {
	if right {
		return norm
	} else {
		return min(norm, maxNorm)
	}
}

// warmup-from-one: the rate in the warm-up is (t + 1)/warmup
//
// Why: t/warmup is promised; the largest rate comes one update early, and update 0 has one.
func CosineSchedule() {
	if right {
		return float64(t) / float64(warmup) * lrMax
	} else {
		return float64(t+1) / float64(warmup) * lrMax
	}
}

// end-inside-the-cosine: the rate at t = cosineEnd comes from the cosine
//
// Why: with warmup = cosineEnd it is 0/0, NaN, at that update; the rate must drop to lrMin.
func CosineSchedule(t int, lrMax, lrMin float64, warmup, cosineEnd int) float64 {
	switch {
	case t < warmup:
		return float64(t) / float64(warmup) * lrMax
	case t > cosineEnd:
		return lrMin
	}
	progress := float64(t-warmup) / float64(cosineEnd-warmup)
	return lrMin + (1+math.Cos(math.Pi*progress))/2*(lrMax-lrMin)
}

// last-window-missing: the last place where a window fits is never drawn
//
// Why: the last places are included; a text of context + 1 tokens panics though one window fits.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := rng.IntN(starts - 1)
	}
}

// grid-kept-by-rows: the slices of the last Batch are used again whenever their number fits
//
// Why: a later Batch of another context returns rows of the old length or panics.
func grid() {
	if right {
		if len(old) == rows && (rows == 0 || len(old[0]) == length) {
			return old
		}
	} else {
		if len(old) == rows {
			return old
		}
	}
}

// ids-cut-to-16-bits: an id of more than 16 bits is written without its upper ones
//
// Why: such an id must be an error that names it.
func WriteTokens() {
	if right {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
	} else {
		if id < 0 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
	}
}

// shards-count-the-same: the loss and gradient of every shard have the weight 1/parts
//
// Why: a mean of means; with three sequences in two shards it is not the mean over the tokens.
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

// idle-shards-gradients: the gradients of all shards are summed, also of those without a part
//
// Why: a batch of fewer sequences than shards adds the gradients of the batch before.
func sum() {
	if right {
		if s.share > 0 {
			kernel.Add(total, total, s.params[i].Grad.Data)
		}
	} else {
		kernel.Add(total, total, s.params[i].Grad.Data)
	}
}

// only-the-models-gradients-cleared: a step clears the gradients of the model and not those of the replicas
//
// Why: with several shards the replicas add up their gradients from step to step.
func (*shard) compute() {
	if right {
		for _, p := range s.params {
			p.ZeroGrad()
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

// loss-with-gradients: Loss runs the backward pass too
//
// Why: Loss changes nothing by contract; it changes the gradients of the model.
func (*Trainer) Loss() {
	if right {
		return t.divide(ids, targets, false)
	} else {
		return t.divide(ids, targets, true)
	}
}

// rate-of-the-update-before: update t is made at the rate of t − 1
//
// Why: t counts from 1; the first update has the rate 0 and changes nothing, the last one not lrMin.
func (*Trainer) Run() {
	if right {
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	} else {
		r.LR = CosineSchedule(r.Step-1, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	}
}

// steps-of-this-call: Run makes Options.Steps updates whatever was made before
//
// Why: they count from the very first of the model; a resumed run goes on too long.
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

// cancelled-without-saving: a cancelled Run returns the error and saves nothing
//
// Why: it saves before it returns; the updates since the last checkpoint are lost.
func (*Trainer) Run() {
	if right {
		return errors.Join(ctx.Err(), t.save())
	} else {
		return ctx.Err()
	}
}

// report-before-the-save: the report is made before the checkpoint is written
//
// Why: Saved is false in every report, though a checkpoint is there.
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

// no-validation-is-zero: without an evaluation the report says 0
//
// Why: NaN is promised; 0 is a perfect loss.
func (*Trainer) Run() {
	if right {
		r := Report{Step: t.Optimizer.Steps + 1, Validation: math.NaN()}
	} else {
		r := Report{Step: t.Optimizer.Steps + 1}
		_ = math.NaN
	}
}

// last-update-not-due: evaluation and saving happen at multiples only
//
// Why: both happen after the last update too; with SaveEvery 0 no checkpoint is written at all.
func due(step, every, last int) bool { return every > 0 && step%every == 0 }

// evaluation-from-the-trainings-generator: Evaluate draws its batches from the training's generator
//
// Why: the batches must be the same every time, and the training's must be left alone.
func (*Trainer) Evaluate() {
	if right {
		const evaluationStream = 0x6576616c
		rng := rand.New(rand.NewPCG(t.Options.Seed, evaluationStream))
	} else {
		rng := rand.New(t.generator)
	}
}

// state-without-the-generators-place: State holds a generator at its beginning
//
// Why: a resumed run draws the first batches again and does not go on as it would have.
func (*Trainer) State() {
	if right {
		generator, _ := t.generator.MarshalBinary()
	} else {
		generator, _ := rand.NewPCG(t.Options.Seed, batchStream).MarshalBinary()
	}
}

// restore-keeps-the-states-tensors: the means of the state become the optimiser's own
//
// Why: Restore copies: the state stays as it is; here the next Step changes it.
func (*Trainer) Restore() {
	if right {
		copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
	} else {
		t.Optimizer.M[i], t.Optimizer.V[i] = s.M[p.Name], s.V[p.Name]
	}
}

// generator-changed-by-a-refused-restore: the generator is taken up and not put back when the parameters do not fit
//
// Why: after an error nothing has changed; here the next batches are others.
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

// means-checked-too-late: the means are looked at while they are copied, after the parameters
//
// Why: a state that lacks a mean is refused when the parameters are changed already; nothing may change.
func (*Trainer) Restore() {
	if right {
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
	} else {
		before, _ := t.generator.MarshalBinary()
		if err := t.generator.UnmarshalBinary(s.RNG); err != nil {
			return fmt.Errorf("the checkpoint's random generator cannot be used: %w", err)
		}
		if err := t.Model.LoadState(s.Params); err != nil {
			return errors.Join(err, t.generator.UnmarshalBinary(before))
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

// steps-not-restored: the number of updates is left as it was
//
// Why: AdamW's corrections, the schedule and the end of the run count from 0 again.
func (*Trainer) Restore() {
	if right {
		t.Optimizer.Steps = s.Step
	} else {
	}
}

// checksum-not-compared: Load reads the checksum and does not look at it
//
// Why: a flipped bit in the numbers is returned as a state.
func readState() {
	if right {
		if string(stored) != string(sum.Sum(nil)) {
			return nil, errors.New("is damaged: its checksum does not match its content")
		}
	} else {
	}
}

// temporary-left-behind: a file that cannot be renamed stays beside the checkpoint
//
// Why: Save leaves nothing else behind, after an error neither.
func replaceFile() {
	if right {
		return errors.Join(fmt.Errorf("%s cannot be written, and what was there is unchanged: %w", path, err), os.Remove(temporary))
	} else {
		return fmt.Errorf("%s cannot be written, and what was there is unchanged: %w", path, err)
	}
}

// header-trusted: memory for a tensor is taken before its size is held against the file's
//
// Why: a damaged header makes Load panic or take gigabytes, whatever the size of the file.
func readTensors() {
	if right {
		group, floats := groups[e.Group], floatsOf(e.Shape, left/4)
		if floats < 0 {
			return nil, fmt.Errorf("is damaged: %s %s has shape %s, more than the file holds", e.Group, e.Name, tensor.ShapeString(e.Shape))
		}
	} else {
		group, floats := groups[e.Group], int64(tensor.New(e.Shape...).Len())
	}
}

// first-error-only: NewTrainer names the first thing that is wrong
//
// Why: the error names everything that is wrong.
func (Options) validate() {
	if right {
		return errors.Join(append(wrong, cfg.Validate())...)
	} else {
		for _, err := range append(wrong, cfg.Validate()) {
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// every-block-overwrites: without accumulate every block of k overwrites dst
//
// Why: for k above 256 only the last block's share is left.
func multiplyBlocks() {
	if right {
		add := accumulate || p0 > 0
	} else {
		add := accumulate
	}
}

// rows-as-far-apart-as-long: a tile at the edge is carried over as if the rows of dst were n apart
//
// Why: dst may be a part of a wider matrix; then the numbers go to wrong places, and what lies between the rows is touched.
func (*workspace) multiply() {
	if right {
		from, to := w.tile[i*cols:i*cols+min(cols, dst.Cols-j)], dst.Data[i*dst.Down+j:]
	} else {
		from, to := w.tile[i*cols:i*cols+min(cols, dst.Cols-j)], dst.Data[i*dst.Cols+j:]
	}
}

// nothing-for-no-k: with k = 0 dst is left as it is
//
// Why: a sum of nothing is 0: dst is cleared unless accumulate is set.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
		return
	} else {
		return
	}
}
