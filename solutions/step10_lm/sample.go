package lm

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// Distribution returns the probabilities (V) from which the next token is drawn:
// the softmax of logits/temperature, cut to its nucleus.
//
// The nucleus are the likeliest tokens, taken in order until their sum reaches
// topP; the token that crosses topP is kept, and of equals the first comes
// first. What is left is divided by its sum. topP = 1 keeps everything.
// Temperature 0 is the limit: all mass on the largest logit, the first of equals.
//
// It panics unless temperature ≥ 0 and 0 < topP ≤ 1.
//
// Source: Holtzman et al., "The Curious Case of Neural Text Degeneration", 2020,
// section 3.1.
func Distribution(logits []float32, temperature, topP float64) []float32 {
	if !(temperature >= 0) || !(topP > 0 && topP <= 1) {
		panic(fmt.Sprintf("Distribution: temperature %g and topP %g; want temperature ≥ 0 and 0 < topP ≤ 1",
			temperature, topP))
	}
	probs := make([]float32, len(logits))
	largest := kernel.Max(logits)
	if temperature == 0 {
		probs[slices.Index(logits, largest)] = 1
		return probs
	}
	for i, x := range logits { // shifted first: no temperature is so small that this overflows upwards
		probs[i] = float32(float64(x-largest) / temperature)
	}
	p := tensor.From(probs, len(probs))
	softmax.Softmax(p, p, 0)
	if topP < 1 {
		keepNucleus(probs, topP)
	}
	return probs
}

// keepNucleus sets the probability of every token outside the nucleus to 0 and
// divides the others by their sum.
func keepNucleus(probs []float32, topP float64) {
	order := make([]int, len(probs)) // ids, the likeliest first
	for id := range order {
		order[id] = id
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probs[b], probs[a]) })
	sum := 0.0
	for _, id := range order {
		if sum >= topP {
			probs[id] = 0
		}
		sum += float64(probs[id])
	}
	kernel.Scale(float32(1/sum), probs)
}

// Draw returns a token with the given probabilities, never one of probability 0.
// They need not sum to exactly 1. It panics if they hold a NaN or sum to 0.
func Draw(probs []float32, rng *rand.Rand) int {
	total := 0.0
	for _, p := range probs {
		total += float64(p)
	}
	u := rng.Float64() * total // 0 ≤ u < total: a place on a line on which token i has the length probs[i]
	sum := 0.0
	for id, p := range probs {
		sum += float64(p)
		if u < sum {
			return id
		}
	}
	panic(fmt.Sprintf("Draw: the probabilities sum to %g", total))
}
