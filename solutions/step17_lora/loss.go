package lora

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/tensor"
)

// AnswerLoss is the cross-entropy of step 07 of the tokens that count.
//
// The zero value is ready for use.
type AnswerLoss struct {
	logits  *tensor.Tensor // (B, T, V), the caller's
	rows    []int          // of logits, those that count
	targets []int          // one for each of rows
	dlogits *tensor.Tensor // (B, T, V)
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
	tensor.CheckShape("AnswerLoss.Forward: logits", logits, tensor.Any, tensor.Any, tensor.Any)
	rows, chosen, err := countedOf(logits, targets, counted)
	if err != nil {
		return 0, err
	}
	l.logits, l.rows, l.targets = logits, rows, chosen
	var loss float64
	for i, row := range rows {
		x := logits.Row(row)
		shift, sum := shiftedSum(x)
		loss += math.Log(sum) - float64(x[chosen[i]]-shift)
	}
	return loss / float64(max(1, len(rows))), nil
}

// Backward returns the gradient of the loss with respect to the logits of the last
// Forward:
//
//	dlogits = (softmax(x) − onehot(target)) / C  where the token counts, else 0
//
// dlogits (B, T, V) is valid until the next Backward. It panics with a ShapeError if no
// Forward came before.
func (l *AnswerLoss) Backward() *tensor.Tensor {
	// Of a row x that counts, with its target t, the loss is (log Σⱼ e^x[j] − x[t])/C.
	// (6) ∂ log Σⱼ e^x[j] / ∂x[i] = softmax(x)[i]
	// (7) ∂x[t]/∂x[i] is 1 at i = t:    dx = (softmax(x) − onehot(t))/C
	tensor.CheckShape("AnswerLoss.Backward: logits of Forward", l.logits, tensor.Any, tensor.Any, tensor.Any)
	l.dlogits = tensor.Reuse(l.dlogits, l.logits.Shape...)
	l.dlogits.Zero()
	count := float64(len(l.rows))
	for i, row := range l.rows {
		x, dx := l.logits.Row(row), l.dlogits.Row(row)
		shift, sum := shiftedSum(x)
		for j := range dx {
			p := math.Exp(float64(x[j]-shift)) / sum // (6)
			dx[j] = float32(p / count)               // (7)
		}
		dx[l.targets[i]] -= float32(1 / count) // (7)
	}
	return l.dlogits
}

// shiftedSum returns the maximum m of x and Σ e^(x − m).
func shiftedSum(x []float32) (shift float32, sum float64) {
	shift = x[0]
	for _, v := range x {
		shift = max(shift, v)
	}
	for _, v := range x {
		sum += math.Exp(float64(v - shift))
	}
	return shift, sum
}

// countedOf returns the rows of logits that count, and their targets.
func countedOf(logits *tensor.Tensor, targets [][]int, counted [][]bool) (rows, chosen []int, err error) {
	batch, seq, vocab := logits.Dim(0), logits.Dim(1), logits.Dim(2)
	if len(targets) != batch || len(counted) != batch {
		return nil, nil, tensor.ShapeError{Op: "AnswerLoss.Forward: rows of targets and of counted",
			Got: []int{len(targets), len(counted)}, Want: []int{batch, batch}}
	}
	for b, row := range targets {
		if len(row) != seq || len(counted[b]) != seq {
			return nil, nil, tensor.ShapeError{Op: fmt.Sprintf("AnswerLoss.Forward: targets[%d] and counted[%d]", b, b),
				Got: []int{len(row), len(counted[b])}, Want: []int{seq, seq}}
		}
		for t, target := range row {
			if !counted[b][t] {
				continue
			}
			if target < 0 || target >= vocab {
				return nil, nil, tensor.IndexError{Op: fmt.Sprintf("AnswerLoss.Forward: targets[%d][%d]", b, t),
					Got: target, Limit: vocab}
			}
			rows, chosen = append(rows, b*seq+t), append(chosen, target)
		}
	}
	return rows, chosen, nil
}
