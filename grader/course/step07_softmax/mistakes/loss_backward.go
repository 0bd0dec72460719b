//go:build mistake

package softmax

// gradient-not-averaged: the gradient of the loss is not divided by the number of tokens
//
// Why: The loss is a mean over B·T tokens, so each of them has a share of 1/(B·T) in it.
//
// Hint: dlogits = (softmax(x) − onehot(target))/(B·T).
func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		_ = kernel.Scale
	}
}

// gradient-per-sequence: the gradient of the loss is divided by the number of sequences instead of
// tokens
//
// Why: The loss is a mean over B·T tokens, so each of them has a share of 1/(B·T) in it.
//
// Hint: dlogits = (softmax(x) − onehot(target))/(B·T).
func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(1/float32(c.logits.Dim(0)), dx)
	}
}

// gradient-per-position: the gradient of the loss is divided by the length of a sequence instead
// of the number of tokens
//
// Why: The loss is a mean over B·T tokens, so each of them has a share of 1/(B·T) in it.
//
// Hint: dlogits = (softmax(x) − onehot(target))/(B·T).
func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(1/float32(c.logits.Dim(1)), dx)
	}
}

// gradient-per-logit: the gradient of the loss is divided by the number of logits, the vocabulary
// included
//
// Why: The loss is a mean over B·T tokens, so each of them has a share of 1/(B·T) in it.
//
// Hint: dlogits = (softmax(x) − onehot(target))/(B·T).
func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(1/float32(len(c.logits.Data)), dx)
	}
}

// gradient-without-target: the gradient of the loss is the softmax alone: the 1 at the target is
// not subtracted
//
// Why: Without the target nothing says what would have been right: all logits fall.
//
// Hint: dlogits = (softmax(x) − onehot(target))/(B·T).
func (*CrossEntropy) Backward() {
	if right {
		dx[target]--
	} else {
		_ = target
	}
}

// gradient-sign: the gradient of the loss has the opposite sign
//
// Why: Where the probability is too large the logit has to fall: a positive gradient.
//
// Hint: dlogits = (softmax(x) − onehot(target))/(B·T).
func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(-1/float32(len(c.targets)), dx)
	}
}

// gradient-at-target-only: only the target's logit has a gradient
//
// Why: Every logit is in the sum that the loss contains. Those of the other words must fall.
//
// Hint: dlogits = (softmax(x) − onehot(target))/(B·T).
func (*CrossEntropy) Backward() {
	if right {
		softmaxRow(dx, c.logits.Row(r))
	} else {
		p := make([]float32, len(dx))
		softmaxRow(p, c.logits.Row(r))
		clear(dx)
		dx[target] = p[target]
	}
}

// target-not-averaged: the 1 at the target is subtracted after the division by the number of
// tokens
//
// Why: Both terms of the loss are averaged.
//
// Hint: Subtract the 1 first, then divide.
func (*CrossEntropy) Backward() {
	if right {
		dx[target]--
	} else {
	}
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(1/float32(len(c.targets)), dx)
		dx[target]--
	}
}

// gradient-target-next: the 1 is subtracted one place behind the target
//
// Why: Targets are ids from 0, like the logits' indexes.
//
// Hint: dx[target] −= 1.
func (*CrossEntropy) Backward() {
	if right {
		dx[target]--
	} else {
		dx[(target+1)%len(dx)]--
	}
}

// gradient-target-next/panics: the 1 is subtracted one place behind the target, out of the row for
// the last token
func (*CrossEntropy) Backward() {
	if right {
		dx[target]--
	} else {
		dx[target+1]--
	}
}

// gradient-target-before: the 1 is subtracted one place before the target
//
// Why: Targets are ids from 0, like the logits' indexes.
//
// Hint: dx[target] −= 1.
func (*CrossEntropy) Backward() {
	if right {
		dx[target]--
	} else {
		dx[(target+len(dx)-1)%len(dx)]--
	}
}

// gradient-target-before/panics: the 1 is subtracted one place before the target, out of the row
// for the first token
func (*CrossEntropy) Backward() {
	if right {
		dx[target]--
	} else {
		dx[target-1]--
	}
}

// gradient-of-logits: the gradient of the loss uses the logits themselves instead of their softmax
//
// Why: Logits are any numbers; probabilities are what the derivative of log-sum-exp gives.
//
// Hint: dlogits = (softmax(x) − onehot(target))/(B·T).
func (*CrossEntropy) Backward() {
	if right {
		softmaxRow(dx, c.logits.Row(r))
	} else {
		copy(dx, c.logits.Row(r))
		_ = softmaxRow
	}
}

// gradient-through-softmax: the gradient of the loss goes through softmax's derivative once more
//
// Why: softmax − onehot is the gradient with respect to the logits already: the derivative of
// softmax is in it.
//
// Hint: dlogits = (softmax(x) − onehot(target))/(B·T).
func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(1/float32(len(c.targets)), dx)
		y := make([]float32, len(dx))
		softmaxRow(y, c.logits.Row(r))
		backwardRow(dx, y, dx)
	}
}

// gradient-added: the gradient of the loss is added to that of the call before
//
// Why: dlogits is a buffer that is used again and still holds the last result.
//
// Hint: Overwrite dlogits.
func (*CrossEntropy) Backward() {
	if right {
		dx := c.dlogits.Row(r)
	} else {
		dx := c.dlogits.Row(r)
		before := append([]float32(nil), dx...)
		defer kernel.Add(dx, dx, before)
	}
}

// gradient-last-token: only the last token of each sequence has a gradient
//
// Why: Every position predicts its next token, and every prediction is trained.
//
// Hint: Fill all B·T rows of dlogits.
func (*CrossEntropy) Backward() {
	if right {
		kernel.Scale(1/float32(len(c.targets)), dx)
	} else {
		kernel.Scale(1/float32(len(c.targets)), dx)
		if (r+1)%c.logits.Dim(1) != 0 {
			clear(dx)
		}
	}
}

// no-forward-unchecked: Backward does not look whether a Forward came before
//
// Why: A nil pointer is all that the layer then says. An error that names the layer and what it
// lacks is found in a minute.
//
// Hint: Begin Backward with tensor.CheckShape of what Forward kept.
func (*CrossEntropy) Backward() {
	if right {
		tensor.CheckShape("CrossEntropy.Backward: logits of the last Forward", c.logits, tensor.Any, tensor.Any, tensor.Any)
	} else {
	}
}
