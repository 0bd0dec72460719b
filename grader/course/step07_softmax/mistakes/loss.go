//go:build mistake

package softmax

// loss-summed: the loss is summed over the tokens instead of averaged
//
// Why: The mean over all tokens does not depend on how they are arranged in sequences, so losses
// of different batches can be compared.
//
// Hint: Divide by the number of targets, B·T.
func (*CrossEntropy) Forward() {
	if right {
		return loss / float64(len(c.targets)), nil
	} else {
		return loss, nil
	}
}

// loss-per-sequence: the loss is divided by the number of sequences instead of tokens
//
// Why: The mean over all tokens does not depend on how they are arranged in sequences, so losses
// of different batches can be compared.
//
// Hint: Divide by the number of targets, B·T.
func (*CrossEntropy) Forward() {
	if right {
		return loss / float64(len(c.targets)), nil
	} else {
		return loss / float64(logits.Dim(0)), nil
	}
}

// loss-per-position: the loss is divided by the length of a sequence instead of the number of
// tokens
//
// Why: The mean over all tokens does not depend on how they are arranged in sequences, so losses
// of different batches can be compared.
//
// Hint: Divide by the number of targets, B·T.
func (*CrossEntropy) Forward() {
	if right {
		return loss / float64(len(c.targets)), nil
	} else {
		return loss / float64(logits.Dim(1)), nil
	}
}

// loss-per-logit: the loss is divided by the number of logits, the vocabulary included
//
// Why: Each token has one loss, however many words it could have been.
//
// Hint: Divide by the number of targets, B·T.
func (*CrossEntropy) Forward() {
	if right {
		return loss / float64(len(c.targets)), nil
	} else {
		return loss / float64(len(logits.Data)), nil
	}
}

// loss-base-2: the loss is in bits: the logarithm is to base 2
//
// Why: Nats and bits differ by the factor ln 2, and so would the gradient.
//
// Hint: math.Log, not math.Log2.
func (*CrossEntropy) Forward() {
	if right {
		return loss / float64(len(c.targets)), nil
	} else {
		return loss / float64(len(c.targets)) / math.Ln2, nil
	}
}

// loss-sign: the loss has the opposite sign
//
// Why: A probability below 1 has a negative logarithm. A loss is its opposite, and falls as the
// model gets better.
//
// Hint: loss = log Σ e^(x − m) − (x[target] − m), the mean over all tokens.
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		loss += float64(x[target]-shift) - math.Log(float64(sum))
	}
}

// log-of-softmax: the loss is the logarithm of a softmax, which is infinite where the probability
// underflows to 0
//
// Why: float32 has no number between 0 and 1e-45. A model that is very wrong would have an
// infinite loss and no gradient.
//
// Hint: Do not take the logarithm of a probability: loss = log Σ e^(x − m) − (x[target] − m), the
// mean over all tokens.
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		p := float32(math.Exp(float64(x[target]-shift))) / sum
		loss -= math.Log(float64(p))
	}
}

// log-of-softmax/float64
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		loss -= math.Log(math.Exp(float64(x[target]-shift)) / float64(sum))
	}
}

// log-of-softmax-eps: the loss is the logarithm of a softmax with a small number added to it
//
// Why: The small number prevents the infinity and caps the loss at 21: a model that is more wrong
// than that no longer learns it.
//
// Hint: Do not take the logarithm of a probability: loss = log Σ e^(x − m) − (x[target] − m), the
// mean over all tokens.
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		p := float32(math.Exp(float64(x[target]-shift))) / sum
		loss -= math.Log(float64(p) + 1e-9)
	}
}

// log-of-softmax-eps/1e-8: the loss is the logarithm of a softmax plus 1e-8
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		p := float32(math.Exp(float64(x[target]-shift))) / sum
		loss -= math.Log(float64(p) + 1e-8)
	}
}

// log-of-softmax-eps/1e-10: the loss is the logarithm of a softmax plus 1e-10
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		p := float32(math.Exp(float64(x[target]-shift))) / sum
		loss -= math.Log(float64(p) + 1e-10)
	}
}

// log-of-softmax-eps/1e-12: the loss is the logarithm of a softmax plus 1e-12
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		p := float32(math.Exp(float64(x[target]-shift))) / sum
		loss -= math.Log(float64(p) + 1e-12)
	}
}

// loss-without-log: the loss is one minus the target's probability: there is no logarithm
//
// Why: Without a logarithm a model that is certain and wrong pays little more than one that is
// undecided.
//
// Hint: loss = log Σ e^(x − m) − (x[target] − m), the mean over all tokens.
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		p := float32(math.Exp(float64(x[target]-shift))) / sum
		loss += 1 - float64(p)
	}
}

// loss-maximum-not-added: log-sum-exp is taken with the shift, the target's logit without
//
// Why: The row's maximum cancels only if it is subtracted on both sides, or added again to the
// logarithm.
//
// Hint: loss = log Σ e^(x − m) − (x[target] − m), the mean over all tokens.
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		loss += math.Log(float64(sum)) - float64(x[target])
		_ = shift
	}
}

