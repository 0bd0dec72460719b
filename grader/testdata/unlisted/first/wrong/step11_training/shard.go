//go:build unlisted

package training

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// gradients-not-cleared: a step begins with the gradients of the last one
//
// Why: Gradients add up from step to step: from the second step on they are wrong.
func (*shard) compute() {
	if right {
		if learn {
			for _, p := range s.params {
				p.ZeroGrad()
			}
		}
	} else {
		_ = learn
	}
}

// replicas-gradients-not-cleared: only the model's own gradients are cleared
//
// Why: With several shards the gradients of the replicas add up from step to step.
func (*Trainer) Step() {
	if right {
		loss, err := t.divide(ids, targets, true)
	} else {
		for _, p := range t.shards[0].params {
			p.ZeroGrad()
		}
		loss, err := t.divide(ids, targets, true)
	}
}

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

// shards-weighted-alike: the mean over the shards does not look at their sizes
//
// Why: With shards of different sizes the loss and the gradient are not the mean over all tokens.
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

// last-shard-weighted-as-full: the share of a shard is one over the number of shards
//
// Why: With fewer sequences than shards, or a last shard that is smaller, the shares do not sum to 1: loss and gradient are wrong.
func (*Trainer) divide() {
	if right {
		s.share = float64(to-from) / float64(n)
	} else {
		s.share = 0
		if to > from {
			s.share = 1 / float64(len(t.shards))
		}
	}
}

// gradient-shares-missing: the gradients of the shards are summed without their shares
//
// Why: With S shards the gradient is S times too large; the loss is right.
func (*shard) pass() {
	if right {
		kernel.Scale(float32(s.share*part), dlogits.Data)
	} else {
		kernel.Scale(float32(part), dlogits.Data)
	}
}

// remainder-dropped: every shard gets the same number of sequences
//
// Why: If the sequences do not divide by the shards, the last ones are not trained on.
func (*Trainer) divide() {
	if right {
		from, to := min(i, parts)*n/parts, min(i+1, parts)*n/parts
	} else {
		from, to := min(i, parts)*(n/parts), min(i+1, parts)*(n/parts)
	}
}

// loss-of-first-shard: the loss of the first shard is reported
//
// Why: With several shards the loss is that of a part of the batch.
func (*Trainer) divide() {
	if right {
		loss += s.share * s.loss
	} else {
		loss = t.shards[0].loss
	}
}

// loss-summed: the losses of the shards are added up without their shares
//
// Why: With several shards the loss is the sum of theirs and not the mean.
func (*Trainer) divide() {
	if right {
		loss += s.share * s.loss
	} else {
		loss += s.loss
	}
}

// idle-shards-summed: the gradients of all shards are summed, whether they had a part or not
//
// Why: After a full batch, a batch of fewer sequences than shards adds the old gradients of the idle shards.
func sum() {
	if right {
		if s.share > 0 {
			kernel.Add(total, total, s.params[i].Grad.Data)
		}
	} else {
		kernel.Add(total, total, s.params[i].Grad.Data)
	}
}

// error-kept: the error of a shard is never cleared
//
// Why: After a batch that was refused every later batch is refused with the old error.
func (*shard) compute() {
	if right {
		s.loss, s.err = 0, nil
	} else {
		s.loss = 0
	}
}

// loss-kept: the loss of a shard is never set back
//
// Why: The loss adds up from step to step.
func (*shard) compute() {
	if right {
		s.loss, s.err = 0, nil
	} else {
		s.err = nil
	}
}

// first-error-only: only the first shard is asked for its error
//
// Why: A wrong id in a later part of the batch is no error: the update is made with what the other shards found.
func (*Trainer) divide() {
	if right {
		for _, s := range t.shards[:parts] {
			if s.err != nil {
				return 0, s.err
			}
			loss += s.share * s.loss
		}
	} else {
		for _, s := range t.shards[:parts] {
			if t.shards[0].err != nil {
				return 0, t.shards[0].err
			}
			loss += s.share * s.loss
		}
	}
}

// shards-fresh-models: the shards work on models of their own with the same seed
//
// Why: Only the first shard's model is updated: the others keep their fresh parameters, so that with several shards loss and gradient are wrong from the second step on.
func NewTrainer() {
	if right {
		t.shards = append(t.shards, newShard(model.Replica()))
	} else {
		t.shards = append(t.shards, newShard(lm.New(cfg, o.Seed)))
	}
}

// shards-share-the-model: all shards work on the model itself
//
// Why: With several shards they overwrite each other's activations and gradients.
func NewTrainer() {
	if right {
		t.shards = append(t.shards, newShard(model.Replica()))
	} else {
		t.shards = append(t.shards, newShard(model))
	}
}

// more-targets-ignored: only the number of ids is looked at
//
// Why: A batch with more rows of targets than of ids is no error: the last targets are ignored.
func (*Trainer) divide() {
	if right {
		if n == 0 || len(targets) != n {
			return 0, tensor.ShapeError{Op: "Trainer: sequences of targets", Got: []int{len(targets)}, Want: []int{max(1, n)}}
		}
	} else {
		if n == 0 || len(targets) < n {
			return 0, tensor.ShapeError{Op: "Trainer: sequences of targets", Got: []int{len(targets)}, Want: []int{max(1, n)}}
		}
	}
}

// seed-not-for-batches: the generator of the batches has a fixed seed
//
// Why: Another seed draws the same batches.
func NewTrainer() {
	if right {
		t := &Trainer{Model: model, Options: o, generator: rand.NewPCG(o.Seed, batchStream)}
	} else {
		t := &Trainer{Model: model, Options: o, generator: rand.NewPCG(42, batchStream)}
	}
}

// seed-not-for-model: the model has a fixed seed
//
// Why: Another seed starts from the same parameters.
func NewTrainer() {
	if right {
		model := lm.New(cfg, o.Seed)
	} else {
		model := lm.New(cfg, 0)
	}
}

// first-part-only: the sequences of a shard after the first few are left out
//
// Why: Where the logits of a shard are too many for one pass, only the first few sequences count.
func (*shard) compute() {
	if right {
		for from := 0; from < len(s.ids) && s.err == nil; from += few {
			to := min(from+few, len(s.ids))
			s.err = s.pass(s.ids[from:to], s.targets[from:to], learn)
		}
	} else {
		few = min(few, len(s.ids))
		s.err = s.pass(s.ids[:few], s.targets[:few], learn)
	}
}
