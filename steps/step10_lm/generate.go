package lm

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Sampling says how text is generated.
type Sampling struct {
	MaxNew      int     // at most so many new tokens
	Temperature float64 // ≥ 0; see Distribution
	TopP        float64 // 0 < TopP ≤ 1; see Distribution
	Stop        int     // the token that ends the text and is not part of it; −1: none
}

// Generate continues the prompt and returns the new tokens only. Each round the
// model reads the text so far, or its last ContextLength tokens, and the next
// token is drawn from the Distribution of the last logits. The same rng gives
// the same tokens.
//
// It returns an error for an empty prompt, an id outside the vocabulary, a
// Sampling out of range, and logits that are not finite.
func (m *LM) Generate(prompt []int, s Sampling, rng *rand.Rand) ([]int, error) {
	panic(tensor.TODO("step10: LM.Generate"))
}
