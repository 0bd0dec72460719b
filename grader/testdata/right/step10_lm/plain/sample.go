package lm

import (
	"math"
	"math/rand/v2"
	"sort"
)

// Distribution is float64 throughout: temperature, softmax, nucleus.
func Distribution(logits []float32, temperature, topP float64) []float32 {
	if !(temperature >= 0) || !(topP > 0) || topP > 1 {
		panic("temperature or topP is out of range")
	}
	out, order := make([]float32, len(logits)), make([]int, len(logits))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return logits[order[i]] > logits[order[j]] })
	if temperature == 0 {
		out[order[0]] = 1
		return out
	}
	weights, total := make([]float64, len(logits)), 0.0
	for i, id := range order {
		weights[i] = math.Exp((float64(logits[id]) - float64(logits[order[0]])) / temperature)
		total += weights[i]
	}
	kept, sum := 0, 0.0
	for kept < len(order) && (sum < topP*total || kept == 0) {
		sum += weights[kept]
		kept++
	}
	if topP == 1 {
		kept, sum = len(order), total
	}
	for i, id := range order[:kept] {
		out[id] = float32(weights[i] / sum)
	}
	return out
}

// Draw looks the place up among the cumulative sums.
func Draw(probs []float32, rng *rand.Rand) int {
	sums, total := make([]float64, len(probs)), 0.0
	for i, p := range probs {
		total += float64(p)
		sums[i] = total
	}
	if math.IsNaN(total) || total <= 0 {
		panic("the probabilities sum to 0 or hold a NaN")
	}
	u := rng.Float64() * total
	return min(sort.Search(len(sums), func(i int) bool { return sums[i] > u }), sort.SearchFloat64s(sums, total))
}
