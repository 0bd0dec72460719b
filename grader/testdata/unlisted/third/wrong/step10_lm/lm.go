//go:build unlisted

package lm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// place-at-end-counts: Draw takes the first token whose sum is at least u (u ≤ sum)
//
// Why: when rng gives exactly 0, the first token is drawn even if its probability is 0.
func Draw() {
	if right {
		if u < sum {
			return id
		}
	} else {
		if u <= sum {
			return id
		}
	}
}

// sum-taken-for-one: Draw lets u run from 0 to 1 and not to the sum of the probabilities; beyond the sum it returns the last token
//
// Why: probabilities that sum to less than 1 give the last token what is lacking, even one of probability 0; those that sum to 2 leave the upper half out.
func Draw() {
	if right {
		u := rng.Float64() * total
		sum := 0.0
		for id, p := range probs {
			sum += float64(p)
			if u < sum {
				return id
			}
		}
		panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
	} else {
		if !(total > 0) {
			panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
		}
		u := rng.Float64()
		sum := 0.0
		for id, p := range probs {
			sum += float64(p)
			if u < sum {
				return id
			}
		}
		return len(probs) - 1
	}
}

// appended-to-prompt: Generate appends the new tokens to the caller's prompt without a copy
//
// Why: a prompt with spare capacity, such as the beginning of a longer text, is written over behind its end, and two continuations share memory.
func (*LM) Generate() {
	if right {
		text := slices.Clone(prompt)
	} else {
		text := prompt
	}
}

// prompt-counts-as-new: Generate stops when prompt and new tokens together are MaxNew
//
// Why: MaxNew is the number of new tokens; a prompt of MaxNew tokens or more is not continued at all.
func (*LM) Generate() {
	if right {
		for range s.MaxNew {
			context := text[max(0, len(text)-m.Config.ContextLength):]
			logits, err := m.Forward([][]int{context})
			if err != nil {
				return nil, err
			}
			last := logits.Row(len(context) - 1)
			if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
				return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
			}
			next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
			if next == s.Stop {
				break
			}
			text = append(text, next)
		}
	} else {
		for len(text) < s.MaxNew {
			context := text[max(0, len(text)-m.Config.ContextLength):]
			logits, err := m.Forward([][]int{context})
			if err != nil {
				return nil, err
			}
			last := logits.Row(len(context) - 1)
			if slices.ContainsFunc(last, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
				return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
			}
			next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
			if next == s.Stop {
				break
			}
			text = append(text, next)
		}
	}
}

// stop-in-prompt: Generate looks for the stop token in the whole text, the prompt included
//
// Why: a prompt that holds the stop token, as one of several documents does, is never continued; only a new stop token ends the text.
func (*LM) Generate() {
	if right {
		if next == s.Stop {
			break
		}
	} else {
		if next == s.Stop || slices.Contains(text, s.Stop) {
			break
		}
	}
}

// same-u-for-every-token: Generate makes a new generator from one seed for every token
//
// Why: each token is drawn with the same u, so the tokens are not independent: a low u always takes the beginning of the vocabulary.
func (*LM) Generate() {
	if right {
		text := slices.Clone(prompt)
	} else {
		text := slices.Clone(prompt)
		seed := rng.Uint64()
	}
	if right {
		next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
	} else {
		next := Draw(Distribution(last, s.Temperature, s.TopP), rand.New(rand.NewPCG(seed, seed)))
	}
}

// window-one-short: Generate gives the model the last ContextLength − 1 tokens when the text is longer
//
// Why: a token that should still be read is cut off, so once the context is full the logits are others; with ContextLength 1 nothing is left and it panics.
func (*LM) Generate() {
	if right {
		context := text[max(0, len(text)-m.Config.ContextLength):]
	} else {
		context := text[max(0, len(text)-m.Config.ContextLength+1):]
	}
}

// logits-divided-in-place: Distribution shifts and divides the caller's logits in their own memory
//
// Why: the probabilities are right, but the logits are no longer the caller's: they have become (x − max)/temperature.
func Distribution() {
	if right {
		for i, x := range logits {
			probs[i] = float32(float64(x-largest) / temperature)
		}
	} else {
		for i, x := range logits {
			logits[i] = float32(float64(x-largest) / temperature)
		}
		copy(probs, logits)
	}
}

