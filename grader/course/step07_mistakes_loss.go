package course

const lossFile = "crossentropy.go"

// logSumExpMistakes are about log-sum-exp.
func logSumExpMistakes() []Mistake {
	const (
		start = "		shift, sum := expShifted(row, row)\n"
		add   = "shift += float32(math.Log(float64(sum)))"
		shape = "y := tensor.New(slices.Delete(slices.Clone(x.Shape), axis, axis+1)...)"
		plain = "		shift, sum := float32(0), 0.0\n		for _, v := range row {\n			sum += math.Exp(float64(v))\n		}\n"
		limit = "		if !math.IsInf(float64(shift), 1) { // a +Inf is the sum already, and Inf − Inf is NaN\n"
	)
	instead := func(id, title, old, new, why, hint string, variants ...Variant) Mistake {
		return Mistake{ID: id, Title: title, File: softmaxFile, Old: old, New: new, Why: why, Hint: hint, Variants: variants}
	}
	const formula = "log Σ e^x = m + log Σ e^(x − m), with m the row's maximum."
	return []Mistake{
		instead("lse-no-shift", "log-sum-exp does not subtract the row's maximum before the exponential", start, plain,
			"e^89 is infinite in float32, e^710 in float64; far below 0 every exponential is 0, and log 0 is −Inf.", formula,
			Variant{"float32", []Edit{{start, "		shift, sum := float32(0), float32(0)\n		for _, v := range row {\n			sum += float32(math.Exp(float64(v)))\n		}\n"}}}),
		instead("lse-one-shift-for-all", "log-sum-exp subtracts the maximum of the whole tensor from every row", start,
			"		top, sum := x.Data[0], float32(0)\n		for _, v := range x.Data {\n			if v > top {\n				top = v\n			}\n		}\n		for _, v := range row {\n			sum += float32(math.Exp(float64(v - top)))\n		}\n		shift := top\n",
			"A row that lies far below the largest one underflows, and log 0 is −Inf.", "Each row along the axis has a maximum of its own."),
		instead("lse-maximum-not-added", "log-sum-exp subtracts the maximum and does not add it again", add, "shift = float32(math.Log(float64(sum)))",
			"Taken out of the sum as a factor e^m, the maximum comes out of the logarithm as m.", formula),
		instead("lse-maximum-subtracted", "log-sum-exp subtracts the maximum once more at the end instead of adding it", add, "shift = float32(math.Log(float64(sum))) - shift",
			"Taken out of the sum as a factor e^m, the maximum comes out of the logarithm as +m.", formula),
		instead("lse-base-2", "log-sum-exp takes the logarithm to base 2", add, "shift += float32(math.Log2(float64(sum)))",
			"Nats and bits differ by the factor ln 2.", "math.Log is the natural logarithm."),
		instead("lse-without-log", "log-sum-exp does not take the logarithm", add, "shift += sum",
			"The sum of e^(x − m) lies between 1 and N; its logarithm is what is added to the maximum.", formula),
		instead("lse-mean", "log-sum-exp divides the sum by the length of the row", add, "shift += float32(math.Log(float64(sum) / float64(n)))",
			"That is the logarithm of the mean.", formula),
		instead("lse-maximum-only", "log-sum-exp returns the row's maximum", add, "_ = sum",
			"The maximum is a good first guess of log-sum-exp, and smaller than it by up to log N.", formula),
		instead("lse-keeps-axis", "log-sum-exp keeps the axis, with length 1", shape, "y := tensor.New(append(append(slices.Clone(x.Shape[:axis]), 1), x.Shape[axis+1:]...)...)",
			"PyTorch has an argument keepdim for this, which is off unless it is asked for.", "The result has x's shape without the axis."),
		instead("lse-axis-ignored", "log-sum-exp always runs along the last axis", "axisOf(\"LogSumExp\", x, axis)", "axisOf(\"LogSumExp\", x, -1)",
			"A function with an argument for the axis has to use it.", "A row along axis has the stride of that axis."),
		instead("lse-masked-nan", "log-sum-exp of a row of nothing but −Inf is NaN", start, "		shift, sum := kernel.Max(row), float32(0)\n		for _, v := range row {\n			sum += float32(math.Exp(float64(v - shift)))\n		}\n",
			"−Inf − (−Inf) is NaN. The sum of no probability at all is 0, and its logarithm −Inf.", "If the row's maximum is −Inf, the result is −Inf."),
		instead("lse-infinity-nan", "log-sum-exp of a row with +Inf is NaN", limit, "		{\n",
			"Inf − Inf is NaN.", "If the row's maximum is +Inf, the result is +Inf."),
	}
}

