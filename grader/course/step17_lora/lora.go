// Package lora says how step 17 is checked; what its functions look like says
// fixtures/step17_lora/functions.txt.
package lora

import (
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step17", Name: "lora", Folder: "step17_lora", Track: course.Adapting,
		Title:     "LoRA and instruction tuning",
		Needs:     []string{"step02", "step11"},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step17_lora"),
		Checks:    checks(),
		Inside:    []string{"lora.work", "lora.backward.again", "lora.backward.no_forward"},
		Hints:     hints(),
	}
}

func checks() []course.Check {
	return []course.Check{
		{ID: "lora.init", Title: "A is drawn evenly from ±1/√in, and B is zeros", Points: 6, Run: course.All(
			drawnEvenly, course.All(refusedRanks()...))},
		{ID: "lora.forward", Title: "the forward pass agrees with PyTorch", Points: 9,
			Run: course.Agrees("lora.forward")},
		{ID: "lora.forward.fresh", Title: "the forward pass on fresh random cases", Points: 5, Run: course.All(
			course.AgreesFresh("lora.forward", drawForward), course.Beyond("lora.forward", wide, many),
			course.AgreesOnce("lora.forward", course.Empty(drawForward, "x")))},
		{ID: "lora.forward.bad_input", Title: "inputs and adapters that do not fit are refused", Points: 4,
			Run: course.All(refusedLayers()...)},
		{ID: "lora.merge",
			Title: "merged, merged twice, unmerged: the output stays, and the weight comes back bit for bit", Points: 8,
			Run: course.All(
				course.Agrees("lora.delta"), course.AgreesFresh("lora.delta", drawWeights), course.Agrees("lora.merged"),
				course.AgreesFresh("lora.merged", drawMerged), restored, mergedBackward())},
		{ID: "lora.backward.dx", Title: "the gradient of the input agrees with PyTorch", Points: 7,
			Run: course.Agrees("lora.backward", "dx")},
		{ID: "lora.backward.adapter",
			Title: "the gradients of A and B agree with PyTorch and are added; that of W₀ stays", Points: 8,
			Run: course.All(course.Agrees("lora.backward", "da", "db"), course.Agrees("lora.backward", "frozen"))},
		{ID: "lora.backward.fresh", Title: "all gradients on fresh random cases", Points: 4, Run: course.All(
			course.AgreesFresh("lora.backward", drawBackward), course.AgreesFresh("lora.backward", untrained),
			course.Beyond("lora.backward", backwards(wide), backwards(many)))},
		{ID: "lora.optimizer", Title: "the optimiser has the adapters of all layers and nothing else", Points: 5,
			Backward: true, Run: course.All(
				course.Agrees("lora.optimizer"), course.AgreesFresh("lora.optimizer", drawOptimizer), unmoved)},
		{ID: "lora.saved", Title: "adapters are saved alone, and loaded whole or not at all", Points: 7,
			Run: course.All(
				course.Agrees("lora.saved"), course.AgreesFresh("lora.saved", drawSaved), refusedStates)},
		{ID: "example.one", Title: "what counts is the answer and its end, where it is the target", Points: 7,
			Run: course.All(
				course.Agrees("example.one"), course.AgreesExactly("example.one", drawOne),
				course.All(refusedExamples()...))},
		{ID: "example.batch", Title: "shorter rows are filled up, and the padding counts nowhere", Points: 4,
			Run: course.All(
				course.Agrees("example.batch"), course.AgreesExactly("example.batch", drawTexts(false)))},
		{ID: "example.pack", Title: "examples in one row do not see each other", Points: 5, Run: course.All(
			course.Agrees("example.pack"), course.AgreesExactly("example.pack", drawTexts(true)),
			course.All(refusedPacks()...))},
		{ID: "answer_loss.forward", Title: "the loss is the mean over all tokens of the batch that count", Points: 4,
			Run: course.All(
				course.Agrees("answer_loss.forward"), course.AgreesFresh("answer_loss.forward", drawLoss),
				course.AgreesOn("answer_loss.forward", uncounted()...), addedUp,
				ignored("answer_loss.forward", "loss"), course.All(refusedLosses()...))},
		{ID: "answer_loss.backward", Title: "its gradient agrees with PyTorch, and is 0 where nothing counts",
			Points: 4, Run: course.All(
				course.Agrees("answer_loss.backward"), course.AgreesFresh("answer_loss.backward", drawLoss),
				course.AgreesOn("answer_loss.backward", uncounted()...),
				ignored("answer_loss.backward", "dlogits"))},
		{ID: "lora.work", Title: "the adapter costs what two narrow products cost, and a merged one nothing",
			Points: 4, Backward: true, Run: course.All(work(), mergedWork(), room(), stays())},
		course.Again("lora.backward.again", course.Misfits("lora.backward", "dy", drawBackward),
			course.AskedAgain(layer()), course.MadeOf(layer(), "b"), course.AskedAgain(lossLayer()),
			course.AtOnce(course.Drawing{Function: "lora.backward", Draw: drawBackward},
				course.Drawing{Function: "answer_loss.backward", Draw: drawLoss})),
		course.NoForward("lora.backward.no_forward", course.Without("x", "lora.backward", drawBackward),
			course.Without("logits", "answer_loss.backward", drawLoss)),
	}
}

