//go:build mistake

package kvcache

import "github.com/stubformer/stubformer/steps/step08_attention"

// mask-square: the mask is aligned at the top left: query i sees the keys 0 to i
//
// Why: Query i of a call stands at position past+i. Counted from 0 it sees only the first tokens of
// the text, and of its own call nothing.
//
// Hint: j <= past+i
func Mask() {
	if right {
		row[j] = j <= past+i
	} else {
		row[j] = j <= i
	}
}

// mask-strict: a token does not see itself
//
// Why: The causal mask has its diagonal: query past+i attends to key past+i, its own. A model without
// it still writes text that looks right, a little worse.
//
// Hint: j <= past+i, with the equals sign.
func Mask() {
	if right {
		row[j] = j <= past+i
	} else {
		row[j] = j < past+i
	}
}

// mask-one-ahead: every token sees the one behind it as well
//
// Why: Key past+i+1 has not been read yet when the model is asked token by token. What it answers
// would depend on how the text is cut.
//
// Hint: j <= past+i
func Mask() {
	if right {
		row[j] = j <= past+i
	} else {
		row[j] = j <= past+i+1
	}
}

// mask-past-hidden: new tokens see each other, but not what came before
//
// Why: What came before is what the cache is for.
//
// Hint: j <= past+i alone: all keys from 0 on.
func Mask() {
	if right {
		row[j] = j <= past+i
	} else {
		row[j] = past <= j && j <= past+i
	}
}

// mask-open: nothing is hidden from new tokens
//
// Why: Of several new tokens the first must not see the others, which come after it.
//
// Hint: false where j > past+i; and Attention gets this mask where a row reads more than one token.
func Mask() {
	if right {
		row[j] = j <= past+i
	} else {
		row[j] = true
	}
}

// mask-open/never: new tokens get no mask at all
func (*Cache) place() {
	if right {
		if n > 1 {
			s.mask = Mask(p, n)
		}
	} else {
	}
}

// mask-anti-causal: queries and keys are exchanged in the mask: tokens see what comes after them
//
// Why: Row i is a query and column j a key; the key comes first. Queries are n, keys past+n.
//
// Hint: Attend[i·(past+n) + j] = (j <= past+i), with N = n and M = past+n.
func Mask() {
	if right {
		row[j] = j <= past+i
	} else {
		row[j] = j >= past+i
	}
}

// mask-anti-causal/turned: the mask is built for queries as keys and keys as queries
func Mask(past, n int) *attention.Mask {
	mask := &attention.Mask{N: past + n, M: n, Attend: make([]bool, n*(past+n))}
	for j := range past + n {
		for i := range n {
			mask.Attend[j*n+i] = j <= past+i
		}
	}
	return mask
}

// mask-without-past: the mask is as wide as the new tokens are many: there are no keys of the past in it
//
// Why: n queries meet past+n keys, which is a mask of n rows and past+n columns.
//
// Hint: M is past+n.
func Mask(past, n int) *attention.Mask { return attention.Causal(n) }

// mask-of-prompt-only: the mask is left out as soon as there is something in the cache
//
// Why: That is right for one new token, which may attend to everything. Of several, the first would
// see the last.
//
// Hint: Leave it out for a single token only.
func (*Cache) place() {
	if right {
		if n > 1 {
			s.mask = Mask(p, n)
		}
	} else {
		if p == 0 {
			s.mask = Mask(p, n)
		}
	}
}

// newest-left-out: a single token attends to what came before it, but not to itself
//
// Why: The newest token's own key and value are part of the sum: key p+n−1 is its own. Text hides it:
// the model still writes well.
//
// Hint: Append first, then attend to p+n keys.
func (*Cache) attend() {
	if right {
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
	} else {
		end := p + n
		if n == 1 && p > 0 {
			end = p
		}
		y := m.Attention.Forward(q, keys.Slice(0, end), values.Slice(0, end), s.mask)
	}
}
