package softmax

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// CrossEntropy is the loss of a language model: how surprised it is, in nats
// and averaged over all tokens, by the tokens that really came.
//
// The zero value is ready for use.
type CrossEntropy struct {
	logits  *tensor.Tensor // (B, T, V), the caller's
	targets []int          // B·T, one for every row of logits
	scratch *tensor.Tensor // (V)
	dlogits *tensor.Tensor // (B, T, V)
}

// Forward returns the mean over all B·T tokens of
//
//	−log softmax(x)[target] = log Σⱼ e^(x[j] − m) − (x[target] − m),  m = maxⱼ x[j]
//
// where x is the token's row of logits. It never takes the logarithm of a
// softmax: a probability that underflows to 0 would give an infinite loss.
//
// logits is (B, T, V) and targets (B, T). Forward keeps logits for Backward:
// the caller leaves it unchanged until then. Targets are copied.
//
// Forward returns an IndexError for a target outside the vocabulary, and a
// ShapeError if targets does not hold one target for every token or if there
// are no tokens, for which there is no mean. After an error nothing has
// changed. It panics with a ShapeError if logits has not three dimensions.
func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	tensor.CheckShape("CrossEntropy.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	if err := checkTargets(logits, targets); err != nil {
		return 0, err
	}
	c.logits, c.targets = logits, c.targets[:0]
	for _, row := range targets {
		c.targets = append(c.targets, row...)
	}

	c.scratch = tensor.Reuse(c.scratch, logits.Dim(-1))
	var loss float64
	for r, target := range c.targets {
		x := logits.Row(r)
		shift, sum := expShifted(c.scratch.Data, x)
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	}
	return loss / float64(len(c.targets)), nil
}

// Backward returns the gradient of the loss with respect to the logits of the
// last Forward:
//
//	dlogits = (softmax(x) − onehot(target)) / (B·T)
//
// dlogits (B, T, V) is valid until the next Backward. It panics with a
// ShapeError if no Forward came before.
func (c *CrossEntropy) Backward() *tensor.Tensor {
	// Of one row x of logits, with its target t, the loss is logsumexp(x) − x[t].
	// (1) ∂ logsumexp(x)/∂x[i] = e^x[i]/Σⱼ e^x[j] = softmax(x)[i]
	// (2) ∂x[t]/∂x[i] = 1 if i = t, else 0: onehot(t)
	// (3) The loss is the mean over the B·T rows: dlogits = (softmax(x) − onehot(t)) / (B·T)
	tensor.CheckShape("CrossEntropy.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	c.dlogits = tensor.Reuse(c.dlogits, c.logits.Shape...)
	for r, target := range c.targets {
		dx := c.dlogits.Row(r)
		softmaxRow(dx, c.logits.Row(r))             // (1)
		dx[target]--                                // (2)
		kernel.Scale(1/float32(len(c.targets)), dx) // (3)
	}
	return c.dlogits
}

// checkTargets returns an error unless there is a valid target for every token.
func checkTargets(logits *tensor.Tensor, targets [][]int) error {
	batch, seq, vocab := logits.Dim(0), logits.Dim(1), logits.Dim(2)
	if batch*seq == 0 {
		return tensor.ShapeError{Op: "CrossEntropy.Forward: no tokens in logits", Got: []int{batch, seq, vocab}}
	}
	if len(targets) != batch {
		return tensor.ShapeError{Op: "CrossEntropy.Forward: rows of targets", Got: []int{len(targets)},
			Want: []int{batch}}
	}
	for b, row := range targets {
		if len(row) != seq {
			return tensor.ShapeError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d]", b), Got: []int{len(row)},
				Want: []int{seq}}
		}
		for t, target := range row {
			if target < 0 || target >= vocab {
				return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target,
					Limit: vocab}
			}
		}
	}
	return nil
}
