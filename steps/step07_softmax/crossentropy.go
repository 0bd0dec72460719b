package softmax

import (
	"github.com/stubformer/stubformer/reference/tensor"
)

// CrossEntropy is the loss of a language model: how surprised it is, in nats
// and averaged over all tokens, by the tokens that really came.
//
// The zero value is ready for use: var loss softmax.CrossEntropy.
type CrossEntropy struct {
	// Yours: the logits that Forward was given and the targets, because Backward
	// needs them, and the tensor that Backward returns, to use it again.
}

// Forward returns the mean over all B·T tokens of
//
//	−log softmax(x)[target] = log Σⱼ e^(x[j] − m) − (x[target] − m),  m = maxⱼ x[j]
//
// where x is the token's row of logits: logits.Row(b*T + t) for the target
// targets[b][t]. It never takes the logarithm of a softmax: a probability that
// underflows to 0 would give an infinite loss. Add up the tokens in float64. Both
// logits are taken relative to m before anything is added: two that are equal give
// ln 2, even where they are 1e30.
//
// logits is (B, T, V) and targets (B, T). Forward keeps logits for Backward:
// the caller leaves it unchanged until then. Targets are copied.
//
// Forward returns (not panics) an error if the data is wrong, and then nothing
// has changed, so that a Backward still belongs to the last good Forward:
//
//	tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: V}
//	    a target outside 0 ≤ target < V
//	tensor.ShapeError{Op: "CrossEntropy.Forward: rows of targets", Got: []int{len(targets)}, Want: []int{B}}
//	    another number of rows than B; likewise a row that is not T long
//	tensor.ShapeError{Op: "CrossEntropy.Forward: no tokens in logits", Got: logits.Shape}
//	    B·T is 0: there is no mean of nothing
//
// It panics with a ShapeError if logits has not three dimensions.
func (c *CrossEntropy) Forward(logits *tensor.Tensor, targets [][]int) (float64, error) {
	panic(tensor.TODO("step07: CrossEntropy.Forward"))
}

// Backward returns the gradient of the loss with respect to the logits of the
// last Forward:
//
//	dlogits[b, t, i] = (softmax(x)[i] − onehot[i]) / (B·T),  onehot[i] = 1 if i = target, else 0
//
// dlogits (B, T, V) is valid until the next Backward. It panics with a
// ShapeError if no Forward came before.
func (c *CrossEntropy) Backward() *tensor.Tensor {
	panic(tensor.TODO("step07: CrossEntropy.Backward"))
}
