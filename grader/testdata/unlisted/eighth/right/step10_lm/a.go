//go:build unlisted

package lm

import (
	"math"
	"sort"
)

// distribution-in-float64: softmax and nucleus in float64 over a sorted list of pairs, without the softmax of step 07
//
// Why: the same definition; equals are ordered by id, and what is left is divided by its sum.
func Distribution(logits []float32, temperature, topP float64) []float32 {
	if !(temperature >= 0) || !(topP > 0 && topP <= 1) {
		panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1", temperature, topP))
	}
	probs := make([]float32, len(logits))
	best := 0
	for i, x := range logits {
		if x > logits[best] {
			best = i
		}
	}
	if temperature == 0 {
		probs[best] = 1
		return probs
	}
	weights, sum := make([]float64, len(logits)), 0.0
	order := make([]int, len(logits))
	for i, x := range logits {
		weights[i] = math.Exp((float64(x) - float64(logits[best])) / temperature)
		sum += weights[i]
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool {
		wa, wb := weights[order[a]], weights[order[b]]
		return wa > wb || wa == wb && order[a] < order[b]
	})
	kept, n := 0.0, 0
	for n < len(order) && (topP == 1 || !(kept >= topP*sum)) {
		kept += weights[order[n]]
		n++
	}
	for _, id := range order[:n] {
		probs[id] = float32(weights[id] / kept)
	}
	return probs
}

// draw-by-bisection: Draw looks for the place in the running sums by bisection
//
// Why: the first running sum above u, as in the lesson's line; a token of probability 0 is never the first.
func Draw(probs []float32, rng *rand.Rand) int {
	sums, sum := make([]float64, len(probs)), 0.0
	for id, p := range probs {
		sum += float64(p)
		sums[id] = sum
	}
	if !(sum > 0) {
		panic(fmt.Sprintf("Draw: the probabilities sum to %g", sum))
	}
	u := rng.Float64() * sum
	return sort.Search(len(sums), func(i int) bool { return sums[i] > u })
}
