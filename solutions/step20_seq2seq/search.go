package seq2seq

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Next returns the logits (V) of the token behind a prefix, which begins with Begin. They
// are valid until the next call; the prefix is not kept and not changed.
type Next func(prefix []int) []float32

// Greedy takes, token by token, the one with the largest logit, the first of equals, until
// that is End or there are maxLen tokens. It returns them without Begin and End.
func Greedy(next Next, maxLen int) []int {
	prefix := []int{Begin}
	for range maxLen {
		token := largest(next(prefix))
		if token == End {
			break
		}
		prefix = append(prefix, token)
	}
	return prefix[1:]
}

// largest returns the index of the largest number, the first of equals.
func largest(x []float32) int { return slices.Index(x, kernel.Max(x)) }

// hypothesis is the beginning of a translation, or one that has ended.
type hypothesis struct {
	tokens []int   // without Begin and End
	sum    float64 // of ln p of all tokens, End among them
	ended  bool
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
	if width < 1 {
		panic(tensor.ShapeError{Op: "seq2seq.Beam: width, which is at least 1", Got: []int{width}})
	}
	live, ended := []hypothesis{{}}, []hypothesis(nil)
	for range maxLen {
		if len(live) == 0 {
			break
		}
		kept := best(continued(live, next), width-len(ended))
		live = live[:0]
		for _, h := range kept {
			if h.ended {
				ended = append(ended, h)
			} else {
				live = append(live, h)
			}
		}
	}
	score = math.Inf(-1)
	for _, h := range append(ended, live...) {
		if s := h.sum / math.Pow((5+float64(len(h.tokens)))/6, alpha); s > score {
			tokens, score = h.tokens, s
		}
	}
	return append([]int{}, tokens...), score
}

// continued returns every hypothesis with every token behind it.
func continued(live []hypothesis, next Next) []hypothesis {
	var all []hypothesis
	for _, h := range live {
		for token, p := range logSoftmax(next(append([]int{Begin}, h.tokens...))) {
			longer := hypothesis{tokens: h.tokens, sum: h.sum + p, ended: token == End}
			if !longer.ended {
				longer.tokens = append(slices.Clone(h.tokens), token)
			}
			all = append(all, longer)
		}
	}
	return all
}

// best returns the n hypotheses of the largest sums, the earlier of equals.
func best(all []hypothesis, n int) []hypothesis {
	slices.SortStableFunc(all, func(a, b hypothesis) int {
		switch {
		case a.sum > b.sum:
			return -1
		case a.sum < b.sum:
			return 1
		}
		return 0
	})
	return all[:min(n, len(all))]
}

// logSoftmax returns ln softmax(x), in float64.
func logSoftmax(x []float32) []float64 {
	m := float64(kernel.Max(x))
	var sum float64
	for _, v := range x {
		sum += math.Exp(float64(v) - m)
	}
	y, shift := make([]float64, len(x)), m+math.Log(sum)
	for i, v := range x {
		y[i] = float64(v) - shift
	}
	return y
}
