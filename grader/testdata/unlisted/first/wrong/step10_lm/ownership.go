//go:build unlisted

package lm

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// text-appended-to-prompt: new tokens are appended to the caller's prompt
//
// Why: If the prompt has spare capacity, Generate writes into the caller's memory behind it, and two texts from one prompt overwrite each other.
func (*LM) Generate() {
	if right {
		text := slices.Clone(prompt)
	} else {
		text := prompt
	}
}

// logits-divided-in-place: the logits are divided by the temperature where they are
//
// Why: Distribution changes the caller's logits.
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

// probabilities-summed-in-place: Draw makes the running sums in the caller's slice
//
// Why: Draw changes the probabilities: a second Draw of the same slice is wrong.
func Draw(probs []float32, rng *rand.Rand) int {
	for i := 1; i < len(probs); i++ {
		probs[i] += probs[i-1]
	}
	total := float64(probs[len(probs)-1])
	if !(total > 0) {
		panic("Draw: nothing to draw from")
	}
	u := rng.Float64() * total
	for id, p := range probs {
		if u < float64(p) {
			return id
		}
	}
	panic("Draw: nothing to draw from")
}

// context-shifted-in-place: a prompt that is too long is shortened in its own memory
//
// Why: Generate moves the end of a long prompt to its beginning: the caller's prompt is changed.
func (m *LM) Generate(prompt []int, s Sampling, rng *rand.Rand) ([]int, error) {
	switch {
	case len(prompt) == 0:
		return nil, errors.New("Generate: the prompt is empty")
	case !(s.Temperature >= 0):
		return nil, errors.New("Generate: temperature out of range")
	case !(s.TopP > 0 && s.TopP <= 1):
		return nil, errors.New("Generate: top-p out of range")
	}
	length := m.Config.ContextLength
	if len(prompt) > length {
		copy(prompt, prompt[len(prompt)-length:])
		prompt = prompt[:length]
	}
	text := slices.Clone(prompt)
	for range s.MaxNew {
		context := text[max(0, len(text)-length):]
		logits, err := m.Forward([][]int{context})
		if err != nil {
			return nil, err
		}
		last := logits.Row(len(context) - 1)
		for _, x := range last {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, errors.New("Generate: the logits are not finite")
			}
		}
		next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
		if next == s.Stop {
			break
		}
		text = append(text, next)
	}
	return text[len(prompt):], nil
}

// stream-normalised-in-place: the last norm's output is copied back to the stream
//
// Why: The last block's output, which the norm keeps for Backward, holds the normalised numbers: all gradients but the head's are wrong.
func (*LM) Forward() {
	if right {
		return m.Head.Forward(m.Norm.Forward(x)), nil
	} else {
		var h *tensor.Tensor = m.Norm.Forward(x)
		copy(x.Data, h.Data)
		return m.Head.Forward(x), nil
	}
}
