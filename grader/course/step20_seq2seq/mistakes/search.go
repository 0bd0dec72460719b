//go:build mistake

package seq2seq

import (
	"math"
)

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
