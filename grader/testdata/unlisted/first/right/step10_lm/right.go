//go:build unlisted

package lm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/stubformer/stubformer/reference/tensor"
)

// search-in-sums: Draw looks u up in the running sums by bisection
//
// Why: Right: the first running sum above u belongs to a token of positive probability.
func Draw(probs []float32, rng *rand.Rand) int {
	sums, total := make([]float64, len(probs)), 0.0
	for i, p := range probs {
		total += float64(p)
		sums[i] = total
	}
	if !(total > 0) {
		panic("Draw: the probabilities hold a NaN or sum to 0")
	}
	u := rng.Float64() * total
	return sort.Search(len(sums), func(i int) bool { return sums[i] > u })
}

// nucleus-by-selection: Distribution in float64, the nucleus taken by repeated selection of the largest
//
// Why: Right: the largest that is left, the first of equals, until the sum reaches topP.
func Distribution(logits []float32, temperature, topP float64) []float32 {
	if math.IsNaN(temperature) || temperature < 0 || math.IsNaN(topP) || topP <= 0 || topP > 1 {
		panic(fmt.Sprintf("Distribution: temperature %g, topP %g", temperature, topP))
	}
	result := make([]float32, len(logits))
	at := 0
	for i, x := range logits {
		if x > logits[at] {
			at = i
		}
	}
	if temperature == 0 {
		result[at] = 1
		return result
	}
	p, total := make([]float64, len(logits)), 0.0
	for i, x := range logits {
		p[i] = math.Exp((float64(x) - float64(logits[at])) / temperature)
		total += p[i]
	}
	if topP == 1 {
		for i := range p {
			result[i] = float32(p[i] / total)
		}
		return result
	}
	taken, sum := make([]bool, len(p)), 0.0
	for sum < topP {
		best := -1
		for i := range p {
			if !taken[i] && (best < 0 || p[i] > p[best]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		taken[best] = true
		sum += p[best] / total
	}
	for i := range p {
		if taken[i] {
			result[i] = float32(p[i] / total / sum)
		}
	}
	return result
}

// generated-by-recursion: every new token is found by a recursion with a longer text
//
// Why: Right: the same rounds with the same numbers of the generator.
func (m *LM) Generate(prompt []int, s Sampling, rng *rand.Rand) ([]int, error) {
	if len(prompt) == 0 {
		return nil, errors.New("Generate: the prompt is empty")
	}
	if math.IsNaN(s.Temperature) || s.Temperature < 0 {
		return nil, fmt.Errorf("Generate: temperature is %g", s.Temperature)
	}
	if math.IsNaN(s.TopP) || s.TopP <= 0 || s.TopP > 1 {
		return nil, fmt.Errorf("Generate: top-p is %g", s.TopP)
	}
	for _, id := range prompt {
		if id < 0 || id >= m.Config.VocabSize {
			return nil, fmt.Errorf("Generate: the prompt has the token %d of %d", id, m.Config.VocabSize)
		}
	}
	var next func(text []int, left int) ([]int, error)
	next = func(text []int, left int) ([]int, error) {
		if left <= 0 {
			return []int{}, nil
		}
		window := text
		if extra := len(text) - m.Config.ContextLength; extra > 0 {
			window = text[extra:]
		}
		logits, err := m.Forward([][]int{window})
		if err != nil {
			return nil, err
		}
		last := logits.Row(len(window) - 1)
		for _, x := range last {
			if x-x != 0 {
				return nil, errors.New("Generate: the logits are not finite")
			}
		}
		id := Draw(Distribution(last, s.Temperature, s.TopP), rng)
		if id == s.Stop {
			return []int{}, nil
		}
		longer := append(append(make([]int, 0, len(text)+1), text...), id)
		rest, err := next(longer, left-1)
		if err != nil {
			return nil, err
		}
		return append([]int{id}, rest...), nil
	}
	return next(prompt, s.MaxNew)
}

// counted-by-tensor: parameters and operations are counted tensor by tensor and product by product
//
// Why: Right: the same numbers, added up in loops.
func NumParams(c Config) int {
	count := 0
	for _, shape := range [][2]int{{c.VocabSize, c.DModel}, {c.VocabSize, c.DModel}, {1, c.DModel}} {
		count += shape[0] * shape[1]
	}
	for range c.NumLayers {
		for range 4 {
			count += c.DModel * c.DModel
		}
		for range 3 {
			count += c.DModel * c.DFF
		}
		count += c.DModel + c.DModel
	}
	return count
}

func ForwardFLOPs(c Config, batch, seq int) int {
	product := func(m, k, n int) int { return 2 * m * k * n }
	sum := product(batch*seq, c.DModel, c.VocabSize)
	for range c.NumLayers {
		sum += product(batch*seq, c.DModel, 3*c.DModel) + product(batch*seq, c.DModel, c.DModel)
		sum += batch * (product(seq, c.DModel, seq) + product(seq, seq, c.DModel)) // all heads together
		sum += 2*product(batch*seq, c.DModel, c.DFF) + product(batch*seq, c.DFF, c.DModel)
	}
	return sum
}

// positions-for-every-sequence: Forward gives the blocks new positions with a row for each sequence
//
// Why: Right: (B, T) positions that are all alike are the same as one row.
func (m *LM) Forward(ids [][]int) (*tensor.Tensor, error) {
	for _, row := range ids {
		if len(row) > m.Config.ContextLength {
			return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", len(row), m.Config.ContextLength)
		}
	}
	x, err := m.Embedding.Forward(ids)
	if err != nil {
		return nil, err
	}
	positions := make([][]int, len(ids))
	for b, row := range ids {
		for t := range row {
			positions[b] = append(positions[b], t)
		}
	}
	for _, b := range m.Blocks {
		x = b.Forward(x, positions)
	}
	return m.Head.Forward(m.Norm.Forward(x)), nil
}

// backward-by-recursion: the blocks run Backward in a recursion from the first to the last
//
// Why: Right: a block runs Backward after all that come after it.
func (m *LM) Backward(dlogits *tensor.Tensor) {
	var from func(l int) *tensor.Tensor
	from = func(l int) *tensor.Tensor {
		if l == len(m.Blocks) {
			return m.Norm.Backward(m.Head.Backward(dlogits))
		}
		return m.Blocks[l].Backward(from(l + 1))
	}
	m.Embedding.Backward(from(0))
}
