//go:build unlisted

package lm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// context-one-less: a row of exactly ContextLength tokens is refused
//
// Why: Forward returns an error for a row of ContextLength tokens, which is allowed.
func (m *LM) Forward(ids [][]int) (*tensor.Tensor, error) {
	seq := 0
	if len(ids) > 0 {
		seq = len(ids[0])
	}
	if seq >= m.Config.ContextLength {
		return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", seq, m.Config.ContextLength)
	}
	x, err := m.Embedding.Forward(ids)
	if err != nil {
		return nil, err
	}
	m.positions = append(m.positions[:0], m.places[:seq])
	for _, b := range m.Blocks {
		x = b.Forward(x, m.positions)
	}
	return m.Head.Forward(m.Norm.Forward(x)), nil
}

// long-row-panics: the length of a row is not checked
//
// Why: More than ContextLength tokens in a row panic instead of giving an error.
func (*LM) Forward() {
	if right {
		if seq > m.Config.ContextLength {
			return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", seq, m.Config.ContextLength)
		}
	} else {
	}
}

// long-row-cut: a row that is too long is cut to its last tokens
//
// Why: More than ContextLength tokens in a row are no error: the logits have fewer rows than there are ids.
func (*LM) Forward() {
	if right {
		if seq > m.Config.ContextLength {
			return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", seq, m.Config.ContextLength)
		}
	} else {
		if seq > m.Config.ContextLength {
			cut := make([][]int, len(ids))
			for b, row := range ids {
				cut[b] = row[max(0, len(row)-m.Config.ContextLength):]
			}
			ids, seq = cut, m.Config.ContextLength
		}
	}
}

// nan-temperature: the temperature is refused only if it is less than 0
//
// Why: A temperature of NaN passes in Distribution, whose probabilities are then NaN.
func Distribution() {
	if right {
		if !(temperature >= 0) || !(topP > 0 && topP <= 1) {
			panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1", temperature, topP))
		}
	} else {
		if temperature < 0 || topP <= 0 || topP > 1 {
			panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1", temperature, topP))
		}
	}
}

// top-p-zero-allowed: a topP of 0 passes
//
// Why: Distribution does not panic for topP = 0; no token is left, and the probabilities are NaN.
func Distribution() {
	if right {
		if !(temperature >= 0) || !(topP > 0 && topP <= 1) {
			panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1", temperature, topP))
		}
	} else {
		if !(temperature >= 0) || !(topP >= 0 && topP <= 1) {
			panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1", temperature, topP))
		}
	}
}

// nothing-to-draw-from: Draw returns token 0 if it finds none
//
// Why: Draw does not panic if the probabilities hold a NaN or sum to 0.
func Draw() {
	if right {
		panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
	} else {
		return 0
	}
}

// nan-skipped: Draw leaves out what is not above 0
//
// Why: A NaN among the probabilities makes no panic: the others are drawn.
func Draw(probs []float32, rng *rand.Rand) int {
	total := 0.0
	for _, p := range probs {
		if p > 0 {
			total += float64(p)
		}
	}
	u := rng.Float64() * total
	sum := 0.0
	for id, p := range probs {
		if p > 0 {
			sum += float64(p)
			if u < sum {
				return id
			}
		}
	}
	panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
}

// infinite-logits-pass: Generate looks for NaN only
//
// Why: An infinite logit is no error of Generate.
func (m *LM) Generate(prompt []int, s Sampling, rng *rand.Rand) ([]int, error) {
	switch {
	case len(prompt) == 0:
		return nil, errors.New("Generate: the prompt is empty")
	case !(s.Temperature >= 0):
		return nil, fmt.Errorf("Generate: temperature is %g", s.Temperature)
	case !(s.TopP > 0 && s.TopP <= 1):
		return nil, fmt.Errorf("Generate: top-p is %g", s.TopP)
	}
	text := append([]int(nil), prompt...)
	for range s.MaxNew {
		context := text[max(0, len(text)-m.Config.ContextLength):]
		logits, err := m.Forward([][]int{context})
		if err != nil {
			return nil, err
		}
		last := logits.Row(len(context) - 1)
		if math.IsNaN(float64(kernel.Max(last))) {
			return nil, errors.New("Generate: the logits are not finite")
		}
		for i, x := range last {
			last[i] = max(-math.MaxFloat32, min(math.MaxFloat32, x))
		}
		next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
		if next == s.Stop {
			break
		}
		text = append(text, next)
	}
	return text[len(prompt):], nil
}

// empty-prompt-allowed: an empty prompt returns no tokens
//
// Why: Generate returns no error for an empty prompt.
func (m *LM) Generate(prompt []int, s Sampling, rng *rand.Rand) ([]int, error) {
	switch {
	case len(prompt) == 0:
		return nil, nil
	case !(s.Temperature >= 0):
		return nil, fmt.Errorf("Generate: temperature is %g", s.Temperature)
	case !(s.TopP > 0 && s.TopP <= 1):
		return nil, fmt.Errorf("Generate: top-p is %g", s.TopP)
	}
	text := append([]int(nil), prompt...)
	for range s.MaxNew {
		context := text[max(0, len(text)-m.Config.ContextLength):]
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

// sampling-panics: Generate leaves the check of the sampling to Distribution
//
// Why: A temperature or top-p out of range panics instead of giving an error.
func (m *LM) Generate(prompt []int, s Sampling, rng *rand.Rand) ([]int, error) {
	if len(prompt) == 0 {
		return nil, errors.New("Generate: the prompt is empty")
	}
	text := append([]int(nil), prompt...)
	for range s.MaxNew {
		context := text[max(0, len(text)-m.Config.ContextLength):]
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

// wrong-config-half-built: New does not ask Validate
//
// Why: A wrong configuration panics somewhere inside with another error, or gives a model, instead of the error of Validate.
func New() {
	if right {
		if err := cfg.Validate(); err != nil {
			panic(err)
		}
	} else {
	}
}
