package paged

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// Stats says what speculation has done for a text.
type Stats struct {
	Rounds   int // how often the large model has read
	Drafted  int // tokens that were proposed to it
	Accepted int // and those of them that Verify took
}

// Residual computes what is left of p where q has taken its part:
//
//	dst[x] = max(0, p[x] − q[x]) / Σ max(0, p − q)      (V)
//
// It is p where nothing is left, p = q. dst may be p or q. It panics with a ShapeError if
// the lengths differ.
func Residual(dst, p, q []float32) {
	panic(tensor.TODO("step22: Residual"))
}

// Verify decides about γ drafted tokens, of which the i-th was drawn from q[i], and returns
// those that stand, and one more: from 1 to γ + 1 tokens. p has a distribution more than q,
// for the token behind the last. Every token that it returns is distributed as p says,
// however bad q is:
//
//	the i-th is kept with the probability min(1, p[i][x]/q[i][x])
//	the first that is not is drawn again from Residual(p[i], q[i]), and ends the result
//	if all are kept, one is drawn from p[γ]
//
// Where p is certain of one token, so is the result.
//
// It panics with a ShapeError unless there are γ of q and γ + 1 of p, all of one length,
// and with an IndexError if a token is none of V.
//
// Source: Leviathan et al., "Fast Inference from Transformers via Speculative Decoding",
// 2023, section 2.3; Chen et al., "Accelerating Large Language Model Decoding with
// Speculative Sampling", 2023, algorithm 2.
func Verify(p, q [][]float32, drafted []int, rng *rand.Rand) []int {
	panic(tensor.TODO("step22: Verify"))
}

// Speculate continues the prompt and returns the new tokens only, as LM.Generate does for
// the large model: s.MaxNew of them, or fewer if s.Stop comes before, which is not among
// them. In every round
//
//	the draft writes γ = min(ahead, what is missing − 1) tokens
//	the large model reads all of them in one call
//	Verify takes a of them, and adds one
//	both forget what was not taken
//
// p and q are the lm.Distribution of the logits, with the temperature and top-p of s: that
// from which the draft was drawn, and that from which the large model would draw. At
// temperature 0 the text is that of the large model alone, and elsewhere one of the same
// distribution. What nobody has read yet is read in the next call: at the beginning the
// prompt, later the token that Verify has added.
//
// It reads through texts of its own, and gives back their pages at the end, with an error,
// too. Errors are: an empty prompt, an id outside the vocabulary, ahead below 1, models with
// different vocabularies, a Sampling out of range (see LM.Generate), len(prompt) + s.MaxNew
// above the ContextLength of one of the models, too few free pages in a pool, and logits that
// are not finite.
func Speculate(large, draft *Reader, prompt []int, ahead int, s lm.Sampling, rng *rand.Rand) ([]int, Stats, error) {
	panic(tensor.TODO("step22: Speculate"))
}
