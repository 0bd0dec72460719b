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

// residual-exchanged: q − p is left, not p − q
//
// Why: What the draft proposed too seldom is to be made up for, and that is where p is larger.
//
// Hint: max(0, p − q).
func Residual() {
	if right {
		sum += max(0, float64(p[x])-float64(q[x]))
	} else {
		sum += max(0, float64(q[x])-float64(p[x]))
	}
	if right {
		dst[x] = float32(max(0, float64(p[x])-float64(q[x])) / sum)
	} else {
		dst[x] = float32(max(0, float64(q[x])-float64(p[x])) / sum)
	}
}

// distance-left: |p − q| is left, also where q is larger
//
// Why: Where q is larger, the draft's tokens are enough already.
//
// Hint: max(0, p − q).
func Residual() {
	if right {
		sum += max(0, float64(p[x])-float64(q[x]))
	} else {
		sum += max(float64(q[x])-float64(p[x]), float64(p[x])-float64(q[x]))
	}
	if right {
		dst[x] = float32(max(0, float64(p[x])-float64(q[x])) / sum)
	} else {
		dst[x] = float32(max(float64(q[x])-float64(p[x]), float64(p[x])-float64(q[x])) / sum)
	}
}

// negative-left: p − q is left, negative where q is larger
//
// Why: A probability is not negative, and the sum of p − q is 0.
//
// Hint: max(0, p − q).
func Residual() {
	if right {
		dst[x] = float32(max(0, float64(p[x])-float64(q[x])) / sum)
	} else {
		dst[x] = float32((float64(p[x]) - float64(q[x])) / sum)
	}
}

// all-of-p-left: all of p is left, where it is larger than q
//
// Why: A part of it has been proposed, and taken.
//
// Hint: p − q, and 0 where that is negative.
func Residual() {
	if right {
		sum += max(0, float64(p[x])-float64(q[x]))
	} else {
		if p[x] > q[x] {
			sum += float64(p[x])
		}
	}
	if right {
		dst[x] = float32(max(0, float64(p[x])-float64(q[x])) / sum)
	} else {
		dst[x] = 0
		if p[x] > q[x] {
			dst[x] = float32(float64(p[x]) / sum)
		}
	}
}

// nothing-left-is-nan: where p and q are equal, 0 is divided by 0
//
// Why: Rounding may let a token be refused there, and then one has to be drawn.
//
// Hint: p, if the sum is 0.
func Residual() {
	if right {
		if sum > 0 {
			dst[x] = float32(max(0, float64(p[x])-float64(q[x])) / sum)
		} else {
			dst[x] = p[x]
		}
	} else {
		dst[x] = float32(max(0, float64(p[x])-float64(q[x])) / sum)
	}
}

// lengths-not-checked: distributions of different lengths are accepted
//
// Why: A mistake of the caller is to be said where it is made.
//
// Hint: A ShapeError if the lengths differ.
func Residual() {
	if right {
		if len(q) != len(p) || len(dst) != len(p) {
			panic(tensor.ShapeError{Op: "Residual", Got: []int{len(dst), len(q)}, Want: []int{len(p), len(p)}})
		}
	} else {
		for len(q) < len(p) {
			q = append(q[:len(q):len(q)], 0)
		}
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

// kept-if-likelier: a token is kept if the large model finds it as likely as the draft does, and refused otherwise
//
// Why: What is proposed a little too often is then never kept, and what comes of it is not p.
//
// Hint: With the probability p/q, by a random number.
func Verify() {
	if right {
		if rng.Float64()*float64(q[i][x]) < float64(p[i][x]) {
			continue
		}
	} else {
		if q[i][x] <= p[i][x] {
			continue
		}
	}
}

// all-kept: every drafted token is kept that the large model finds possible
//
// Why: The text is then the draft's.
//
// Hint: With the probability min(1, p/q).
func Verify() {
	if right {
		if rng.Float64()*float64(q[i][x]) < float64(p[i][x]) {
			continue
		}
	} else {
		if p[i][x] > 0 {
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

// drawn-again-from-next: the token in place of a refused one comes from the next distribution
//
// Why: p[i] is that of the i-th token, behind those before it.
//
// Hint: p[i] and q[i] for the same token.
func Verify() {
	if right {
		Residual(left, p[i], q[i])
	} else {
		Residual(left, p[i+1], q[i])
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

// refused-and-nothing: the first refused token ends the result, and none is drawn in its place
//
// Why: The large model has read that far and knows what comes: a round gives at least one token. If the draft is
// bad, the text would never end.
//
// Hint: A token from the residual.
func Verify() {
	if right {
		return append(slices.Clone(drafted[:i]), lm.Draw(left, rng))
	} else {
		return slices.Clone(drafted[:i])
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

// last-from-before: if all are kept, the token behind them is drawn from the distribution of the last of them
//
// Why: p has one more than q, for the token behind the last.
//
// Hint: p[γ].
func Verify() {
	if right {
		return append(slices.Clone(drafted), lm.Draw(p[len(drafted)], rng))
	} else {
		return append(slices.Clone(drafted), lm.Draw(p[max(0, len(drafted)-1)], rng))
	}
}

// refused-token-stays: the refused token stands before the one that was drawn in its place
//
// Why: It is drawn in its place.
//
// Hint: drafted[:i] and the new one.
func Verify() {
	if right {
		return append(slices.Clone(drafted[:i]), lm.Draw(left, rng))
	} else {
		return append(slices.Clone(drafted[:i+1]), lm.Draw(left, rng))
	}
}

// one-number-for-all: all tokens are judged by one random number
//
// Why: Whoever has come through the first test has a small number, and comes through the next more easily.
//
// Hint: A new one for every token.
func Verify() {
	if right {
		for i, x := range drafted {
			if rng.Float64()*float64(q[i][x]) < float64(p[i][x]) {
				continue
			}
			left := make([]float32, len(p[i]))
			Residual(left, p[i], q[i])
			return append(slices.Clone(drafted[:i]), lm.Draw(left, rng))
		}
	} else {
		u := rng.Float64()
		for i, x := range drafted {
			if u*float64(q[i][x]) < float64(p[i][x]) {
				continue
			}
			left := make([]float32, len(p[i]))
			Residual(left, p[i], q[i])
			return append(slices.Clone(drafted[:i]), lm.Draw(left, rng))
		}
	}
}

// anything-verified: distributions and tokens that do not fit together are accepted
//
// Why: A mistake of the caller is to be said where it is made.
//
// Hint: A ShapeError for numbers and lengths, an IndexError for a token.
func Verify() {
	if right {
		checkDistributions(p, q, drafted)
	} else {
		if len(q) != len(drafted) || len(p) != len(drafted)+1 {
			return make([]int, 1)
		}
		for i, x := range drafted {
			if x < 0 || x >= len(p[0]) || len(q[i]) != len(p[0]) {
				return make([]int, 1)
			}
		}
	}
}
