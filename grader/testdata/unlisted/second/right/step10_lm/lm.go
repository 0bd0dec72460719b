//go:build unlisted

package lm

import (
	"math"
	"math/rand/v2"
	"sort"
)

// binary-search: place on the line is found by bisection of the running sums
//
// Why: the first sum above the place belongs to a token whose probability is not 0.
func Draw(probs []float32, rng *rand.Rand) int {
	sums, total := make([]float64, len(probs)), 0.0
	for id, p := range probs {
		total += float64(p)
		sums[id] = total
	}
	if math.IsNaN(total) || total == 0 {
		panic("Draw: the probabilities hold a NaN or sum to 0")
	}
	place := rng.Float64() * total
	return sort.Search(len(sums)-1, func(id int) bool { return sums[id] > place })
}

// sorted-pairs: nucleus from sorted pairs of probability and id, softmax in float64
//
// Why: probabilities are rounded to float32 before they are added up, and of equals the smaller id comes first.
func Distribution(logits []float32, temperature, topP float64) []float32 {
	if !(temperature >= 0 && topP > 0 && topP <= 1) {
		panic("Distribution: temperature or topP out of range")
	}
	probs, best := make([]float32, len(logits)), 0
	for id, x := range logits {
		if x > logits[best] {
			best = id
		}
	}
	if temperature == 0 {
		probs[best] = 1
		return probs
	}
	powers, sum := make([]float64, len(logits)), 0.0
	for id, x := range logits {
		powers[id] = math.Exp((float64(x) - float64(logits[best])) / temperature)
		sum += powers[id]
	}
	type pair struct {
		p  float32
		id int
	}
	var pairs []pair
	for id, power := range powers {
		pairs = append(pairs, pair{float32(power / sum), id})
	}
	sort.Slice(pairs, func(i, j int) bool {
		if pairs[i].p != pairs[j].p {
			return pairs[i].p > pairs[j].p
		}
		return pairs[i].id < pairs[j].id
	})
	kept, n := 0.0, 0
	for n < len(pairs) && (topP == 1 || kept < topP) {
		kept += float64(pairs[n].p)
		n++
	}
	for _, q := range pairs[:n] {
		probs[q.id] = float32(float64(q.p) / kept)
	}
	return probs
}

// products-one-by-one: every product of the model is listed with its three sizes
//
// Why: added up, they are the formula.
func ForwardFLOPs(c Config, batch, seq int) int {
	total, tokens := 0, batch*seq
	product := func(times, m, n, k int) { total += 2 * times * m * n * k }
	for range c.NumLayers {
		product(1, tokens, 3*c.DModel, c.DModel) // queries, keys and values
		product(batch, seq, seq, c.DModel)       // scores of all heads
		product(batch, seq, c.DModel, seq)       // weighted values
		product(1, tokens, c.DModel, c.DModel)   // output
		product(2, tokens, c.DFF, c.DModel)      // up
		product(1, tokens, c.DModel, c.DFF)      // down
	}
	product(1, tokens, c.VocabSize, c.DModel)
	return total
}