// loss-no-shift: the loss does not subtract the row's maximum before the exponential
//
// Why: e^89 is already infinite in float32, and logits grow in training.
//
// Hint: loss = log Σ e^(x − m) − (x[target] − m), the mean over all tokens.
func (*CrossEntropy) Forward() {
	if right {
		shift, sum := expShifted(c.scratch.Data, x)
	} else {
		shift, sum := float32(0), float32(0)
		for _, v := range x {
			sum += float32(math.Exp(float64(v)))
		}
	}
}

// loss-no-shift/float64
func (*CrossEntropy) Forward() {
	if right {
		shift, sum := expShifted(c.scratch.Data, x)
	} else {
		shift, sum := float32(0), 0.0
		for _, v := range x {
			sum += math.Exp(float64(v))
		}
	}
}

// loss-one-shift-for-all: the loss subtracts the maximum of all logits from every row
//
// Why: A row that lies far below the largest one underflows, and log 0 is −Inf.
//
// Hint: Each token's row of logits has a maximum of its own.
func (*CrossEntropy) Forward() {
	if right {
		shift, sum := expShifted(c.scratch.Data, x)
	} else {
		shift, sum := kernel.Max(logits.Data), float32(0)
		for _, v := range x {
			sum += float32(math.Exp(float64(v - shift)))
		}
	}
}

// softmax-twice: the logits go through a softmax before the loss, which contains one already
//
// Why: Probabilities lie between 0 and 1, so a second softmax makes nearly all of them equal.
//
// Hint: The loss takes the logits as they come from the model.
func (*CrossEntropy) Forward() {
	if right {
		x := logits.Row(r)
	} else {
		x := logits.Row(r)
		p := make([]float32, len(x))
		softmaxRow(p, x)
		x = p
	}
}

// target-next-row: the target's logit is taken one place too far
//
// Why: Targets are ids from 0, like the logits' indexes.
//
// Hint: x[target].
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		loss += math.Log(float64(sum)) - float64(x[target+1]-shift)
	}
}

// target-next-row/wraps: the target's logit is taken one place too far, and after the last the
// first
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		loss += math.Log(float64(sum)) - float64(x[(target+1)%len(x)]-shift)
	}
}

// target-row-before: the target's logit is taken one place too early
//
// Why: Targets are ids from 0, like the logits' indexes.
//
// Hint: x[target].
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		loss += math.Log(float64(sum)) - float64(x[target-1]-shift)
	}
}

// target-row-before/wraps: the target's logit is taken one place too early, and before the first
// the last
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		loss += math.Log(float64(sum)) - float64(x[(target+len(x)-1)%len(x)]-shift)
	}
}

// targets-time-major: the targets are read column by column
//
// Why: Position (b, t) is row b·T + t of the logits.
//
// Hint: Walk over the sequences first, over their positions inside.
func (*CrossEntropy) Forward() {
	if right {
		shift, sum := expShifted(c.scratch.Data, x)
	} else {
		shift, sum := expShifted(c.scratch.Data, x)
		target = targets[r%len(targets)][r/len(targets)]
	}
}

// last-token-loss: only the last token of each sequence counts
//
// Why: Every position predicts its next token, and every prediction is trained.
//
// Hint: Sum over all B·T tokens.
func (*CrossEntropy) Forward() {
	if right {
		loss += math.Log(float64(sum)) - float64(x[target]-shift)
	} else {
		if (r+1)%logits.Dim(1) == 0 {
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
		}
	}
}

// last-token-loss/its-own-mean: the loss is the mean over the last token of each sequence
func (*CrossEntropy) Forward() {
	if right {
		for r, target := range c.targets {
			x := logits.Row(r)
			shift, sum := expShifted(c.scratch.Data, x)
			loss += math.Log(float64(sum)) - float64(x[target]-shift)
		}
		return loss / float64(len(c.targets)), nil
	} else {
		for r, target := range c.targets {
			x := logits.Row(r)
			shift, sum := expShifted(c.scratch.Data, x)
			if (r+1)%logits.Dim(1) == 0 {
				loss += math.Log(float64(sum)) - float64(x[target]-shift)
			}
		}
		return loss / float64(logits.Dim(0)), nil
	}
}

// bad-target-let-through: a target that is equal to the vocabulary's size is let through
//
// Why: V ids begin at 0, so the largest is V − 1.
//
// Hint: Refuse a target if target < 0 or target >= V.
func checkTargets() {
	if right {
		if target < 0 || target >= vocab {
			return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
		}
	} else {
		if target < 0 || target > vocab {
			return tensor.IndexError{Op: fmt.Sprintf("CrossEntropy.Forward: targets[%d][%d]", b, t), Got: target, Limit: vocab}
		}
	}
}

// targets-kept: the targets of the call before are still in the list
//
// Why: What Forward keeps for Backward belongs to the last call alone.
//
// Hint: Begin Forward with an empty list.
func (*CrossEntropy) Forward() {
	if right {
		c.logits, c.targets = logits, c.targets[:0]
	} else {
		c.logits = logits
	}
}
