package lm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

type Sampling struct {
	MaxNew      int
	Temperature float64
	TopP        float64
	Stop        int
}

func (m *LM) Generate(prompt []int, s Sampling, rng *rand.Rand) ([]int, error) {
	if len(prompt) == 0 {
		return nil, errors.New("the prompt is empty")
	}
	for i, id := range prompt {
		if id < 0 || id >= m.Config.VocabSize {
			return nil, fmt.Errorf("prompt[%d] is %d; the vocabulary has %d tokens", i, id, m.Config.VocabSize)
		}
	}
	if !(s.Temperature >= 0) || !(s.TopP > 0 && s.TopP <= 1) || s.MaxNew < 0 {
		return nil, fmt.Errorf("settings out of range: %+v", s)
	}
	text := append([]int(nil), prompt...)
	for len(text) < len(prompt)+s.MaxNew {
		logits, err := m.Forward([][]int{text[max(0, len(text)-m.Config.ContextLength):]})
		if err != nil {
			return nil, err
		}
		last := logits.Row(logits.Rows() - 1)
		for id, x := range last {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, fmt.Errorf("the logit of token %d is %g", id, x)
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