// greedy-last-of-equals: temperature 0 gives all mass to the last of several equal largest logits
//
// Why: of equals the first comes first.
func Distribution() {
	if right {
		probs[slices.Index(logits, largest)] = 1
	} else {
		best := 0
		for id, x := range logits {
			if x >= logits[best] {
				best = id
			}
		}
		probs[best] = 1
	}
}

// nucleus-past-equal: keepNucleus goes on until the sum exceeds topP and not until it reaches it
//
// Why: where the likeliest tokens sum to exactly topP, one more token is kept.
func keepNucleus() {
	if right {
		if sum >= topP {
			probs[id] = 0
		}
	} else {
		if sum > topP {
			probs[id] = 0
		}
	}
}

// nucleus-before-temperature: nucleus is taken from the softmax at temperature 1, and the temperature is applied to what is left
//
// Why: the nucleus belongs to the softmax of logits/temperature; at a low temperature too many tokens are kept, at a high one too few.
func Distribution() {
	if right {
		for i, x := range logits {
			probs[i] = float32(float64(x-largest) / temperature)
		}
	} else {
		for i, x := range logits {
			probs[i] = x - largest
		}
	}
	if right {
		if topP < 1 {
			keepNucleus(probs, topP)
		}
		return probs
	} else {
		if topP < 1 {
			keepNucleus(probs, topP)
		}
		top := float64(kernel.Max(probs))
		for i, q := range probs {
			probs[i] = float32(math.Pow(float64(q)/top, 1/temperature))
		}
		kernel.Scale(1/kernel.Sum(probs), probs)
		return probs
	}
}

// head-shared-by-replicas: Replica takes over the model's Head itself
//
// Why: gradients and activations of the head are not the replica's own: a Backward of the replica adds to the model's gradient, and its Forward overwrites the model's logits.
func (*LM) Replica() {
	if right {
		r.Head = linear.New(m.Head.Weight.Replica())
	} else {
		r.Head = m.Head
	}
}

// embedding-times-root-d: embeddings are multiplied by √D, in Forward and Backward
//
// Why: x = √D·Embedding(ids) is the model of 2017; here x is the embedding itself.
func (*LM) Forward() {
	if right {
		m.positions = append(m.positions[:0], m.places[:seq])
	} else {
		kernel.Scale(float32(math.Sqrt(float64(m.Config.DModel))), x.Data)
		m.positions = append(m.positions[:0], m.places[:seq])
	}
}

func (*LM) Backward() {
	if right {
		m.Embedding.Backward(dx)
	} else {
		kernel.Scale(float32(math.Sqrt(float64(m.Config.DModel))), dx.Data)
		m.Embedding.Backward(dx)
	}
}

// theta-always-ten-thousand: New makes RoPE with Θ = 10,000, whatever the configuration says
//
// Why: a RopeTheta other than 10,000 has no effect: all angles but the first pair's are wrong.
func New() {
	if right {
		m := &LM{Config: cfg, rope: rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength), places: make([]int, cfg.ContextLength)}
	} else {
		m := &LM{Config: cfg, rope: rope.New(10000, d/cfg.NumHeads, cfg.ContextLength), places: make([]int, cfg.ContextLength)}
	}
}

// weighted-values-not-counted: ForwardFLOPs counts the scores, 2·T·D, and not the weighted values
//
// Why: attention has two products of T·D a token, q kᵀ and P v; the second is left out.
func ForwardFLOPs() {
	if right {
		layer := 2*(4*d*d+3*d*f) + 2*2*seq*d
	} else {
		layer := 2*(4*d*d+3*d*f) + 2*seq*d
	}
}

// last-norm-not-undone: LM.Backward gives the blocks what came from the head, without Norm.Backward
//
// Why: the derivative of the last norm is missing: ln_final gets no gradient, and those of all blocks and of the embedding are wrong.
func (*LM) Backward() {
	if right {
		dx := m.Norm.Backward(m.Head.Backward(dlogits))
	} else {
		dx := m.Head.Backward(dlogits)
	}
}
