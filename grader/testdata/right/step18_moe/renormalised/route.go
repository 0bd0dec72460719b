package moe

import (
	"math"
	"sort"
)

// TopK sorts the places by their logits and takes the first ones.
func TopK(chosen []int, logits []float32) {
	checkChosen("TopK", len(chosen), len(logits))
	places := make([]int, len(logits))
	for i := range places {
		places[i] = i
	}
	sort.SliceStable(places, func(a, b int) bool { return logits[places[a]] > logits[places[b]] })
	copy(chosen, places)
}

// probabilities returns the softmax of all logits.
func probabilities(logits []float32) []float64 {
	p, largest, sum := make([]float64, len(logits)), math.Inf(-1), 0.0
	for _, l := range logits {
		largest = math.Max(largest, float64(l))
	}
	for i, l := range logits {
		p[i] = math.Exp(float64(l) - largest)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// Gates takes the full probabilities, and for k ≥ 2 divides them by their sum.
func Gates(gates, logits []float32, chosen []int) {
	checkLength("Gates", len(gates), len(chosen))
	checkChosen("Gates", len(chosen), len(logits))
	p, sum := probabilities(logits), 1.0
	if len(chosen) > 1 {
		sum = 0
		for _, i := range chosen {
			sum += p[i]
		}
	}
	for n, i := range chosen {
		gates[n] = float32(p[i] / sum)
	}
}

// GatesBackward goes through all pairs of a gate and a logit.
func GatesBackward(dlogits, dgates, gates, logits []float32, chosen []int) {
	checkLength("GatesBackward", len(dgates), len(chosen))
	checkLength("GatesBackward", len(gates), len(chosen))
	checkLength("GatesBackward", len(dlogits), len(logits))
	checkChosen("GatesBackward", len(chosen), len(logits))
	share := make([]float64, len(logits)) // of every logit in the sum that a gate is divided by
	if len(chosen) == 1 {
		share = probabilities(logits)
	} else {
		for n, i := range chosen {
			share[i] = float64(gates[n])
		}
	}
	for m := range logits {
		sum := 0.0
		for n, i := range chosen {
			slope := -share[m]
			if i == m {
				slope++
			}
			sum += float64(dgates[n]) * float64(gates[n]) * slope
		}
		dlogits[m] = float32(sum)
	}
}

func logSumExp(x []float32) float64 {
	largest, sum := math.Inf(-1), 0.0
	for _, v := range x {
		largest = math.Max(largest, float64(v))
	}
	for _, v := range x {
		sum += math.Exp(float64(v) - largest)
	}
	return math.Log(sum) + largest
}
