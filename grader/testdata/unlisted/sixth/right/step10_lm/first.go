//go:build unlisted

package lm

import (
	"sort"
)

// nucleus-by-selection: the likeliest is looked for again and again, without sorting
//
// Why: the same nucleus, the first of equals first.
func keepNucleus(probs []float32, topP float64) {
	kept := make([]bool, len(probs))
	sum := 0.0
	for count := 0; sum < topP && count < len(probs); count++ {
		best := -1
		for id, p := range probs {
			if !kept[id] && (best < 0 || p > probs[best]) {
				best = id
			}
		}
		kept[best] = true
		sum += float64(probs[best])
	}
	for id := range probs {
		if !kept[id] {
			probs[id] = 0
			continue
		}
		probs[id] = float32(float64(probs[id]) / sum)
	}
}

// drawn-by-bisection: the ends of the pieces are listed and the place is looked up by bisection
//
// Why: the first end beyond u, as in a walk.
func Draw(probs []float32, rng *rand.Rand) int {
	ends := make([]float64, len(probs))
	total := 0.0
	for id, p := range probs {
		total += float64(p)
		ends[id] = total
	}
	if !(total > 0) {
		panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
	}
	u := rng.Float64() * total
	return sort.Search(len(ends)-1, func(id int) bool { return u < ends[id] })
}

// positions-made-every-time: every Forward makes a row of positions of its own
//
// Why: the same positions.
func (*LM) Forward() {
	if right {
		m.positions = append(m.positions[:0], m.places[:seq])
	} else {
		row := make([]int, seq)
		for t := range row {
			row[t] = t
		}
		m.positions = [][]int{row}
	}
}
