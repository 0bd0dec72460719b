package seq2seq

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Smoothing is the cross-entropy against labels of which a part Epsilon is spread evenly
// over the vocabulary: a model that is sure of everything is no longer the best one.
//
// Source: Szegedy et al., "Rethinking the Inception Architecture", 2016, section 7;
// Vaswani et al., "Attention Is All You Need", 2017, section 5.4, with Epsilon = 0.1.
type Smoothing struct {
	Epsilon float64

	logits  *tensor.Tensor // (B, T, V), the caller's
	labels  []int          // B·T
	counted int            // how many of the labels are not Ignored
	epsilon float64        // of the last Forward
	dlogits *tensor.Tensor // (B, T, V)
}

// Forward returns the mean, over the tokens whose label is not Ignored, of
//
//	−Σ_v q_v·ln softmax(x)_v,  q_v = (1 − ε)·[v = label] + ε/V
//
// where x is the token's row of logits, and 0 if no token counts. logits is (B, T, V) and
// labels (B, T). Forward keeps logits for Backward: the caller leaves it unchanged until
// then. Labels are copied.
//
// It returns an IndexError for a label that is neither Ignored nor in the vocabulary, and a
// ShapeError if there is not one label for every token. After an error nothing has changed.
// It panics with a ShapeError if logits has not three dimensions.
func (c *Smoothing) Forward(logits *tensor.Tensor, labels [][]int) (float64, error) {
	tensor.CheckShape("Smoothing.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkLabels(logits, labels); err != nil {
		return 0, err
	}
	c.logits, c.labels, c.counted, c.epsilon = logits, c.labels[:0], 0, c.Epsilon
	for _, row := range labels {
		c.labels = append(c.labels, row...)
	}
	var loss float64
	for r, label := range c.labels {
		if label == Ignored {
			continue
		}
		c.counted++
		loss += c.row(logits.Row(r), label)
	}
	return loss / float64(max(1, c.counted)), nil
}

// row returns −Σ q·ln p of one row x.
func (c *Smoothing) row(x []float32, label int) float64 {
	most := float64(kernel.Max(x))
	var sum float64
	for _, v := range x {
		sum += math.Exp(float64(v) - most)
	}
	var loss float64
	for v, logit := range x {
		loss -= c.share(v, label, len(x)) * (float64(logit) - most - math.Log(sum))
	}
	return loss
}

// share is q of token v.
func (c *Smoothing) share(v, label, vocab int) float64 {
	q := c.epsilon / float64(vocab)
	if v == label {
		q += 1 - c.epsilon
	}
	return q
}

// Backward returns the gradient of the loss with respect to the logits of the last Forward:
//
//	dlogits = (softmax(x) − q)/n    for the n tokens that count
//	dlogits = 0                     for the others
//
// dlogits (B, T, V) is valid until the next Backward. It panics with a ShapeError if no
// Forward came before.
func (c *Smoothing) Backward() *tensor.Tensor {
	tensor.CheckShape("Smoothing.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	c.dlogits.Zero()
	for r, label := range c.labels {
		if label == Ignored {
			continue
		}
		x, dx := c.logits.Row(r), c.dlogits.Row(r)
		most := float64(kernel.Max(x))
		var sum float64
		for _, v := range x {
			sum += math.Exp(float64(v) - most)
		}
		for v, logit := range x {
			p := math.Exp(float64(logit)-most) / sum
			dx[v] = float32((p - c.share(v, label, len(x))) / float64(c.counted))
		}
	}
	return c.dlogits
}

// checkLabels returns an error unless there is a label for every token.
func checkLabels(logits *tensor.Tensor, labels [][]int) error {
	batch, seq, vocab := logits.Dim(0), logits.Dim(1), logits.Dim(2)
	if len(labels) != batch {
		return tensor.ShapeError{Op: "Smoothing.Forward: rows of labels", Got: []int{len(labels)}, Want: []int{batch}}
	}
	for b, row := range labels {
		if len(row) != seq {
			return tensor.ShapeError{Op: fmt.Sprintf("Smoothing.Forward: labels[%d]", b), Got: []int{len(row)},
				Want: []int{seq}}
		}
		for t, label := range row {
			if label != Ignored && (label < 0 || label >= vocab) {
				return tensor.IndexError{Op: fmt.Sprintf("Smoothing.Forward: labels[%d][%d]", b, t), Got: label,
					Limit: vocab}
			}
		}
	}
	return nil
}
