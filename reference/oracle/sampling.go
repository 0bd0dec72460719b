package oracle

import (
	"cmp"
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	answer("sample.probs", sampleProbs)
}

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

func sampleProbs(c *call) (wire.Values, error) {
	if c.sizes["V"] == 0 {
		return nil, c.refuse("logits", "at least one")
	}
	if t := c.float("temperature"); !(t >= 0) || math.IsInf(t, 1) {
		return nil, c.refuse("temperature", "a number of at least 0")
	}
	if p := c.float("top_p"); !(p > 0 && p <= 1) {
		return nil, c.refuse("top_p", "0 < top_p ≤ 1")
	}
	probs := SampleProbs(c.tensor("logits").Data, c.float("temperature"), c.float("top_p"))
	return wire.Values{"probs": wire.Floats(probs, len(probs))}, nil
}