// layer is what is asked again and again.
func layer() course.Layer {
	return course.Layer{Forward: "lora.forward", Backward: "lora.backward", Input: "x", Draw: drawBackward,
		Bad: course.Wider("x")}
}

// lossLayer has no parameters.
func lossLayer() course.Layer {
	return course.Layer{Forward: "answer_loss.forward", Backward: "answer_loss.backward", Input: "logits",
		Draw: drawLoss, Bad: course.OutOfRange("targets")}
}

func hints() []course.Hint {
	return []course.Hint{
		course.AgainHint("lora.backward.again"),
		course.NoForwardHint("lora.backward.no_forward"),
		{For: "lora.init", Text: "rng.Float64() is even between 0 and 1: 2u − 1 is even between −1 and 1, and 1/√in is the bound. in is the number of columns of A."},
		{For: "lora.init", Text: "One of the two must be zero, so that the layer begins as it was, and only one: the gradient of each has the other as a factor."},
		{For: "lora.forward", Text: "Two products beside that of step 02: u = x·Aᵀ is (…, r), and u·Bᵀ is (…, O). The factor α/r is cheapest on u."},
		{For: "lora.forward", Text: "tensor.MulAdd(y, u, Bᵀ) adds a product to y. r is the number of rows of A, and is looked up in every call: Load may have changed it."},
		{For: "lora.forward.bad_input", Text: "New checks a against the columns of the weight, and b against its rows and the rows of a; Forward checks the last dimension of x."},
		{For: "lora.merge", Text: "Delta is α/r·B·A. Keep a copy of the weight before you add it: what is subtracted again differs in the last bit, and after a hundred swaps in more."},
		{For: "lora.merge", Text: "Remember whether the layer is merged. Then Merge does nothing, Forward leaves the adapter's products out, and there is nothing for Backward."},
		{For: "lora.backward.dx", Text: "x went two ways, and both send something back: dx = dy·W₀ + du·A with du = α/r·dy·B."},
		{For: "lora.backward.adapter", Text: "With u = α/r·x·Aᵀ: dB += dyᵀ·u, and dA += duᵀ·x. Nothing is added to the gradient of the weight: that product is left out."},
		{For: "lora.backward.fresh", Text: "Look at the factor: it is in u and in du, once in each. With B = 0 the gradient of A is 0, and that of B is not."},
		{For: "lora.optimizer", Text: "training.NewAdamW takes a list of parameters. Give it what Params of every layer returns. A frozen weight has a gradient of 0 and would be moved by the weight decay all the same."},
		{For: "lora.saved", Text: "Three tensors for each layer: A, B and the number α, each a copy. Without α the same two matrices mean something else."},
		{For: "lora.saved", Text: "First look whether everything fits, at all layers, and then change the first. Of a merged layer the old adapter has to come out of the weight."},
		{For: "example.one", Text: "Write the whole text down: question, answer, end. IDs is all but the last, Targets all but the first. Position t counts if the token at t + 1 of the text is past the question."},
		{For: "example.batch", Text: "Copy each row and append pad to IDs and Targets and false to Counted. Do not look for pad in the row: it may be the end token, which counts."},
		{For: "example.pack", Text: "Remember where each example begins. attend[i·T + j] is true for from ≤ j ≤ i; a position of the padding has itself, so that its softmax has something to sum."},
		{For: "answer_loss", Text: "Collect the rows that count, and their targets, before anything else; then it is the cross-entropy of step 07 over these rows."},
		{For: "answer_loss", Text: "Divide by their number, once, for the whole batch. The gradient begins with zeros, and only rows that count are written."},
		{For: "answer_loss.backward", Text: "Copy what Forward needs of targets and counted: the caller may change its slices before Backward."},
		{For: "lora.work", Text: "B·A has as many numbers as W₀: make it in Delta alone. (x·Aᵀ)·Bᵀ is r·(I + O) multiplications a row, x·(B·A)ᵀ is I·O and the product on top. W₀ needs no gradient."},
	}
}
