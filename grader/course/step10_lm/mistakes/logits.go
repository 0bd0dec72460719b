//go:build mistake

package lm

import "github.com/stubformer/stubformer/steps/step07_softmax"

// softmax-in-forward: Forward returns probabilities: the softmax is in the model
//
// Why: Forward returns logits: cross-entropy and Distribution each take their own softmax. Taken
// twice, it leaves hardly any difference between the likeliest and the least likely token.
//
// Hint: return Head.Forward(Norm.Forward(x)).
type LM struct {
	Config    Config
	Embedding *embedding.Embedding
	Blocks    []*block.Block
	Norm      *rmsnorm.RMSNorm
	Head      *linear.Linear

	rope      *rope.RoPE
	places    []int
	positions [][]int
	probs     *tensor.Tensor
}

func (*LM) Forward() {
	if right {
		return m.Head.Forward(m.Norm.Forward(x)), nil
	} else {
		m.probs = softmax.Softmax(m.probs, m.Head.Forward(m.Norm.Forward(x)), -1)
		return m.probs, nil
	}
}

func (*LM) Backward() {
	if right {
		dx := m.Norm.Backward(m.Head.Backward(dlogits))
	} else {
		dlogits = softmax.Backward(nil, m.probs, dlogits, -1)
		dx := m.Norm.Backward(m.Head.Backward(dlogits))
	}
}

// softmax-in-forward/forward-only
type LM struct {
	Config    Config
	Embedding *embedding.Embedding
	Blocks    []*block.Block
	Norm      *rmsnorm.RMSNorm
	Head      *linear.Linear

	rope      *rope.RoPE
	places    []int
	positions [][]int
	probs     *tensor.Tensor
}

func (*LM) Forward() {
	if right {
		return m.Head.Forward(m.Norm.Forward(x)), nil
	} else {
		m.probs = softmax.Softmax(m.probs, m.Head.Forward(m.Norm.Forward(x)), -1)
		return m.probs, nil
	}
}

// log-softmax-in-forward: Forward returns logarithms of probabilities: the log-softmax is in the
// model
//
// Why: Forward returns logits: cross-entropy and Distribution each take their own softmax. The
// loss cannot tell, since a softmax ignores what all logits have in common, but the work is done
// twice.
//
// Hint: return Head.Forward(Norm.Forward(x)).
func (*LM) Forward() {
	if right {
		return m.Head.Forward(m.Norm.Forward(x)), nil
	} else {
		logits := m.Head.Forward(m.Norm.Forward(x))
		for r, lse := range softmax.LogSumExp(logits, -1).Data {
			for i := range logits.Row(r) {
				logits.Row(r)[i] -= lse
			}
		}
		return logits, nil
	}
}

// last-token-only: Forward returns the logits of the last position only
//
// Why: Generation needs the last position alone; training learns from all T of them at once.
//
// Hint: The logits are (B, T, V).
func (*LM) Forward() {
	if right {
		return m.Head.Forward(m.Norm.Forward(x)), nil
	} else {
		h := m.Norm.Forward(x)
		last := tensor.New(len(ids), 1, m.Config.DModel)
		for b := range ids {
			copy(last.Row(b), h.Row((b+1)*seq-1))
		}
		return m.Head.Forward(last), nil
	}
}

// last-token-only/without-time: Forward returns the logits of the last position only, without the
// dimension of time
func (*LM) Forward() {
	if right {
		return m.Head.Forward(m.Norm.Forward(x)), nil
	} else {
		h := m.Norm.Forward(x)
		last := tensor.New(len(ids), 1, m.Config.DModel)
		for b := range ids {
			copy(last.Row(b), h.Row((b+1)*seq-1))
		}
		return m.Head.Forward(last.Reshape(len(ids), m.Config.DModel)), nil
	}
}
