//go:build mistake

package lora

import (
	"fmt"
	"math"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// mean-over-all: the loss is divided by all tokens, and not by those that count
//
// Why: Batches with long prompts would count for less.
//
// Hint: Divide by the number of tokens that count.
func (*AnswerLoss) Forward() {
	if right {
		return loss / float64(max(1, len(rows))), nil
	} else {
		return loss / float64(logits.Rows()), nil
	}
}

func (*AnswerLoss) Backward() {
	if right {
		count := float64(len(l.rows))
	} else {
		count := float64(l.logits.Rows())
	}
}

// mean-over-all/loss: the loss alone is divided by all tokens
func (*AnswerLoss) Forward() {
	if right {
		return loss / float64(max(1, len(rows))), nil
	} else {
		return loss / float64(logits.Rows()), nil
	}
}

// mean-over-all/gradient: the gradient alone is divided by all tokens
func (*AnswerLoss) Backward() {
	if right {
		count := float64(len(l.rows))
	} else {
		count := float64(l.logits.Rows())
	}
}

// sum-for-mean: the loss is the sum over the tokens that count
//
// Why: A batch with longer answers would take a longer step.
//
// Hint: Divide by their number.
func (*AnswerLoss) Forward() {
	if right {
		return loss / float64(max(1, len(rows))), nil
	} else {
		return loss, nil
	}
}

func (*AnswerLoss) Backward() {
	if right {
		count := float64(len(l.rows))
	} else {
		count := 1.0
	}
}

// sum-for-mean/loss: the loss alone is a sum and no mean
func (*AnswerLoss) Forward() {
	if right {
		return loss / float64(max(1, len(rows))), nil
	} else {
		return loss, nil
	}
}

// sum-for-mean/gradient: the gradient alone is that of a sum
func (*AnswerLoss) Backward() {
	if right {
		count := float64(len(l.rows))
	} else {
		count := 1.0
	}
}

// mean-of-means: the loss is the mean over the rows of their means
//
// Why: A token of a short answer would weigh more than one of a long answer. Split otherwise into batches, the same texts would have another loss.
//
// Hint: One sum and one division for the whole batch.
func (*AnswerLoss) Forward() {
	if right {
		for i, row := range rows {
			x := logits.Row(row)
			shift, sum := shiftedSum(x)
			loss += math.Log(sum) - float64(x[chosen[i]]-shift)
		}
		return loss / float64(max(1, len(rows))), nil
	} else {
		own, with := make([]float64, logits.Dim(0)), 0
		count := make([]int, logits.Dim(0))
		for i, row := range rows {
			x := logits.Row(row)
			shift, sum := shiftedSum(x)
			own[row/logits.Dim(1)] += math.Log(sum) - float64(x[chosen[i]]-shift)
			count[row/logits.Dim(1)]++
		}
		for b, n := range count {
			if n > 0 {
				with++
				loss += own[b] / float64(n)
			}
		}
		return loss / float64(max(1, with)), nil
	}
}

func (*AnswerLoss) Backward() {
	if right {
		dx[l.targets[i]] -= float32(1 / count)
	} else {
		dx[l.targets[i]] -= float32(1 / count)
		seq := l.logits.Dim(1)
		own, texts := 0, map[int]bool{}
		for _, other := range l.rows {
			texts[other/seq] = true
			if other/seq == row/seq {
				own++
			}
		}
		kernel.Scale(float32(count/float64(own*len(texts))), dx)
	}
}

// all-counted: what does not count counts all the same
//
// Why: The loss is that of the answers.
//
// Hint: Pass over positions whose Counted is false.
func countedOf() {
	if right {
		if !counted[b][t] {
			continue
		}
	} else {
		if !counted[b][t] && target == -100 {
			continue
		}
	}
}

// selection-inverted: the loss is that of what does not count
//
// Why: Counted is true where the loss looks.
//
// Hint: Pass over positions whose Counted is false.
func countedOf() {
	if right {
		if !counted[b][t] {
			continue
		}
	} else {
		if counted[b][t] {
			continue
		}
	}
}

// rows-of-first-text: the rows of logits are counted from 0 in every text
//
// Why: Row b·T + t of logits belongs to targets[b][t].
//
// Hint: b·T + t.
func countedOf() {
	if right {
		rows, chosen = append(rows, b*seq+t), append(chosen, target)
	} else {
		rows, chosen = append(rows, t), append(chosen, target)
	}
}

// maximum-forgotten: the exponentials are taken without the maximum
//
// Why: e^x of a logit above 88 is infinite in float32.
//
// Hint: Subtract the row's maximum first.
func shiftedSum(x []float32) (shift float32, sum float64) {
	for _, v := range x {
		sum += float64(float32(math.Exp(float64(v))))
	}
	return 0, sum
}

// onehot-missing: the gradient lacks the target
//
// Why: dlogits = (softmax − onehot)/C.
//
// Hint: Subtract 1/C at the target.
func (*AnswerLoss) Backward() {
	if right {
		dx[l.targets[i]] -= float32(1 / count)
	} else {
		dx[l.targets[i]] -= 0
	}
}

// onehot-added: the target is added in the gradient and not subtracted
//
// Why: −log p falls as the target's logit rises.
//
// Hint: Subtract 1/C at the target.
func (*AnswerLoss) Backward() {
	if right {
		dx[l.targets[i]] -= float32(1 / count)
	} else {
		dx[l.targets[i]] += float32(1 / count)
	}
}

// onehot-not-divided: the target is not divided by the number of tokens
//
// Why: Both terms of the gradient belong to the mean.
//
// Hint: Subtract 1/C and not 1.
func (*AnswerLoss) Backward() {
	if right {
		dx[l.targets[i]] -= float32(1 / count)
	} else {
		dx[l.targets[i]]--
	}
}

// gradient-not-cleared: where nothing counts the gradient of the call before stays
//
// Why: dlogits is used again, and holds the last result.
//
// Hint: Begin with zeros.
func (*AnswerLoss) Backward() {
	if right {
		l.dlogits.Zero()
	} else {
	}
}

// nothing-counted-nan: a batch in which nothing counts has the loss NaN
//
// Why: 0/0: one such batch and all parameters are NaN.
//
// Hint: Divide by at least 1.
func (*AnswerLoss) Forward() {
	if right {
		return loss / float64(max(1, len(rows))), nil
	} else {
		return loss / float64(len(rows)), nil
	}
}

// bits-for-nats: the loss is in bits
//
// Why: The course counts in nats: the natural logarithm.
//
// Hint: math.Log, and not Log2.
func (*AnswerLoss) Forward() {
	if right {
		return loss / float64(max(1, len(rows))), nil
	} else {
		return loss / float64(max(1, len(rows))) / math.Ln2, nil
	}
}

// uncounted-targets-refused: targets that do not count are looked at
//
// Why: They may be anything: many programs write −100 there.
//
// Hint: Pass over them before you look at the target.
func countedOf() {
	if right {
		if !counted[b][t] {
			continue
		}
		if target < 0 || target >= vocab {
			return nil, nil, tensor.IndexError{Op: fmt.Sprintf("AnswerLoss.Forward: targets[%d][%d]", b, t),
				Got: target, Limit: vocab}
		}
	} else {
		if target < 0 || target >= vocab {
			return nil, nil, tensor.IndexError{Op: fmt.Sprintf("AnswerLoss.Forward: targets[%d][%d]", b, t),
				Got: target, Limit: vocab}
		}
		if !counted[b][t] {
			continue
		}
	}
}

// nan-multiplied: what does not count is multiplied by 0
//
// Why: 0 times NaN is NaN, and 0 times ∞ as well.
//
// Hint: Pass over the rows that do not count, and write nothing to theirs.
func (*AnswerLoss) Backward() {
	if right {
		return l.dlogits
	} else {
		counts := make([]bool, l.logits.Rows())
		for _, row := range l.rows {
			counts[row] = true
		}
		for row := range l.logits.Rows() {
			if !counts[row] {
				for j, v := range l.logits.Row(row) {
					l.dlogits.Row(row)[j] = 0 * v
				}
			}
		}
		return l.dlogits
	}
}
