//go:build mistake

package training

import "runtime"

// only-first-shard: only the first shard's gradient reaches the optimiser
//
// Why: The other shards work for nothing: the model learns from a part of each batch.
//
// Hint: Add the gradients of all shards to those of the first.
func sum() {
	if right {
		kernel.Add(total, total, s.params[i].Grad.Data)
	} else {
		_, _ = total, s
	}
}

// only-last-shard: only the last shard's gradient reaches the optimiser
//
// Why: Each shard's gradient overwrites the one before.
//
// Hint: Add the gradients of all shards.
func sum() {
	if right {
		kernel.Add(total, total, s.params[i].Grad.Data)
	} else {
		copy(total, s.params[i].Grad.Data)
	}
}

// shards-summed: the shards' gradients are added without their share of the batch
//
// Why: Each shard's loss is a mean over its own part. The sum of S such gradients is S times that
// of the batch: the result depends on the number of shards.
//
// Hint: Weight each shard by its share of the sequences.
func (*shard) pass() {
	if right {
		kernel.Scale(float32(s.share*part), dlogits.Data)
	} else {
		kernel.Scale(float32(part), dlogits.Data)
	}
}

// shards-unweighted: shards of different size count the same
//
// Why: Five sequences in three shards are 1, 2 and 2. Weighted the same, the lone sequence counts
// twice. With equal shards nothing shows.
//
// Hint: A shard's share is its sequences over those of the batch.
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

// shards-lose-the-rest: the sequences that cannot be divided evenly among the shards are left out
//
// Why: 5/3 is 1 in integers: two of five sequences are never seen.
//
// Hint: Cut at i·B/S: multiply before you divide.
func (*Trainer) divide() {
	if right {
		from, to := min(i, parts)*n/parts, min(i+1, parts)*n/parts
	} else {
		from, to := min(i, parts)*(n/parts), min(i+1, parts)*(n/parts)
	}
}

// share-twice: the shard's share is applied twice to its gradient
//
// Why: Once where the gradient begins, once where the gradients are added: each looks right alone.
//
// Hint: One factor share_s, in one place.
func (*shard) pass() {
	if right {
		kernel.Scale(float32(s.share*part), dlogits.Data)
	} else {
		kernel.Scale(float32(s.share*s.share*part), dlogits.Data)
	}
}

// loss-summed-over-shards: the shards' losses are added instead of averaged
//
// Why: Each is a mean already. With S shards the batch's loss seems S times as large.
//
// Hint: L = Σ share_s·L_s.
func (*Trainer) divide() {
	if right {
		loss += s.share * s.loss
	} else {
		loss += s.loss
	}
}

// loss-of-last-shard: the loss is that of the last shard alone
//
// Why: An assignment in the loop keeps the last value only.
//
// Hint: L = Σ share_s·L_s.
func (*Trainer) divide() {
	if right {
		loss += s.share * s.loss
	} else {
		loss = s.loss
	}
}

// replicas-not-shared: every shard has parameters of its own instead of the model's
//
// Why: The optimiser moves the first shard's parameters only. The others compute the gradient of a
// model that is never trained.
//
// Hint: model.Replica() has gradients and activations of its own and shares the values.
func NewTrainer() {
	if right {
		t.shards = append(t.shards, newShard(model.Replica()))
	} else {
		t.shards = append(t.shards, newShard(lm.New(cfg, o.Seed)))
	}
}

// shards-by-processors: the batch is cut into as many parts as there are processors
//
// Why: Sums in another order round differently, so each machine trains another model.
//
// Hint: Options.Shards alone says how many parts there are; processors only decide how many run at
// a time.
func (*Trainer) divide() {
	if right {
		n, parts := len(ids), min(len(ids), len(t.shards))
	} else {
		n, parts := len(ids), min(len(ids), len(t.shards), runtime.GOMAXPROCS(0))
	}
}

// clipped-by-shard: each shard's gradient is clipped before they are added
//
// Why: The norm is that of the whole batch's gradient, which is known only after adding. Clipped
// earlier, the result depends on the shards.
//
// Hint: Add the shards' gradients, then clip once.
func NewTrainer() {
	if right {
		t.workers = newTeam(func(i int, learn bool) { t.shards[i].compute(learn) })
	} else {
		t.workers = newTeam(func(i int, learn bool) {
			if t.shards[i].compute(learn); learn {
				ClipGradNorm(t.shards[i].params, o.MaxNorm)
			}
		})
	}
}

// backward-in-evaluation: an evaluation computes gradients, which nobody uses
//
// Why: It takes three times as long as a forward pass.
//
// Hint: Loss needs the forward pass only.
func (*Trainer) Loss() {
	if right {
		return t.divide(ids, targets, false)
	} else {
		return t.divide(ids, targets, true)
	}
}
