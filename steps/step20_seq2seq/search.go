package seq2seq

import "github.com/stubformer/stubformer/reference/tensor"

// Next returns the logits (V) of the token behind a prefix, which begins with Begin. They
// are valid until the next call; the prefix is not kept and not changed.
type Next func(prefix []int) []float32

// Greedy takes, token by token, the one with the largest logit, the first of equals, until
// that is End or there are maxLen tokens. It returns them without Begin and End.
func Greedy(next Next, maxLen int) []int {
	panic(tensor.TODO("step20: Greedy"))
}

// Beam looks for the translation of the largest score: the sum of ln p of its tokens and of
// End, over the length penalty of its n tokens, in which End is not counted,
//
//	score = Σ ln p/((5 + n)/6)^α
//	ln p  = x − ln Σ e^x, of the logits x, in float64
//
// It begins with one live hypothesis, Begin alone, and then maxLen times continues every
// live one with every token. Of all continuations it keeps those with the largest sums, as
// many as width less the hypotheses that have ended so far; of equal ones, that of the
// earlier hypothesis, and of the lower token. One that ends with End has ended, the others
// are live. It is over when none is live. The result is the best of those that have ended
// and of those that are still live at the end, the earliest of equals, ended ones first. A
// width of 1 is Greedy. It panics with a ShapeError if width is below 1.
//
// Source: Jurafsky and Martin, "Speech and Language Processing", 3rd edition, section
// "Beam search"; the penalty is that of Wu et al., "Google's Neural Machine Translation
// System", 2016, equation 14.
func Beam(next Next, width, maxLen int, alpha float64) (tokens []int, score float64) {
	panic(tensor.TODO("step20: Beam"))
}
