//go:build mistake

package flash

import "math"

// lse-base-2: L is made with the logarithm to base 2
//
// Why: Programs for processors that have 2^x work with log₂ throughout. e^(S − L) wants the natural one.
//
// Hint: math.Log, not math.Log2.
func (*Attention) attend() {
	if right {
		logs[r] = m[r] + float32(math.Log(float64(l[r])))
	} else {
		logs[r] = m[r] + float32(math.Log2(float64(l[r])))
	}
}

// lse-sum-itself: L is m + l, without the logarithm
//
// Why: l·e^m is the sum of e^S, so its logarithm is m + ln l.
//
// Hint: L = m + ln l.
func (*Attention) attend() {
	if right {
		logs[r] = m[r] + float32(math.Log(float64(l[r])))
	} else {
		logs[r] = m[r] + l[r]
	}
}

// lse-maximum-alone: the maximum alone is kept, without ln l
//
// Why: e^(S − m) are weights that do not sum to 1.
//
// Hint: L = m + ln l.
func (*Attention) attend() {
	if right {
		logs[r] = m[r] + float32(math.Log(float64(l[r])))
	} else {
		logs[r] = m[r]
	}
}

// lse-sum-alone: ln l alone is kept, without the maximum
//
// Why: l is relative to m.
//
// Hint: L = m + ln l.
func (*Attention) attend() {
	if right {
		logs[r] = m[r] + float32(math.Log(float64(l[r])))
	} else {
		logs[r] = float32(math.Log(float64(l[r])))
	}
}

// lse-minus: L is m − ln l
//
// Why: ln(l·e^m) = ln l + m.
//
// Hint: A plus.
func (*Attention) attend() {
	if right {
		logs[r] = m[r] + float32(math.Log(float64(l[r])))
	} else {
		logs[r] = m[r] - float32(math.Log(float64(l[r])))
	}
}

// lse-of-a-row-without-keys: L of a row that may attend nowhere is 0
//
// Why: The sum over no keys is 0, and ln 0 is −∞.
//
// Hint: m is −Inf there, and ln 0 is −Inf; let both stand.
func (*Attention) attend() {
	if right {
		logs[r] = m[r] + float32(math.Log(float64(l[r])))
	} else {
		if l[r] != 0 {
			logs[r] = m[r] + float32(math.Log(float64(l[r])))
		} else {
			logs[r] = 0
		}
	}
}

// lse-of-a-row-without-keys/plus: L of a row that may attend nowhere is +Inf
func (*Attention) attend() {
	if right {
		logs[r] = m[r] + float32(math.Log(float64(l[r])))
	} else {
		if l[r] != 0 {
			logs[r] = m[r] + float32(math.Log(float64(l[r])))
		} else {
			logs[r] = float32(math.Inf(1))
		}
	}
}

// lse-of-another-row: L lies where the tile's rows lie, not the text's: every tile overwrites the first ones
//
// Why: Query r of a tile that begins at first is query first + r.
//
// Hint: L is indexed by the query of the text, in Forward and in Backward.
func (*Attention) attend() {
	if right {
		logs := a.logs.Data[i*a.q.Dim(-2)+first:][:queries]
	} else {
		logs := a.logs.Data[i*a.q.Dim(-2):][:queries]
	}
}
