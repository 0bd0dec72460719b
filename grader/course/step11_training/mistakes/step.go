//go:build mistake

package training

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/steps/step10_lm"
)

// gradients-not-zeroed: the gradients are not set to 0 before the next update
//
// Why: Backward adds to the gradients. Each update then moves along the sum of all batches so far,
// and the loss falls at first and swings later.
//
// Hint: Call ZeroGrad on every parameter, of every shard, before Backward.
//
// Curve: yes
func (*shard) compute() {
	if right {
		for _, p := range s.params {
			p.ZeroGrad()
		}
	} else {
	}
}

// only-first-shard-zeroed: only the first shard's gradients are set to 0 before the next update
//
// Why: The model's own parameters are the first shard's. The replicas have gradients of their own,
// which collect as well.
//
// Hint: Every shard zeroes its own gradients.
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

// gradients-zeroed-late: the gradients are set to 0 after Backward, before they are used
//
// Why: The optimiser sees zeros: nothing is learnt, and the weights decay.
//
// Hint: Zero, Backward, clip, Step: in this order.
func (*shard) compute() {
	if right {
		for _, p := range s.params {
			p.ZeroGrad()
		}
	} else {
	}
}

func (*shard) pass() {
	if right {
		s.model.Backward(dlogits)
	} else {
		s.model.Backward(dlogits)
		for _, p := range s.params {
			p.ZeroGrad()
		}
	}
}

// not-clipped: the gradient is not clipped before the optimiser uses it
//
// Why: One bad batch can then throw the model far away.
//
// Hint: Call ClipGradNorm with Options.MaxNorm before the optimiser's step, not after it.
func (*Trainer) Step() {
	if right {
		norm := ClipGradNorm(params, t.Options.MaxNorm)
	} else {
		norm := ClipGradNorm(params, 1e30)
	}
}

// not-clipped/clipped-after-step: the gradient is clipped after the optimiser has used it
func (*Trainer) Step() {
	if right {
		norm := ClipGradNorm(params, t.Options.MaxNorm)
	} else {
	}
	if right {
		t.Optimizer.Step(lr)
	} else {
		t.Optimizer.Step(lr)
		norm := ClipGradNorm(params, t.Options.MaxNorm)
	}
}

// rate-of-the-first-step: the learning rate is set at the first update and never changed
//
// Why: The schedule is computed and not used. With a warm-up that begins near 0 the model hardly
// learns.
//
// Hint: Give each update's lr to the optimiser.
//
// Curve: yes
func (*Trainer) Step() {
	if right {
		t.Optimizer.Step(lr)
	} else {
		if t.Optimizer.Steps == 0 {
			t.rate = lr
		}
		t.Optimizer.Step(t.rate)
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
	rate      float64
}

// rate-of-the-update-before: the optimiser takes each step with the learning rate of the update
// before
//
// Why: The rate is set after the step instead of before it: everything lags by one.
//
// Hint: First the rate, then the step.
func (*Trainer) Step() {
	if right {
		t.Optimizer.Step(lr)
	} else {
		if t.Optimizer.Steps == 0 {
			t.rate = lr
		}
		t.Optimizer.Step(t.rate)
		t.rate = lr
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
	rate      float64
}

// loss-after-update: the loss is reported as it is after the update
//
// Why: After the update the model has just seen this batch: the loss looks better than it is, and
// costs another pass.
//
// Hint: Return the loss of the forward pass that the gradient came from.
func (*Trainer) Step() {
	if right {
		t.Optimizer.Step(lr)
	} else {
		t.Optimizer.Step(lr)
		if loss, err = t.Loss(ids, targets); err != nil {
			return Update{}, err
		}
	}
}

// norm-reported-clipped: the norm that an update reports is that of the clipped gradient
//
// Why: The norm is reported to show when a batch was unusual. Clipped, it is never above MaxNorm
// and shows nothing.
//
// Hint: ClipGradNorm returns the norm from before. Report that.
func (*Trainer) Step() {
	if right {
		return Update{Loss: loss, Norm: norm}, nil
	} else {
		return Update{Loss: loss, Norm: min(norm, t.Options.MaxNorm)}, nil
	}
}

// model-not-causal: the model's attention sees the tokens that it is to predict
//
// Why: The loss falls far below that of a sound model, and the model can write nothing: the tokens
// it copies are not there yet.
//
// Hint: Leave the optimiser as it is, and hand the causal mask to attention, in step 08.
//
// Curve: yes
//
// In: step08_attention
func (*MultiHead) Forward() {
	if right {
		heads := m.Attention.Forward(m.q, m.k, m.v, m.mask)
	} else {
		heads := m.Attention.Forward(m.q, m.k, m.v, nil)
	}
}

// stepped-twice: the optimiser takes two steps in every update
//
// Why: The same gradient counts twice in both means, and t runs twice as fast.
//
// Hint: Call Step once an update: look for a second call in another function.
func (*Trainer) Step() {
	if right {
		t.Optimizer.Step(lr)
	} else {
		t.Optimizer.Step(lr)
		t.Optimizer.Step(lr)
	}
}
