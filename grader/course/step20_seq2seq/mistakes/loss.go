//go:build mistake

package seq2seq

import (
	"math"
)

// smoothing-over-others: ε is spread over the V − 1 other tokens, and the label has 1 − ε
//
// Why: That is another definition. In ours ε goes to all V, so the label has 1 − ε + ε/V.
//
// Hint: q = (1 − ε)·onehot + ε/V.
func (*Smoothing) row() {
	if right {
		return math.Log(sum) - (1-c.epsilon)*(float64(x[label])-m) - c.epsilon/float64(len(x))*shifted
	} else {
		own := float64(x[label]) - m
		return math.Log(sum) - (1-c.epsilon)*own - c.epsilon/float64(max(1, len(x)-1))*(shifted-own)
	}
}

// padding-counts: the loss counts what is Ignored, as if the label were Pad
//
// Why: The model would learn to write padding.
//
// Hint: Skip rows whose label is Ignored.
func (*Smoothing) Forward() {
	if right {
		if label == Ignored {
			continue
		}
	} else {
		label = max(label, Pad)
	}
}
