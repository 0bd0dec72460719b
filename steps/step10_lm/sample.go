package lm

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
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
// Dividing by a small temperature can overflow: subtract the largest logit first,
// which changes no probability. softmax.Softmax of step 07 does the rest; give it
// a tensor of one dimension, tensor.From(probs, len(probs)).
//
// Source: Holtzman et al., "The Curious Case of Neural Text Degeneration", 2020,
// section 3.1.
func Distribution(logits []float32, temperature, topP float64) []float32 {
	panic(tensor.TODO("step10: Distribution"))
}

// Draw returns a token with the given probabilities, never one of probability 0.
// They need not sum to exactly 1. Lay the probabilities end to end on a line, and
// let rng.Float64(), which is at least 0 and less than 1, choose a place on it. Add
// up in float64. It panics if the probabilities hold a NaN or sum to 0.
func Draw(probs []float32, rng *rand.Rand) int {
	panic(tensor.TODO("step10: Draw"))
}
