package lm

import (
	"errors"
	"math"
	"math/rand/v2"
	"sort"
)

func Distribution(logits []float32, temperature, topP float64) []float32 {
	best := 0
	for i := range logits {
		if logits[i] > logits[best] {
			best = i
		}
	}
	out := make([]float32, len(logits))
	if temperature == 0 {
		out[best] = 1
		return out
	}
	weight, total := make([]float64, len(logits)), 0.0
	for i := range logits {
		weight[i] = math.Exp((float64(logits[i]) - float64(logits[best])) / temperature)
		total += weight[i]
	}
	rank := make([]int, len(logits))
	for i := range rank {
		rank[i] = i
	}
	sort.SliceStable(rank, func(i, j int) bool { return weight[rank[i]] > weight[rank[j]] })
	kept := 0.0
	for n, i := range rank {
		kept += weight[i]
		if kept >= topP*total && topP < 1 {
			rank = rank[:n+1]
			break
		}
	}
	for _, i := range rank {
		out[i] = float32(weight[i] / kept)
	}
	return out
}

func Draw(probs []float32, rng *rand.Rand) int {
	u, last := rng.Float64(), 0
	for i, p := range probs {
		if p == 0 {
			continue
		}
		last = i
		if u -= float64(p); u < 0 {
			break
		}
	}
	return last
}

type Sampling struct {
	MaxNew      int
	Temperature float64
	TopP        float64
	Stop        int
}

func (m *LM) Generate(prompt []int, s Sampling, rng *rand.Rand) ([]int, error) {
	if len(prompt) == 0 || s.Temperature < 0 || s.TopP <= 0 || s.TopP > 1 {
		return nil, errors.New("a prompt, a temperature of 0 or more and a top-p above 0 and up to 1 are needed")
	}
	window, text := append([]int{}, prompt...), []int{}
	for len(text) < s.MaxNew {
		for len(window) > m.Config.ContextLength {
			window = window[1:]
		}
		logits, err := m.Forward([][]int{window})
		if err != nil {
			return nil, err
		}
		id := Draw(Distribution(logits.Row(len(window)-1), s.Temperature, s.TopP), rng)
		if id == s.Stop {
			return text, nil
		}
		text, window = append(text, id), append(window, id)
	}
	return text, nil
}
