//go:build mistake

package flash

// no-maximum: the scores are not shifted by their maximum
//
// Why: e^S is infinite from S = 89 on. Small scores come out right, since the softmax does not depend
// on the shift.
//
// Hint: m' = max(m, the largest score of the row in this tile), and P = e^(S − m').
func (*Attention) attend() {
	if right {
		largest := max(m[r], kernel.Max(p))
	} else {
		largest := float32(0)
	}
}

// output-not-rescaled: the output so far is not multiplied by e^(m − m') when the maximum rises
//
// Why: O holds terms e^(Sⱼ − m)·vⱼ with the old m, and the new ones have the new. They are added only when
// both have the same.
//
// Hint: Before P·v is added, every row of O is multiplied by e^(m − m'), as l is.
func (*Attention) attend() {
	if right {
		kernel.Scale(past, row(o, r))
	} else {
	}
}

// sum-not-rescaled: the sum so far is not multiplied by e^(m − m') when the maximum rises
//
// Why: l holds terms e^(Sⱼ − m) with the old m, and the new ones have the new.
//
// Hint: l = e^(m − m')·l + Σ P.
func (*Attention) attend() {
	if right {
		l[r] = past*l[r] + kernel.Sum(p)
	} else {
		l[r] += kernel.Sum(p)
	}
}

// nothing-rescaled: neither the output nor the sum is multiplied by e^(m − m') when the maximum rises
//
// Why: The terms of different tiles are then relative to different maxima, and the quotient is no mean any
// more.
//
// Hint: Both l and O are multiplied by e^(m − m') before the new tile's part is added.
func (*Attention) attend() {
	if right {
		l[r] = past*l[r] + kernel.Sum(p)
		kernel.Scale(past, row(o, r))
	} else {
		_ = past
		l[r] += kernel.Sum(p)
	}
}

// inverse: what there is so far is multiplied by the inverse, e^(m' − m)
//
// Why: Old terms e^(Sⱼ − m) become e^(Sⱼ − m') by the factor e^(m − m'), which is at most 1. The paper of
// 2023 prints an inverse in its algorithm 1, which is a slip.
//
// Hint: The exponent is old minus new, and never above 0.
func (*Attention) attend() {
	if right {
		past := exp(m[r] - finite(largest))
	} else {
		past := inverse(exp(m[r] - finite(largest)))
	}
}

func inverse(x float32) float32 {
	if x == 0 {
		return 0
	}
	return 1 / x
}

// inverse/of-the-output: the output so far is multiplied by the inverse, e^(m' − m), and the sum is not
func (*Attention) attend() {
	if right {
		kernel.Scale(past, row(o, r))
	} else {
		kernel.Scale(inverse(past), row(o, r))
	}
}

func inverse(x float32) float32 {
	if x == 0 {
		return 0
	}
	return 1 / x
}

// inverse/as-printed: the output is multiplied by 1/e^(m − m') even where m is −Inf
func (*Attention) attend() {
	if right {
		kernel.Scale(past, row(o, r))
	} else {
		kernel.Scale(1/past, row(o, r))
	}
}

// own-maximum: P is made with the largest score of its own tile, l and O with the running one
//
// Why: Where an earlier tile has the maximum, the weights of this one are too large by e^(m' − its own).
//
// Hint: One m' for all three: max(m, the tile's maximum).
func (*Attention) attend() {
	if right {
		exponentials(p, p, finite(largest))
	} else {
		exponentials(p, p, finite(kernel.Max(p)))
	}
}

// maximum-of-the-tile: m' is the largest score of the tile, also where an earlier one was larger
//
// Why: The quotient stays right on paper. But e^(m − m') is above 1 when the maximum falls, and infinite when
// it falls by more than 88.
//
// Hint: m' = max(m, the tile's maximum): it never falls.
func (*Attention) attend() {
	if right {
		largest := max(m[r], kernel.Max(p))
	} else {
		largest := kernel.Max(p)
	}
}

// maximum-forgotten: the new maximum is not kept for the next tile
//
// Why: m stays −Inf, e^(m − m') is 0, and every tile wipes out those before it: the last one alone counts.
//
// Hint: At the end of a tile, m = m'.
func (*Attention) attend() {
	if right {
		m[r] = largest
	} else {
		_ = largest
	}
}

// past-of-the-first-maximum: the factor of what there is so far is e^(m − m')², once too often
//
// Why: One factor takes every old term from m to m'.
//
// Hint: Scale O and l once for each tile.
func (*Attention) attend() {
	if right {
		past := exp(m[r] - finite(largest))
	} else {
		past := exp(2 * (m[r] - finite(largest)))
	}
}

// divided-in-every-tile: the output is divided by the sum so far in every tile, and not multiplied by the old one before
//
// Why: What was divided by the old l has to be multiplied by it again before new terms join. The form of 2023
// divides once, at the end.
//
// Hint: No division inside of the loop over the keys.
func (*Attention) attend() {
	if right {
		tensor.MulAdd(o, s, v)
	} else {
		tensor.MulAdd(o, s, v)
		for r := range queries {
			if l[r] != 0 {
				kernel.Scale(1/l[r], row(o, r))
			}
		}
	}
	if right {
		kernel.Scale(1/l[r], row(o, r))
	} else {
	}
}

// not-divided: the output is not divided by the sum
//
// Why: O is Σ e^(Sⱼ − m)·vⱼ; the weights sum to 1 only when it is divided by l.
//
// Hint: Behind the last tile, y = O/l.
func (*Attention) attend() {
	if right {
		kernel.Scale(1/l[r], row(o, r))
	} else {
	}
}

// minus-infinity: −Inf is subtracted from −Inf
//
// Why: That is NaN. It happens in a row of which nothing has been visible so far, in any tile before its first
// key, or in all.
//
// Hint: Where m' is −Inf subtract 0: e^(−Inf − 0) is the 0 that is wanted.
func finite(x float32) float32 {
	return x
}

// row-without-keys: a row that may attend nowhere is divided by its sum, 0
//
// Why: 0/0 is NaN. Such a row is defined as 0, as in step 08.
//
// Hint: Divide only where l is not 0.
func (*Attention) attend() {
	if right {
		if l[r] != 0 {
			kernel.Scale(1/l[r], row(o, r))
		}
	} else {
		kernel.Scale(1/l[r], row(o, r))
	}
}

// scale-missing: the scores are not divided by √K
//
// Why: Without it their variance grows with K.
//
// Hint: S = q·kᵀ/√K, in Forward and where Backward computes S again.
func (*Attention) scores() {
	if right {
		kernel.Scale(scale(width), row(s, r))
	} else {
		_ = width
	}
}

// scale-missing/derivative-too
//
// With: scale-missing
func (*Attention) sendBack() {
	if right {
		kernel.Scale(scale(width), ds)
	} else {
	}
}

// scale-of-k: the scores are divided by K instead of √K
//
// Why: The scores' variance grows like K, their size like √K.
//
// Hint: 1/√K.
func scale(width int) float32 { return 1 / float32(width) }
