//go:build mistake

package paged

import "github.com/stubformer/stubformer/steps/step10_lm"

// not-normalised: what is left is not divided by its sum
//
// Why: A distribution sums to 1. What is left sums to the chance of a refusal.
//
// Hint: Divide by Σ max(0, p − q).
func Residual() {
	if right {
		dst[x] = float32(max(0, float64(p[x])-float64(q[x])) / sum)
	} else {
		dst[x] = float32(max(0, float64(p[x])-float64(q[x])))
	}
}

// quotient-inverted: a token is kept with the probability q/p
//
// Why: Where q is larger than p, the draft proposes the token too often, and some are to be refused.
//
// Hint: min(1, p/q).
func Verify() {
	if right {
		if rng.Float64()*float64(q[i][x]) < float64(p[i][x]) {
			continue
		}
	} else {
		if rng.Float64()*float64(p[i][x]) < float64(q[i][x]) {
			continue
		}
	}
}

// kept-with-p: a token is kept with the probability p, and the others are drawn from the residual
//
// Why: It was proposed with the probability q already. Together that is p·q, and not p.
//
// Hint: min(1, p/q).
func Verify() {
	if right {
		if rng.Float64()*float64(q[i][x]) < float64(p[i][x]) {
			continue
		}
	} else {
		if rng.Float64() < float64(p[i][x]) {
			continue
		}
	}
}

// drawn-again-from-p: the token in place of a refused one is drawn from p
//
// Why: What the draft proposes and the large model takes is then counted twice: such tokens stand too often.
//
// Hint: From max(0, p − q), normalised.
func Verify() {
	if right {
		return append(slices.Clone(drafted[:i]), lm.Draw(left, rng))
	} else {
		return append(slices.Clone(drafted[:i]), lm.Draw(p[i], rng))
	}
}

// refused-and-on: behind a refused token others are kept
//
// Why: They were drafted behind a token that does not stand.
//
// Hint: The first that is refused ends the result.
func Verify() {
	if right {
		return append(slices.Clone(drafted[:i]), lm.Draw(left, rng))
	} else {
		return append(append(slices.Clone(drafted[:i]), lm.Draw(left, rng)), drafted[i+1:]...)
	}
}

// no-token-more: if all are kept, none is added
//
// Why: The large model has read the last one, too, and its logits say what comes behind.
//
// Hint: One from p[γ].
func Verify() {
	if right {
		return append(slices.Clone(drafted), lm.Draw(p[len(drafted)], rng))
	} else {
		if len(drafted) == 0 {
			return []int{lm.Draw(p[0], rng)}
		}
		return slices.Clone(drafted)
	}
}
