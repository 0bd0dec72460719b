package moe

import (
	"math"
	"slices"
)

// TopK writes the places of the largest of logits to chosen, as many as chosen has
// room for: the largest first, and of equal ones that at the lower place. It panics
// with a ShapeError unless there is room for 1 to as many as there are logits.
func TopK(chosen []int, logits []float32) {
	checkChosen("TopK", len(chosen), len(logits))
	for n := range chosen {
		best := -1
		for i, l := range logits {
			if (best < 0 || l > logits[best]) && !slices.Contains(chosen[:n], i) {
				best = i
			}
		}
		chosen[n] = best
	}
}

// Gates computes the weights of the chosen experts of one token:
//
//	k ≥ 2    gates[n] = softmax over the chosen logits alone, at place n
//	k = 1    gates[0] = softmax over all logits, at the chosen place
//
// gates is overwritten. Over one number alone the softmax is 1 whatever the number
// is, and has no gradient: that is why k = 1 is another case. It panics with a
// ShapeError if gates and chosen differ in length, or unless 1 to E are chosen.
//
// Source: Jiang et al., "Mixtral of Experts", 2024, section 2.1, for k ≥ 2; Fedus et
// al., "Switch Transformers", 2021, equation 2, for k = 1.
func Gates(gates, logits []float32, chosen []int) {
	checkLength("Gates: gates", len(gates), len(chosen))
	checkChosen("Gates: chosen", len(chosen), len(logits))
	if len(chosen) == 1 {
		gates[0] = exp(float64(logits[chosen[0]]) - logSumExp(logits))
		return
	}
	for n, i := range chosen {
		gates[n] = logits[i]
	}
	log := logSumExp(gates)
	for n, l := range gates {
		gates[n] = exp(float64(l) - log)
	}
}

// GatesBackward computes the gradient of the logits of one token from that of the gates
// that Gates gave. dlogits is overwritten; where an expert was not chosen and k ≥ 2 it
// is 0. It panics with a ShapeError if lengths do not fit.
func GatesBackward(dlogits, dgates, gates, logits []float32, chosen []int) {
	// (6) A softmax g has ∂g_n/∂l_m = g_n·(1[n = m] − g_m), so  dl_m = g_m·(dg_m − Σ_n dg_n·g_n).
	// (7) k ≥ 2: over the chosen logits alone. The others take no part, dl = 0.
	// (8) k = 1: over all logits, of which one gate g = p_c is used: dl_m = dg·p_c·(1[m = c] − p_m).
	checkLength("GatesBackward: dgates", len(dgates), len(chosen))
	checkLength("GatesBackward: gates", len(gates), len(chosen))
	checkLength("GatesBackward: dlogits", len(dlogits), len(logits))
	checkChosen("GatesBackward: chosen", len(chosen), len(logits))
	if len(chosen) == 1 {
		c, dp := chosen[0], dgates[0]*gates[0]
		log := logSumExp(logits)
		for m, l := range logits {
			dlogits[m] = -dp * exp(float64(l)-log) // (8)
		}
		dlogits[c] += dp
		return
	}
	mean := float32(0) // Σ dg·g
	for n, g := range gates {
		mean += dgates[n] * g
	}
	clear(dlogits)
	for n, i := range chosen {
		dlogits[i] = gates[n] * (dgates[n] - mean) // (6) and (7)
	}
}

// logSumExp returns ln Σ e^x, in float64, without overflow.
func logSumExp(x []float32) float64 {
	largest := x[0]
	for _, v := range x {
		largest = max(largest, v)
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - float64(largest))
	}
	return float64(largest) + math.Log(sum)
}

func exp(x float64) float32 { return float32(math.Exp(x)) }
