//go:build unlisted

package lm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/stubformer/stubformer/reference/tensor"
)

// product-by-product: the operations are added up one matrix product after the other, head by head
//
// Why: the same products as in the lesson, each 2·m·n·k.
func ForwardFLOPs(c Config, batch, seq int) int {
	total := 0
	product := func(m, n, k int) { total += 2 * m * n * k }
	for range c.NumLayers {
		rows, width := batch*seq, c.DModel/c.NumHeads
		product(rows, 3*c.DModel, c.DModel) // queries, keys and values
		for range batch * c.NumHeads {
			product(seq, seq, width) // scores
			product(seq, width, seq) // weighted values
		}
		product(rows, c.DModel, c.DModel) // output
		for range 2 {
			product(rows, c.DFF, c.DModel)
		}
		product(rows, c.DModel, c.DFF)
	}
	product(batch*seq, c.VocabSize, c.DModel)
	return total
}

// ends-searched: the ends of the tokens on the line are tabulated and searched by halving
//
// Why: the first end beyond u is the token that u lies on; a token of length 0 has
// the end of the one before. With a NaN, or a sum of 0, no end lies beyond u.
func Draw(probs []float32, rng *rand.Rand) int {
	ends, sum := make([]float64, len(probs)), 0.0
	for id, p := range probs {
		sum += float64(p)
		ends[id] = sum
	}
	u := rng.Float64() * sum
	id := sort.Search(len(ends), func(id int) bool { return ends[id] > u })
	if id == len(ends) {
		panic(fmt.Sprintf("Draw: the probabilities sum to %g", sum))
	}
	return id
}

// likeliest-taken-again-and-again: the nucleus is collected by looking for the likeliest token left, in float64
//
// Why: the tokens come out in the same order, the first of equals first; nothing is sorted.
func Distribution(logits []float32, temperature, topP float64) []float32 {
	if math.IsNaN(temperature) || temperature < 0 || math.IsNaN(topP) || topP <= 0 || topP > 1 {
		panic(fmt.Errorf("Distribution: temperature %g and topP %g are out of range", temperature, topP))
	}
	first := 0
	for id, x := range logits {
		if x > logits[first] {
			first = id
		}
	}
	probs := make([]float32, len(logits))
	if temperature == 0 {
		probs[first] = 1
		return probs
	}
	weights, total := make([]float64, len(logits)), 0.0
	for id, x := range logits {
		weights[id] = math.Exp((float64(x) - float64(logits[first])) / temperature)
		total += weights[id]
	}
	for id := range weights {
		weights[id] = float64(float32(weights[id] / total))
	}
	kept := weights
	if topP < 1 {
		kept = make([]float64, len(weights))
		for sum := 0.0; sum < topP; {
			best := -1
			for id, w := range weights {
				if kept[id] == 0 && w > 0 && (best < 0 || w > weights[best]) {
					best = id
				}
			}
			if best < 0 {
				break
			}
			kept[best] = weights[best]
			sum += weights[best]
		}
	}
	sum := 0.0
	for _, w := range kept {
		sum += w
	}
	for id, w := range kept {
		probs[id] = float32(w / sum)
	}
	return probs
}

// next-token-as-a-function: the loop asks a function for the next token, and the new tokens have a slice of their own
//
// Why: the same context, the same draws; the prompt is only read.
func (m *LM) Generate(prompt []int, s Sampling, rng *rand.Rand) ([]int, error) {
	if len(prompt) == 0 {
		return nil, errors.New("Generate: there is no prompt")
	}
	if !(s.Temperature >= 0) || !(s.TopP > 0) || !(s.TopP <= 1) {
		return nil, fmt.Errorf("Generate: %+v is out of range", s)
	}
	for i, id := range prompt {
		if id < 0 || id >= m.Config.VocabSize {
			return nil, tensor.IndexError{Op: fmt.Sprintf("Generate: prompt[%d]", i), Got: id, Limit: m.Config.VocabSize}
		}
	}
	next := func(text []int) (int, error) {
		logits, err := m.Forward([][]int{text})
		if err != nil {
			return 0, err
		}
		last := slices.Clone(logits.Data[(len(text)-1)*m.Config.VocabSize:])
		for _, x := range last {
			if x-x != 0 {
				return 0, errors.New("Generate: the model's logits are not finite")
			}
		}
		return Draw(Distribution(last, s.Temperature, s.TopP), rng), nil
	}
	made := []int{}
	for window := slices.Clone(prompt); len(made) < s.MaxNew; {
		if over := len(window) - m.Config.ContextLength; over > 0 {
			window = slices.Delete(window, 0, over)
		}
		id, err := next(window)
		if err != nil {
			return nil, err
		}
		if id == s.Stop {
			break
		}
		made, window = append(made, id), append(window, id)
	}
	return made, nil
}