// Parts of the loss that several mistakes change.
const (
	lossTerm = "loss += math.Log(float64(sum)) - float64(x[target]-shift)"
	lossExp  = "		shift, sum := expShifted(c.scratch.Data, x)\n"
	lossMean = "return loss / float64(len(c.targets)), nil"
	lossLoop = "	for r, target := range c.targets {\n		x := logits.Row(r)\n"
	lossRow  = "softmaxRow(dx, c.logits.Row(r))             // (2)"
	lossOne  = "		dx[target]--                                // (3)\n"
	lossDiv  = "		kernel.Scale(1/float32(len(c.targets)), dx) // (1)\n"
)

// lossMistakes are about the value of the loss.
func lossMistakes() []Mistake {
	instead := func(id, title, old, new, why, hint string, variants ...Variant) Mistake {
		return Mistake{ID: id, Title: title, File: lossFile, Old: old, New: new, Why: why, Hint: hint, Variants: variants}
	}
	const probability = "		p := float32(math.Exp(float64(x[target]-shift))) / sum\n"
	const mean = "The mean over all tokens does not depend on how they are arranged in sequences, so losses of different batches can be compared."
	const count = "Divide by the number of targets, B·T."
	const formula = "loss = log Σ e^(x − m) − (x[target] − m), the mean over all tokens."
	return []Mistake{
		instead("loss-summed", "the loss is summed over the tokens instead of averaged", lossMean, "return loss, nil", mean, count),
		instead("loss-per-sequence", "the loss is divided by the number of sequences instead of tokens", lossMean, "return loss / float64(logits.Dim(0)), nil", mean, count),
		instead("loss-per-position", "the loss is divided by the length of a sequence instead of the number of tokens", lossMean, "return loss / float64(logits.Dim(1)), nil", mean, count),
		instead("loss-per-logit", "the loss is divided by the number of logits, the vocabulary included", lossMean, "return loss / float64(len(logits.Data)), nil",
			"Each token has one loss, however many words it could have been.", count),
		instead("loss-base-2", "the loss is in bits: the logarithm is to base 2", lossMean, "return loss / float64(len(c.targets)) / math.Ln2, nil",
			"Nats and bits differ by the factor ln 2, and so would the gradient.", "math.Log, not math.Log2."),
		instead("loss-sign", "the loss has the opposite sign", lossTerm, "loss += float64(x[target]-shift) - math.Log(float64(sum))",
			"A probability below 1 has a negative logarithm. A loss is its opposite, and falls as the model gets better.", formula),
		instead("log-of-softmax", "the loss is the logarithm of a softmax, which is infinite where the probability underflows to 0", lossTerm, probability[2:]+"		loss -= math.Log(float64(p))",
			"float32 has no number between 0 and 1e-45. A model that is very wrong would have an infinite loss and no gradient.", "Do not take the logarithm of a probability: "+formula,
			Variant{"float64", []Edit{{lossTerm, "loss -= math.Log(math.Exp(float64(x[target]-shift)) / float64(sum))"}}}),
		instead("log-of-softmax-eps", "the loss is the logarithm of a softmax with a small number added to it", lossTerm, probability[2:]+"		loss -= math.Log(float64(p) + 1e-9)",
			"The small number prevents the infinity and caps the loss at 21: a model that is more wrong than that no longer learns it.", "Do not take the logarithm of a probability: "+formula,
			Variant{"1e-8", []Edit{{lossTerm, probability[2:] + "		loss -= math.Log(float64(p) + 1e-8)"}}},
			Variant{"1e-10", []Edit{{lossTerm, probability[2:] + "		loss -= math.Log(float64(p) + 1e-10)"}}},
			Variant{"1e-12", []Edit{{lossTerm, probability[2:] + "		loss -= math.Log(float64(p) + 1e-12)"}}}),
		instead("loss-without-log", "the loss is one minus the target's probability: there is no logarithm", lossTerm, probability[2:]+"		loss += 1 - float64(p)",
			"Without a logarithm a model that is certain and wrong pays little more than one that is undecided.", formula),
		instead("loss-maximum-not-added", "log-sum-exp is taken with the shift, the target's logit without", lossTerm, "loss += math.Log(float64(sum)) - float64(x[target])\n		_ = shift",
			"The row's maximum cancels only if it is subtracted on both sides, or added again to the logarithm.", formula),
		instead("loss-no-shift", "the loss does not subtract the row's maximum before the exponential", lossExp, "		shift, sum := float32(0), float32(0)\n		for _, v := range x {\n			sum += float32(math.Exp(float64(v)))\n		}\n",
			"e^89 is already infinite in float32, and logits grow in training.", formula,
			Variant{"float64", []Edit{{lossExp, "		shift, sum := float32(0), 0.0\n		for _, v := range x {\n			sum += math.Exp(float64(v))\n		}\n"}}}),
		instead("loss-one-shift-for-all", "the loss subtracts the maximum of all logits from every row", lossExp, "		shift, sum := kernel.Max(logits.Data), float32(0)\n		for _, v := range x {\n			sum += float32(math.Exp(float64(v - shift)))\n		}\n",
			"A row that lies far below the largest one underflows, and log 0 is −Inf.", "Each token's row of logits has a maximum of its own."),
		instead("softmax-twice", "the logits go through a softmax before the loss, which contains one already", lossLoop, lossLoop+"		p := make([]float32, len(x))\n		softmaxRow(p, x)\n		x = p\n",
			"Probabilities lie between 0 and 1, so a second softmax makes nearly all of them equal.", "The loss takes the logits as they come from the model."),
		instead("target-next-row", "the target's logit is taken one place too far", lossTerm, "loss += math.Log(float64(sum)) - float64(x[target+1]-shift)",
			"Targets are ids from 0, like the logits' indexes.", "x[target].",
			Variant{"wraps", []Edit{{lossTerm, "loss += math.Log(float64(sum)) - float64(x[(target+1)%len(x)]-shift)"}}}),
		instead("target-row-before", "the target's logit is taken one place too early", lossTerm, "loss += math.Log(float64(sum)) - float64(x[target-1]-shift)",
			"Targets are ids from 0, like the logits' indexes.", "x[target].",
			Variant{"wraps", []Edit{{lossTerm, "loss += math.Log(float64(sum)) - float64(x[(target+len(x)-1)%len(x)]-shift)"}}}),
		instead("targets-time-major", "the targets are read column by column", lossTerm, "target = targets[r%len(targets)][r/len(targets)]\n		"+lossTerm,
			"Position (b, t) is row b·T + t of the logits.", "Walk over the sequences first, over their positions inside."),
		instead("last-token-loss", "only the last token of each sequence counts", lossTerm, "if (r+1)%logits.Dim(1) == 0 {\n			"+lossTerm+"\n		}", "Every position predicts its next token, and every prediction is trained.",
			"Sum over all B·T tokens.", Variant{"its-own-mean", []Edit{
				{lossTerm, "if (r+1)%logits.Dim(1) == 0 {\n			" + lossTerm + "\n		}"}, {lossMean, "return loss / float64(logits.Dim(0)), nil"},
			}}),
		instead("bad-target-let-through", "a target that is equal to the vocabulary's size is let through", "target >= vocab", "target > vocab",
			"V ids begin at 0, so the largest is V − 1.", "A target is wrong if target < 0 or target >= V."),
		instead("targets-kept", "the targets of the call before are still in the list", "c.logits, c.targets = logits, c.targets[:0]", "c.logits = logits",
			"What Forward keeps for Backward belongs to the last call alone.", "Begin Forward with an empty list."),
	}
}

