//go:build mistake

package seq2seq

import (
	"math"
	"slices"
)

// greedy-keeps-end: End is a part of what greedy search returns
//
// Why: End says that the text is over. It is no word of it.
//
// Hint: Stop before it is appended.
func Greedy() {
	if right {
		if token == End {
			break
		}
		prefix = append(prefix, token)
	} else {
		prefix = append(prefix, token)
		if token == End {
			break
		}
	}
}

// greedy-last-of-equals: of equal logits the last is taken
//
// Why: The first, so that everybody gets the same.
//
// Hint: > and not ≥.
func largest(x []float32) int {
	best := 0
	for i, v := range x {
		if v >= x[best] {
			best = i
		}
	}
	return best
}

// first-end-wins: the search is over with the first hypothesis that ends
//
// Why: It is the first, and often a short one: a better one may still be alive.
//
// Hint: Go on until none is alive.
func Beam() {
	if right {
		if len(live) == 0 {
			break
		}
	} else {
		if len(live) == 0 || len(ended) > 0 {
			break
		}
	}
}

// end-costs-nothing: End's ln p is not in the score
//
// Why: A text that could end anywhere would be as good as one that had to end there.
//
// Hint: The sum has ln p of End.
func continued() {
	if right {
		longer := hypothesis{tokens: h.tokens, sum: h.sum + p, ended: token == End}
	} else {
		longer := hypothesis{tokens: h.tokens, sum: h.sum + p, ended: token == End}
		if longer.ended {
			longer.sum = h.sum
		}
	}
}

// end-counted: the length penalty counts End
//
// Why: n are the tokens of the text.
//
// Hint: Without Begin and without End.
func Beam() {
	if right {
		if s := h.sum / math.Pow((5+float64(len(h.tokens)))/6, alpha); s > score {
			tokens, score = h.tokens, s
		}
	} else {
		n := len(h.tokens)
		if h.ended {
			n++
		}
		if s := h.sum / math.Pow((5+float64(n))/6, alpha); s > score {
			tokens, score = h.tokens, s
		}
	}
}

// no-penalty: there is no length penalty
//
// Why: Every token makes the sum smaller, so that short texts win.
//
// Hint: Divide by ((5 + n)/6)^α.
func Beam() {
	if right {
		if s := h.sum / math.Pow((5+float64(len(h.tokens)))/6, alpha); s > score {
			tokens, score = h.tokens, s
		}
	} else {
		if s := h.sum; s > score {
			tokens, score = h.tokens, s
		}
	}
}

// length-alone: the sum is divided by n^α
//
// Why: Libraries have that penalty; the formula is ((5 + n)/6)^α, which the first few tokens change little.
//
// Hint: score = Σ ln p/((5 + n)/6)^α.
func Beam() {
	if right {
		if s := h.sum / math.Pow((5+float64(len(h.tokens)))/6, alpha); s > score {
			tokens, score = h.tokens, s
		}
	} else {
		if s := h.sum / math.Pow(float64(len(h.tokens)), alpha); s > score {
			tokens, score = h.tokens, s
		}
	}
}

// penalty-multiplied: the sum is multiplied by the length penalty
//
// Why: The sum is negative: a product makes long texts worse still.
//
// Hint: Divide.
func Beam() {
	if right {
		if s := h.sum / math.Pow((5+float64(len(h.tokens)))/6, alpha); s > score {
			tokens, score = h.tokens, s
		}
	} else {
		if s := h.sum * math.Pow((5+float64(len(h.tokens)))/6, alpha); s > score {
			tokens, score = h.tokens, s
		}
	}
}

// logits-summed: logits are summed, and not ln p
//
// Why: Logits of different prefixes have different zeros: a sum of them says nothing.
//
// Hint: Subtract the logsumexp of the row.
func logSoftmax() {
	if right {
		y, shift := make([]float64, len(x)), m+math.Log(sum)
	} else {
		y, shift := make([]float64, len(x)), 0*sum
	}
}

// beam-for-each: every live hypothesis keeps as many continuations as the beam is wide
//
// Why: All continuations compete: a good hypothesis may have several, a bad one none. And the work would grow without
// end.
//
// Hint: One sort over all of them.
func Beam() {
	if right {
		kept := best(continued(live, next), width-len(ended))
	} else {
		var kept []hypothesis
		for _, h := range live[:min(len(live), width)] {
			kept = append(kept, best(continued([]hypothesis{h}, next), 1)...)
		}
		if len(live) == 1 {
			kept = best(continued(live, next), width)
		}
	}
}

// beam-stays-wide: the beam stays as wide after a hypothesis has ended
//
// Why: Those that have ended keep their places: width hypotheses, ended and alive, are what is looked at.
//
// Hint: width − ended.
func Beam() {
	if right {
		kept := best(continued(live, next), width-len(ended))
	} else {
		kept := best(continued(live, next), width)
	}
}

// live-forgotten: what is alive when there is no more room is forgotten
//
// Why: With a maxLen below the text's length nothing might come out.
//
// Hint: Compare ended and live ones.
func Beam() {
	if right {
		for _, h := range append(ended, live...) {
			if s := h.sum / math.Pow((5+float64(len(h.tokens)))/6, alpha); s > score {
				tokens, score = h.tokens, s
			}
		}
	} else {
		if len(ended) == 0 {
			ended = live
		}
		for _, h := range ended {
			if s := h.sum / math.Pow((5+float64(len(h.tokens)))/6, alpha); s > score {
				tokens, score = h.tokens, s
			}
		}
	}
}

// largest-sum: the result is the one with the largest sum; the penalty is only in the score that is returned
//
// Why: The penalty is there to choose.
//
// Hint: Compare the scores.
func Beam() {
	if right {
		if s := h.sum / math.Pow((5+float64(len(h.tokens)))/6, alpha); s > score {
			tokens, score = h.tokens, s
		}
	} else {
		if h.sum > score {
			tokens, score = h.tokens, h.sum
		}
	}
}

func Beam() {
	if right {
		return append([]int{}, tokens...), score
	} else {
		return append([]int{}, tokens...), score / math.Pow((5+float64(len(tokens)))/6, alpha)
	}
}

// tokens-shared: two hypotheses share the memory of their tokens
//
// Why: append writes behind a slice where there is room: the second continuation overwrites the first one's token.
//
// Hint: slices.Clone before append.
func continued() {
	if right {
		longer.tokens = append(slices.Clone(h.tokens), token)
	} else {
		longer.tokens = append(h.tokens, token)
	}
}
