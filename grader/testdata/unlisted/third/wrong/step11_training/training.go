//go:build unlisted

package training

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// empty-sum-clears: MatMul clears dst for k = 0 even if accumulate is set
//
// Why: dst += a·b with k = 0 adds nothing; here what dst held is lost.
func MatMul() {
	if right {
		for i := 0; i < m && !accumulate; i++ {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
	} else {
		for i := range m {
			clear(dst.Data[i*dst.Down : i*dst.Down+n])
		}
	}
}

// one-row-takes-b-as-transposed: MatMul's way for m = 1 reads b as if it were always transposed
//
// Why: a single row times a b whose rows lie in one piece is multiplied by bᵀ's elements in the wrong order, or panics; only a transposed b is right.
func MatMul() {
	if right {
		if m == 1 && a.Right == 1 && b.Down == 1 {
			kernel.MatVec(dst.Data[:n], b.Data, b.Right, a.Data[:k], accumulate)
			return
		}
	} else {
		if m == 1 && a.Right == 1 {
			kernel.MatVec(dst.Data[:n], b.Data, max(b.Down, b.Right), a.Data[:k], accumulate)
			return
		}
	}
}

// t-counts-parameters: AdamW.Step counts t for every parameter and not for every step
//
// Why: Steps grows by the number of parameters, so 1 − βᵗ is that of a later step for all but the first parameter, and Steps is not the number of updates.
func (*AdamW) Step() {
	if right {
		o.Steps++
		o.movers.run(len(o.Params), lr)
	} else {
		for i := range o.Params {
			o.Steps++
			o.update(i, lr)
		}
	}
}

// gradients-cleared-after-step: AdamW.Step sets the gradients to 0 when it has used them
//
// Why: the gradients are read and not changed; a caller who looks at them after the step finds zeros.
func (*AdamW) Step() {
	if right {
		o.movers.run(len(o.Params), lr)
	} else {
		o.movers.run(len(o.Params), lr)
		for _, p := range o.Params {
			p.ZeroGrad()
		}
	}
}

// vectors-not-decayed: AdamW decays only parameters of two or more dimensions
//
// Why: many programs spare the gains; this one decays every parameter that it is given.
func (*AdamW) update() {
	if right {
		kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
	} else {
		if len(param.Value.Shape) > 1 {
			kernel.Axpy(float32(-lr*o.WeightDecay), p, p)
		}
	}
}

// cosine-from-zero: progress along the cosine is t/cosineEnd, counted from update 0 and not from the end of the warm-up
//
// Why: at t = warmup the rate drops from lrMax to a point further down the cosine.
func CosineSchedule() {
	if right {
		progress := float64(t-warmup) / float64(cosineEnd-warmup)
	} else {
		progress := float64(t) / float64(cosineEnd)
	}
}

// each-gradient-clipped-alone: every parameter's gradient whose own length exceeds maxNorm is cut to maxNorm
//
// Why: the parameters together are one vector with one factor; here the direction changes and the whole may stay longer than maxNorm.
func ClipGradNorm() {
	if right {
		if norm > maxNorm {
			for _, p := range params {
				kernel.Scale(float32(maxNorm/(norm+1e-6)), p.Grad.Data)
			}
		}
	} else {
		for _, p := range params {
			if own := math.Sqrt(kernel.SumSquares(p.Grad.Data)); own > maxNorm {
				kernel.Scale(float32(maxNorm/(own+1e-6)), p.Grad.Data)
			}
		}
	}
}

// last-window-never-drawn: Batch draws start from 0 to Len − context − 2
//
// Why: the last window is left out, so the last token of the text is never a target, unless there is only one window.
func (*Tokens) Batch() {
	if right {
		start := rng.IntN(starts)
	} else {
		start := rng.IntN(max(1, starts-1))
	}
}

// tokens-written-in-place: WriteTokens opens the file itself and writes token by token until one does not fit
//
// Why: an id that needs more than 16 bits is reported, but the file that was there is already gone and a part of the new one in its place.
func WriteTokens(path string, ids []int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for i, id := range ids {
		if id < 0 || id > math.MaxUint16 {
			return fmt.Errorf("token %d is %d; a file of tokens holds ids from 0 to %d", i, id, math.MaxUint16)
		}
		if err := binary.Write(file, binary.LittleEndian, uint16(id)); err != nil {
			return err
		}
	}
	return nil
}

// second-file-left-behind: a Save or WriteTokens that fails leaves its temporary file in the folder
//
// Why: when the rename fails, for example because path is a folder, path + ".tmp" stays there; nothing else is to be left behind.
func replaceFile() {
	if right {
		return errors.Join(fmt.Errorf("%s cannot be written, and what was there is unchanged: %w", path, err), os.Remove(temporary))
	} else {
		return fmt.Errorf("%s cannot be written, and what was there is unchanged: %w", path, err)
	}
}

// means-taken-from-state: Restore makes the state's M and V the optimiser's own, without a copy
//
// Why: the next Step changes the state, which should stay as it is; two trainers restored from one state disturb each other.
func (*Trainer) Restore() {
	if right {
		copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
	} else {
		t.Optimizer.M[i] = s.M[p.Name]
		t.Optimizer.V[i] = s.V[p.Name]
	}
}

// parameters-restored-before-check: Restore loads the parameters before it checks the means and the generator
//
// Why: a state that lacks a mean, or whose RNG cannot be used, is refused, but by then the model has the state's parameters; after an error nothing should have changed.
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

// loss-leaves-gradients: Trainer.Loss runs the shards with Backward, as Step does
//
// Why: Loss should change nothing; here it, and with it Evaluate, overwrites the gradients of the model's parameters.
func (*Trainer) Loss() {
	if right {
		return t.divide(ids, targets, false)
	} else {
		return t.divide(ids, targets, true)
	}
}

// idle-shards-added: gradients of shards without a part of the batch are added too
//
// Why: a batch of fewer sequences than shards after a larger one brings in what the idle shards computed in an earlier step.
func sum() {
	if right {
		for _, s := range shards[1:] {
			if s.share > 0 {
				kernel.Add(total, total, s.params[i].Grad.Data)
			}
		}
	} else {
		for _, s := range shards[1:] {
			kernel.Add(total, total, s.params[i].Grad.Data)
		}
	}
}

// rate-of-update-before: Run takes update t at the rate CosineSchedule(t − 1, …)
//
// Why: updates count from 1; with a warm-up the first update has the rate 0, and all later ones that of the update before.
func (*Trainer) Run() {
	if right {
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	} else {
		r.LR = CosineSchedule(t.Optimizer.Steps, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	}
}

// steps-of-this-call: Run makes Options.Steps updates in every call and not Steps in all
//
// Why: a resumed run, or a second Run, goes past Steps, with LRMin as the rate; the first run of a fresh model is right.
func (t *Trainer) Run(ctx context.Context, text, validation *Tokens, report func(Report)) error {
	o := t.Options
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
	return nil
}