// lossBackwardMistakes are about the gradient of the loss.
func lossBackwardMistakes() []Mistake {
	instead := func(id, title, old, new, why, hint string, variants ...Variant) Mistake {
		return Mistake{ID: id, Title: title, File: lossFile, Old: old, New: new, Why: why, Hint: hint, Variants: variants}
	}
	const formula = "dlogits = (softmax(x) − onehot(target))/(B·T)."
	const mean = "The loss is a mean over B·T tokens, so each of them has a share of 1/(B·T) in it."
	return []Mistake{
		instead("gradient-not-averaged", "the gradient of the loss is not divided by the number of tokens", lossDiv, "		_ = kernel.Scale\n", mean, formula),
		instead("gradient-per-sequence", "the gradient of the loss is divided by the number of sequences instead of tokens", lossDiv, "		kernel.Scale(1/float32(c.logits.Dim(0)), dx)\n", mean, formula),
		instead("gradient-per-position", "the gradient of the loss is divided by the length of a sequence instead of the number of tokens", lossDiv, "		kernel.Scale(1/float32(c.logits.Dim(1)), dx)\n", mean, formula),
		instead("gradient-per-logit", "the gradient of the loss is divided by the number of logits, the vocabulary included", lossDiv, "		kernel.Scale(1/float32(len(c.logits.Data)), dx)\n", mean, formula),
		instead("gradient-without-target", "the gradient of the loss is the softmax alone: the 1 at the target is not subtracted", lossOne, "		_ = target\n",
			"Without the target nothing says what would have been right: all logits fall.", formula),
		instead("gradient-sign", "the gradient of the loss has the opposite sign", lossDiv, "		kernel.Scale(-1/float32(len(c.targets)), dx)\n",
			"Where the probability is too large the logit has to fall: a positive gradient.", formula),
		instead("gradient-at-target-only", "only the target's logit has a gradient", lossRow, "p := make([]float32, len(dx))\n		softmaxRow(p, c.logits.Row(r))\n		clear(dx)\n		dx[target] = p[target]",
			"Every logit is in the sum that the loss contains. Those of the other words must fall.", formula),
		instead("target-not-averaged", "the 1 at the target is subtracted after the division by the number of tokens", lossOne+lossDiv, lossDiv+lossOne,
			"Both terms of the loss are averaged.", "Subtract the 1 first, then divide."),
		instead("gradient-target-next", "the 1 is subtracted one place behind the target", lossOne, "		dx[(target+1)%len(dx)]--\n",
			"Targets are ids from 0, like the logits' indexes.", "dx[target] −= 1.",
			Variant{"panics", []Edit{{lossOne, "		dx[target+1]--\n"}}}),
		instead("gradient-target-before", "the 1 is subtracted one place before the target", lossOne, "		dx[(target+len(dx)-1)%len(dx)]--\n",
			"Targets are ids from 0, like the logits' indexes.", "dx[target] −= 1.",
			Variant{"panics", []Edit{{lossOne, "		dx[target-1]--\n"}}}),
		instead("gradient-of-logits", "the gradient of the loss uses the logits themselves instead of their softmax", lossRow, "copy(dx, c.logits.Row(r))\n		_ = softmaxRow",
			"Logits are any numbers; probabilities are what the derivative of log-sum-exp gives.", formula),
		instead("gradient-through-softmax", "the gradient of the loss goes through softmax's derivative once more", lossDiv, lossDiv+"		y := make([]float32, len(dx))\n		softmaxRow(y, c.logits.Row(r))\n		backwardRow(dx, y, dx)\n",
			"softmax − onehot is the gradient with respect to the logits already: the derivative of softmax is in it.", formula),
		instead("gradient-added", "the gradient of the loss is added to that of the call before", lossRow, "before := append([]float32(nil), dx...)\n		defer kernel.Add(dx, dx, before)\n		"+lossRow,
			"dlogits is a buffer that is used again and still holds the last result.", "Overwrite dlogits."),
		instead("gradient-last-token", "only the last token of each sequence has a gradient", lossDiv, lossDiv+"		if (r+1)%c.logits.Dim(1) != 0 {\n			clear(dx)\n		}\n",
			"Every position predicts its next token, and every prediction is trained.", "Fill all B·T rows of dlogits."),
		noForwardMistake(lossFile, "	tensor.CheckShape(\"CrossEntropy.Backward: logits of the last Forward\", c.logits, tensor.Any, tensor.Any, tensor.Any)\n"),
	}
}
