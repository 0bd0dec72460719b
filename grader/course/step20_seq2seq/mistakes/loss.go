//go:build mistake

package seq2seq

import (
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
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

// no-smoothing: the loss is the cross-entropy, without ε
//
// Why: A part ε of the label is spread over all tokens.
//
// Hint: q = (1 − ε)·onehot + ε/V.
func (*Smoothing) row() {
	if right {
		return math.Log(sum) - (1-c.epsilon)*(float64(x[label])-m) - c.epsilon/float64(len(x))*shifted
	} else {
		return math.Log(sum) - (float64(x[label]) - m)
	}
}

// epsilon-for-label: the label has ε, and the others have the rest
//
// Why: ε is the small part, which is spread.
//
// Hint: (1 − ε) at the label.
func (*Smoothing) row() {
	if right {
		return math.Log(sum) - (1-c.epsilon)*(float64(x[label])-m) - c.epsilon/float64(len(x))*shifted
	} else {
		return math.Log(sum) - c.epsilon*(float64(x[label])-m) - (1-c.epsilon)/float64(len(x))*shifted
	}
}

// mean-over-all: the loss is divided by the number of all tokens, padding among them
//
// Why: A batch with more padding would have a smaller loss.
//
// Hint: Divide by the number of labels that count.
func (*Smoothing) Forward() {
	if right {
		return loss / float64(max(1, c.counted)), nil
	} else {
		return loss / float64(max(1, len(c.labels))), nil
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

// not-shifted: e^x without the row's maximum
//
// Why: Logits of a hundred overflow float32, those of a thousand float64.
//
// Hint: Subtract the row's maximum, everywhere.
func (*Smoothing) row() {
	if right {
		m := float64(kernel.Max(x))
	} else {
		m := 0.0
	}
}

// gradient-over-others: in the derivative ε is spread over the V − 1 other tokens
//
// Why: In ours ε goes to all V tokens, the label among them.
//
// Hint: softmax − q, with q = (1 − ε)·onehot + ε/V.
func (*Smoothing) Backward() {
	if right {
		spread := float32(c.epsilon / float64(c.logits.Dim(-1)))
	} else {
		spread := float32(c.epsilon / float64(max(1, c.logits.Dim(-1)-1)))
	}
}

func (*Smoothing) Backward() {
	if right {
		dx[label] -= float32(1 - c.epsilon)
	} else {
		dx[label] -= float32(1-c.epsilon) - spread
	}
}

// gradient-not-smoothed: the derivative is that of the cross-entropy, without ε
//
// Why: The gradient has to belong to the loss.
//
// Hint: softmax − q.
func (*Smoothing) Backward() {
	if right {
		kernel.AddConst(dx, -spread, dx)
	} else {
		_ = spread
	}
}

func (*Smoothing) Backward() {
	if right {
		dx[label] -= float32(1 - c.epsilon)
	} else {
		dx[label]--
	}
}

// gradient-over-all: the derivative is divided by the number of all tokens
//
// Why: The loss is a mean over the tokens that count.
//
// Hint: Divide by the number of labels that count.
func (*Smoothing) Backward() {
	if right {
		kernel.Scale(1/float32(c.counted), dx)
	} else {
		kernel.Scale(1/float32(len(c.labels)), dx)
	}
}

// gradient-on-padding: where nothing counts there is a gradient
//
// Why: What is Ignored is in no term of the loss.
//
// Hint: The whole row is 0.
func (*Smoothing) Backward() {
	if right {
		clear(dx)
	} else {
		kernel.AddConst(dx, -spread, dx)
		kernel.Scale(1/float32(max(1, c.counted)), dx)
	}
}
