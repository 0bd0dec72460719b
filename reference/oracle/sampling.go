package oracle

import (
	"cmp"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
)

// SampleProbs returns the distribution that the next token is drawn from:
// softmax(logits / temperature), cut to the nucleus and scaled to sum to 1.
// The nucleus are the most probable tokens up to and including the one with
// which their sum reaches topP; of equally probable tokens the lower id comes
// first. topP = 1 keeps every token. Temperature 0 puts everything on the
// first largest logit.
//
//	logits (V), result (V)
//
// Source: Holtzman et al., "The Curious Case of Neural Text Degeneration"
// (arXiv:1904.09751), section 3.1.
func SampleProbs(logits []float64, temperature, topP float64) []float64 {
	if temperature == 0 {
		probs := make([]float64, len(logits))
		probs[firstLargest(logits)] = 1
		return probs
	}
	scaled := autodiff.Scale(autodiff.New(logits, len(logits)), 1/temperature)
	probs := Softmax(scaled, 0).Data
	if topP == 1 {
		return probs
	}
	order := make([]int, len(probs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probs[b], probs[a]) })
	kept := 0.0
	for _, token := range order {
		if kept >= topP {
			probs[token] = 0
			continue
		}
		kept += probs[token]
	}
	for i := range probs {
		probs[i] /= kept
	}
	return probs
}

// firstLargest returns the index of the largest value, the first of equals.
func firstLargest(values []float64) int {
	best := 0
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	return best
}
