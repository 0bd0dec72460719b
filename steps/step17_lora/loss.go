package lora

import "github.com/stubformer/stubformer/reference/tensor"

// AnswerLoss is the cross-entropy of step 07 of the tokens that count.
//
// The zero value is ready for use.
type AnswerLoss struct {
	// Yours: the logits that Forward was given and what counts, because Backward needs them,
	// and the tensor that Backward returns, to use it again.
}

// Forward returns the mean over all counted tokens of the batch, C of them, of
//
//	−log softmax(x)[target] = log Σⱼ e^(x[j] − m) − (x[target] − m),  m = maxⱼ x[j]
//
// where x is the token's row of logits. It is one mean for the whole batch: a long answer
// weighs more than a short one, as every token of both weighs the same. If nothing counts
// the loss is 0, and so is its gradient.
//
// logits is (B, T, V), targets and counted are (B, T). What is not counted is not looked
// at, neither its logits nor its target. Forward keeps logits for Backward: the caller
// leaves it unchanged until then. Targets and counted are copied.
//
// Forward returns an IndexError for a counted target outside the vocabulary, and a
// ShapeError if targets or counted do not have one entry for every token. After an error
// nothing has changed. It panics with a ShapeError if logits has not three dimensions.
func (l *AnswerLoss) Forward(logits *tensor.Tensor, targets [][]int, counted [][]bool) (float64, error) {
	panic(tensor.TODO("step17: AnswerLoss.Forward"))
}

// Backward returns the gradient of the loss with respect to the logits of the last
// Forward:
//
//	dlogits = (softmax(x) − onehot(target)) / C  where the token counts, else 0
//
// dlogits (B, T, V) is valid until the next Backward. It panics with a ShapeError if no
// Forward came before.
func (l *AnswerLoss) Backward() *tensor.Tensor {
	panic(tensor.TODO("step17: AnswerLoss.Backward"))
}
