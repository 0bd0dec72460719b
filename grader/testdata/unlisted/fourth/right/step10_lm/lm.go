//go:build unlisted

package lm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/stubformer/stubformer/reference/tensor"
)

// sums-from-a-table: Distribution is worked out in float64 with a selection of one token after the other, and Draw searches a table of sums by halves
//
// Why: the probabilities are the same up to rounding, the order of equals is kept, and the first sum above the place is the token whose length covers it.
func Distribution(logits []float32, temperature, topP float64) []float32 {
	if !(temperature >= 0) || !(topP > 0) || !(topP <= 1) {
		panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1", temperature, topP))
	}
	best := 0
	for i, x := range logits {
		if x > logits[best] {
			best = i
		}
	}
	probs := make([]float32, len(logits))
	if temperature == 0 {
		probs[best] = 1
		return probs
	}
	wide, sum := make([]float64, len(logits)), 0.0
	for i, x := range logits {
		wide[i] = math.Exp((float64(x) - float64(logits[best])) / temperature)
		sum += wide[i]
	}
	order := make([]int, len(logits))
	for i := range wide {
		wide[i] /= sum
		order[i] = i
	}
	kept, nucleus := len(order), 1.0
	if topP < 1 {
		sort.Slice(order, func(a, b int) bool {
			i, j := order[a], order[b]
			return wide[i] > wide[j] || wide[i] == wide[j] && i < j
		})
		nucleus = 0
		for kept = 0; kept < len(order) && nucleus < topP; kept++ {
			nucleus += wide[order[kept]]
		}
	}
	for _, i := range order[:kept] {
		probs[i] = float32(wide[i] / nucleus)
	}
	return probs
}

func Draw(probs []float32, rng *rand.Rand) int {
	sums := make([]float64, len(probs))
	total := 0.0
	for i, p := range probs {
		total += float64(p)
		sums[i] = total
	}
	if !(total > 0) {
		panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
	}
	u := rng.Float64() * total
	return sort.Search(len(sums), func(i int) bool { return sums[i] > u })
}

// layers-by-recursion: the blocks are gone through by a function that calls itself for the next one, on the way in and on the way back, with positions made anew for every call
//
// Why: the order of the layers is the same, and the positions are 0, …, T−1 in one row.
func (*LM) Forward() {
	if right {
		m.positions = append(m.positions[:0], m.places[:seq])
		for _, b := range m.Blocks {
			x = b.Forward(x, m.positions)
		}
		return m.Head.Forward(m.Norm.Forward(x)), nil
	} else {
		positions := [][]int{make([]int, seq)}
		for t := range seq {
			positions[0][t] = t
		}
		return m.Head.Forward(m.Norm.Forward(m.through(len(m.Blocks), x, positions))), nil
	}
}

func (m *LM) Backward(dlogits *tensor.Tensor) {
	m.Embedding.Backward(m.back(0, m.Norm.Backward(m.Head.Backward(dlogits))))
}

func (m *LM) through(layers int, x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	if layers == 0 {
		return x
	}
	return m.Blocks[layers-1].Forward(m.through(layers-1, x, positions), positions)
}

func (m *LM) back(layer int, d *tensor.Tensor) *tensor.Tensor {
	if layer == len(m.Blocks) {
		return d
	}
	return m.Blocks[layer].Backward(m.back(layer+1, d))
}

func (m *LM) Params() []*tensor.Param {
	all := []*tensor.Param{m.Head.Weight, m.Norm.Gain}
	for l := len(m.Blocks) - 1; l >= 0; l-- {
		own := m.Blocks[l].Params()
		slices.Reverse(own)
		for _, p := range own {
			q := *p
			q.Name = "layers." + fmt.Sprint(l) + "." + p.Name
			all = append(all, &q)
		}
	}
	all = append(all, m.Embedding.Weight)
	slices.Reverse(all)
	return all
}
