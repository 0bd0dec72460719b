package lm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Sampling says how text is generated.
type Sampling struct {
	MaxNew      int     // at most so many new tokens
	Temperature float64 // ≥ 0; see Distribution
	TopP        float64 // 0 < TopP ≤ 1; see Distribution
	Stop        int     // the token that ends the text and is not part of it; −1: none
}

// Generate continues the prompt and returns the new tokens only. Each round the
// model reads the text so far, or its last ContextLength tokens, and the next
// token is drawn from the Distribution of the last logits. The same rng gives
// the same tokens.
//
// It returns an error for an empty prompt, an id outside the vocabulary, a
// Sampling out of range, and logits that are not finite.
func (m *LM) Generate(prompt []int, s Sampling, rng *rand.Rand) ([]int, error) {
	switch {
	case len(prompt) == 0:
		return nil, errors.New("Generate: the prompt is empty; the model needs at least one token to begin with")
	case !(s.Temperature >= 0):
		return nil, fmt.Errorf("Generate: temperature is %g; want 0 or more", s.Temperature)
	case !(s.TopP > 0 && s.TopP <= 1):
		return nil, fmt.Errorf("Generate: top-p is %g; want more than 0 and at most 1", s.TopP)
	}
	if i := slices.IndexFunc(prompt, func(id int) bool { return id < 0 || id >= m.Config.VocabSize }); i >= 0 {
		return nil, tensor.IndexError{Op: fmt.Sprintf("Generate: prompt[%d]", i), Got: prompt[i],
			Limit: m.Config.VocabSize}
	}
	text := slices.Clone(prompt)
	for range s.MaxNew {
		context := text[max(0, len(text)-m.Config.ContextLength):]
		logits, err := m.Forward([][]int{context})
		if err != nil {
			return nil, err
		}
		last := logits.Row(len(context) - 1)
		if slices.ContainsFunc(last, func(x float32) bool {
			return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0)
		}) {
			return nil, errors.New("Generate: the model's logits are not finite; its parameters may have diverged")
		}
		next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
		if next == s.Stop {
			break
		}
		text = append(text, next)
	}
	return text[len(prompt):], nil
}
