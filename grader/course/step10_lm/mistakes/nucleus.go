//go:build mistake

package lm

import "math"

// nucleus-drops-crossing: top-p drops the token that crosses p
//
// Why: The nucleus is the smallest set of likeliest tokens that holds at least the mass p. Without
// the token that crosses p it holds less, and may be empty.
//
// Hint: Sort by probability, walk down, and keep a token as long as the sum of those before it is
// below p.
func keepNucleus() {
	if right {
		sum := 0.0
		for _, id := range order {
			if sum >= topP {
				probs[id] = 0
			}
			sum += float64(probs[id])
		}
	} else {
		sum, over := 0.0, false
		for _, id := range order {
			over = over || sum+float64(probs[id]) > topP
			if over {
				probs[id] = 0
			}
			sum += float64(probs[id])
		}
	}
}

// nucleus-drops-crossing/never-empty: top-p drops the token that crosses p, and keeps the first in
// any case
func keepNucleus() {
	if right {
		sum := 0.0
		for _, id := range order {
			if sum >= topP {
				probs[id] = 0
			}
			sum += float64(probs[id])
		}
	} else {
		sum, over := 0.0, false
		for _, id := range order {
			over = over || sum > 0 && sum+float64(probs[id]) > topP
			if over {
				probs[id] = 0
			}
			sum += float64(probs[id])
		}
	}
}

// nucleus-drops-crossing/skips: top-p skips every token that would cross p, and goes on
func keepNucleus() {
	if right {
		if sum >= topP {
			probs[id] = 0
		}
	} else {
		if sum+float64(probs[id]) > topP {
			probs[id] = 0
		}
	}
}

// nucleus-drops-crossing/skips-never-empty: top-p skips every token that would cross p but the
// first, and goes on
func keepNucleus() {
	if right {
		if sum >= topP {
			probs[id] = 0
		}
	} else {
		if sum > 0 && sum+float64(probs[id]) > topP {
			probs[id] = 0
		}
	}
}

// nucleus-one-too-many: top-p keeps one token more than it takes to reach p
//
// Why: The nucleus is the smallest set of likeliest tokens that holds at least the mass p.
//
// Hint: Sort by probability, walk down, and keep a token as long as the sum of those before it is
// below p.
func keepNucleus() {
	if right {
		sum := 0.0
		for _, id := range order {
			if sum >= topP {
				probs[id] = 0
			}
			sum += float64(probs[id])
		}
	} else {
		sum, passed := 0.0, false
		for _, id := range order {
			reached := sum >= topP
			if passed {
				probs[id] = 0
			}
			passed = reached
			sum += float64(probs[id])
		}
	}
}

// nucleus-not-renormalised: what top-p keeps is not divided by its sum
//
// Why: Probabilities sum to 1. Draw can do without, but who compares two distributions cannot.
//
// Hint: Divide what is kept by its sum.
func keepNucleus() {
	if right {
		kernel.Scale(float32(1/sum), probs)
	} else {
	}
}

// nucleus-by-own-probability: top-p judges every token by its own probability instead of the sum
// of those before it
//
// Why: The nucleus is the smallest set of likeliest tokens that holds at least the mass p. How
// large a token's own probability is does not matter.
//
// Hint: Sort by probability, walk down, and keep a token as long as the sum of those before it is
// below p.
func keepNucleus() {
	if right {
		if sum >= topP {
			probs[id] = 0
		}
	} else {
		if float64(probs[id]) < topP {
			probs[id] = 0
		}
	}
}

// nucleus-by-own-probability/of-largest: top-p drops the tokens that are less likely than p times
// the likeliest one
func keepNucleus() {
	if right {
		if sum >= topP {
			probs[id] = 0
		}
	} else {
		if probs[id] < float32(topP)*probs[order[0]] {
			probs[id] = 0
		}
	}
}

// nucleus-by-own-probability/complement: top-p drops the tokens that are less likely than 1 − p
func keepNucleus() {
	if right {
		if sum >= topP {
			probs[id] = 0
		}
	} else {
		if float64(probs[id]) < 1-topP {
			probs[id] = 0
		}
	}
}

// nucleus-not-sorted: top-p goes through the tokens in the order of their ids
//
// Why: The nucleus is the smallest set of likeliest tokens that holds at least the mass p.
//
// Hint: Sort by probability, the largest first.
func keepNucleus() {
	if right {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probs[b], probs[a]) })
	} else {
	}
}

// nucleus-ascending: top-p keeps the least likely tokens
//
// Why: The nucleus is the smallest set of likeliest tokens that holds at least the mass p.
//
// Hint: Sort by probability, the largest first.
func keepNucleus() {
	if right {
		return cmp.Compare(probs[b], probs[a])
	} else {
		return cmp.Compare(probs[a], probs[b])
	}
}

// nucleus-as-share: top-p keeps a share p of the vocabulary instead of a share p of the
// probability
//
// Why: The nucleus is the smallest set of likeliest tokens that holds at least the mass p.
//
// Hint: Sort by probability, walk down, and keep a token as long as the sum of those before it is
// below p.
func keepNucleus() {
	if right {
		sum := 0.0
		for _, id := range order {
			if sum >= topP {
				probs[id] = 0
			}
			sum += float64(probs[id])
		}
	} else {
		keep := int(math.Ceil(topP * float64(len(probs))))
		sum, last := 0.0, false
		for _, id := range order {
			if order[keep-1] == id {
				last = true
			} else if last {
				probs[id] = 0
			}
			sum += float64(probs[id])
		}
	}
}

// nucleus-ignored: top-p is ignored: every token stays possible
//
// Why: The many unlikely tokens together are likely. One of them comes up every few words, and the
// text loses its way.
//
// Hint: Sort by probability, walk down, and keep a token as long as the sum of those before it is
// below p.
func Distribution() {
	if right {
		if topP < 1 {
			keepNucleus(probs, topP)
		}
	} else {
	}
}
