//go:build unlisted

package lm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

// nucleus-by-selection: Distribution computes its own softmax in float64 and takes the nucleus by looking for the largest again and again
//
// Why: the first of the largest, then the first of the largest that are left, is the order of a stable sort.
func Distribution(logits []float32, temperature, topP float64) []float32 {
	if !(temperature >= 0) || !(topP > 0 && topP <= 1) {
		panic(fmt.Sprintf("Distribution: temperature %g, topP %g", temperature, topP))
	}
	probs, best := make([]float32, len(logits)), 0
	for id := len(logits) - 1; id >= 0; id-- {
		if logits[id] >= logits[best] {
			best = id
		}
	}
	for id := range best {
		if logits[id] == logits[best] {
			best = id
			break
		}
	}
	if temperature == 0 {
		probs[best] = 1
		return probs
	}
	weight, sum := make([]float64, len(logits)), 0.0
	for id, x := range logits {
		weight[id] = math.Exp((float64(x) - float64(logits[best])) / temperature)
		sum += weight[id]
	}
	for id := range weight {
		probs[id] = float32(weight[id] / sum)
	}
	if topP == 1 {
		return probs
	}
	kept, mass := make([]bool, len(probs)), 0.0
	for range probs {
		next := -1
		for id, p := range probs {
			if !kept[id] && (next < 0 || p > probs[next]) {
				next = id
			}
		}
		kept[next] = true
		mass += float64(probs[next])
		if mass >= topP {
			break
		}
	}
	for id, p := range probs {
		if kept[id] {
			probs[id] = float32(float64(p) / mass)
		} else {
			probs[id] = 0
		}
	}
	return probs
}

// draw-by-subtraction: Draw goes along the line and subtracts every length from what is left of u
//
// Why: u < p₀ + … + pᵢ is u − p₀ − … < pᵢ; if rounding leaves something at the end, the last token with a probability above 0 is taken.
func Draw(probs []float32, rng *rand.Rand) int {
	total := 0.0
	for i := len(probs) - 1; i >= 0; i-- {
		total += float64(probs[i])
	}
	if !(total > 0) {
		panic(fmt.Sprintf("Draw: sum of the probabilities is %g", total))
	}
	left, last := total*rng.Float64(), -1
	for id, p := range probs {
		if p == 0 {
			continue
		}
		if left < float64(p) {
			return id
		}
		left -= float64(p)
		last = id
	}
	return last
}

// window-and-fresh-positions: Forward makes positions for every call, the first block is undone last by recursion, and Generate keeps window and new tokens apart
//
// Why: the same ids, positions and order of the layers; what is returned shares no memory with the prompt.
func (*LM) Forward() {
	if right {
		m.positions = append(m.positions[:0], m.places[:seq])
		for _, b := range m.Blocks {
			x = b.Forward(x, m.positions)
		}
	} else {
		positions := [][]int{make([]int, seq)}
		for t := range seq {
			positions[0][t] = t
		}
		for _, b := range m.Blocks {
			x = b.Forward(x, positions)
		}
	}
}

func (*LM) Backward() {
	if right {
		for l := len(m.Blocks) - 1; l >= 0; l-- {
			dx = m.Blocks[l].Backward(dx)
		}
		m.Embedding.Backward(dx)
	} else {
		var undo func(l int) *tensor.Tensor // what comes out of block l, from above
		undo = func(l int) *tensor.Tensor {
			if l == len(m.Blocks) {
				return dx
			}
			return m.Blocks[l].Backward(undo(l + 1))
		}
		m.Embedding.Backward(undo(0))
	}
}

func (*LM) Generate() {
	if right {
		text := slices.Clone(prompt)
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
		return text[len(prompt):], nil
	} else {
		window, fresh := slices.Clone(prompt), []int{}
		for len(fresh) < s.MaxNew {
			if extra := len(window) - m.Config.ContextLength; extra > 0 {
				window = slices.Delete(window, 0, extra)
			}
			logits, err := m.Forward([][]int{slices.Clone(window)})
			if err != nil {
				return nil, err
			}
			last := slices.Clone(logits.Row(logits.Rows() - 1))
			for _, x := range last {
				if math.Abs(float64(x)) > math.MaxFloat32 || x != x {
					return nil, errors.New("Generate: a logit of the model is not a finite number")
				}
			}
			next := Draw(Distribution(last, s.Temperature, s.TopP), rng)
			if next == s.Stop {
				return fresh, nil
			}
			window, fresh = append(window, next), append(fresh, next)
		}
		return fresh, nil
	}
}
