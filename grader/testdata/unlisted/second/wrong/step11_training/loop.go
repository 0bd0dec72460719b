//go:build unlisted

package training

import (
	"errors"
	"math/rand/v2"
)

// replicas-not-cleared: only the optimiser's own gradients are cleared
//
// Why: the replicas' gradients of all former batches stay in the sum, so with one shard all is right and with two it is not.
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

// loss-goes-on: shard's loss is not set to 0 for the next batch
//
// Why: the loss that is reported is the sum of all batches so far.
func (*shard) compute() {
	if right {
		s.loss, s.err = 0, nil
	} else {
		s.err = nil
	}
}

// bad-shard-left-out: shard that reports an error is left out of the batch
//
// Why: a batch with an unknown id should be an error without an update; here the parameters move by what is left.
func (*Trainer) divide() {
	if right {
		return 0, s.err
	} else {
		continue
	}
}

// clipped-before-summed: gradient is clipped before the shards are summed
//
// Why: norm and clipping are those of the first shard's part alone.
func (*Trainer) Step() {
	if right {
		t.adders.run(len(params), t.shards)
		norm := ClipGradNorm(params, t.Options.MaxNorm)
	} else {
		norm := ClipGradNorm(params, t.Options.MaxNorm)
		t.adders.run(len(params), t.shards)
	}
}

// rate-of-update-before: rate is that of the updates made before
//
// Why: update t runs at the rate of t − 1: with a warm-up the first update has rate 0 and does nothing.
func (*Trainer) Run() {
	if right {
		r.LR = CosineSchedule(r.Step, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	} else {
		r.LR = CosineSchedule(t.Optimizer.Steps, o.LRMax, o.LRMin, o.Warmup, o.Steps)
	}
}

// steps-of-this-call: Run makes Options.Steps updates in every call
//
// Why: a run that goes on from a checkpoint makes too many updates; they are counted from the model's first.
func (*Trainer) Run() {
	if right {
		o := t.Options
	} else {
		o := t.Options
		o.Steps += t.Optimizer.Steps
	}
}

// evaluation-by-step: evaluation's batches depend on the number of updates
//
// Why: two evaluations are of different batches and cannot be compared.
func (*Trainer) Evaluate() {
	if right {
		rng := rand.New(rand.NewPCG(t.Options.Seed, evaluationStream))
	} else {
		rng := rand.New(rand.NewPCG(t.Options.Seed+uint64(t.Optimizer.Steps), evaluationStream))
	}
}

// cancelled-without-saving: cancelled run does not save
//
// Why: what was learnt since the last checkpoint is lost.
func (*Trainer) Run() {
	if right {
		return errors.Join(ctx.Err(), t.save())
	} else {
		return ctx.Err()
	}
}

// means-of-the-state: Restore takes the state's tensors of AdamW themselves
//
// Why: training changes the state that was handed in, and two trainers restored from it share their means.
func (*Trainer) Restore() {
	if right {
		copy(t.Optimizer.M[i].Data, s.M[p.Name].Data)
		copy(t.Optimizer.V[i].Data, s.V[p.Name].Data)
	} else {
		t.Optimizer.M[i], t.Optimizer.V[i] = s.M[p.Name], s.V[p.Name]
	}
}

// generator-not-restored: Restore leaves the random generator as it is
//
// Why: a resumed training draws the first batches once more and not those that would have come.
func (*Trainer) Restore() {
	if right {
		if err := t.generator.UnmarshalBinary(s.RNG); err != nil {
			return fmt.Errorf("the checkpoint's random generator cannot be used: %w", err)
		}
	} else {
	}
}
