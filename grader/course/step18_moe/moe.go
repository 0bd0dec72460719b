// Package moe says how step 18 is checked; what its functions look like says
// fixtures/step18_moe/functions.txt.
package moe

import (
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step18", Name: "moe", Folder: "step18_moe", Track: course.Parameters,
		Title: "A mixture of experts",
		Needs: []string{"step01", "step02", "step05"},
		Place: course.Place{In: "step05", Names: []string{"SwiGLU", "New"},
			By: map[string]string{"New": "Mixed(num_experts, experts_per_token, balance_loss, z_loss, tokens_per_update)"}},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step18_moe"),
		Checks:    checks(),
		Inside:    []string{"moe.forward.calls", "moe.work", "moe.backward.again", "moe.backward.no_forward"},
		Hints:     hints(),
	}
}

func checks() []course.Check {
	return []course.Check{
		{ID: "moe.topk", Title: "the k largest logits are chosen, of equal ones those at the lower places", Points: 6, Run: course.All(
			course.Agrees("moe.topk"), course.AgreesExactly("moe.topk", drawTied(4, 12)), course.AgreesExactly("moe.topk", drawTied(13, 137)), course.All(refusedChoices()...))},
		{ID: "gates.forward", Title: "the gates are the softmax over the chosen logits; for k = 1 the full probability", Points: 8, Run: course.All(
			course.Agrees("gates.forward"), course.AgreesFresh("gates.forward", drawLogits(3)), course.AgreesFresh("gates.forward", drawLogits(1)),
			shifted(2, 1024), shifted(1, -1024), course.All(refusedGates()...))},
		{ID: "gates.backward", Title: "the gradient of the logits agrees with PyTorch", Points: 8, Run: course.All(
			course.Agrees("gates.backward"), course.AgreesFresh("gates.backward", drawGatesBackward(3)), course.AgreesFresh("gates.backward", drawGatesBackward(1)))},
		{ID: "moe.forward", Title: "the forward pass agrees with PyTorch", Points: 11, Run: course.Agrees("moe.forward")},
		{ID: "moe.forward.fresh", Title: "the forward pass on fresh random cases", Points: 6, Run: course.All(
			course.AgreesFresh("moe.forward", drawForward), course.AgreesFresh("moe.forward", drawOne), course.Beyond("moe.forward", wide, many, long))},
		{ID: "moe.forward.all", Title: "with k = E every expert computes every token, and experts that are alike are one", Points: 4,
			Run: course.All(course.AgreesFresh("moe.forward", drawAll), twins)},
		{ID: "moe.forward.order", Title: "the order of the tokens and that of the experts do not matter", Points: 4,
			Run: course.All(course.Agrees("moe.forward"), tokensPermute, expertsPermute)},
		{ID: "moe.forward.calls", Title: "an expert is called once, with its tokens and no others", Points: 5, Run: course.All(
			course.Agrees("moe.calls"), course.AgreesExactly("moe.calls", drawForward))},
		{ID: "moe.forward.bad_input", Title: "an input that does not fit is refused, and more experts for a token than there are; no tokens are not", Points: 4, Run: course.All(
			course.All(refusedLayers()...), course.AgreesOnce("moe.forward", course.Empty(drawForward, "x")))},
		{ID: "moe.losses", Title: "the balance loss and the z-loss agree with PyTorch", Points: 8, Run: course.All(
			course.Agrees("moe.losses"), course.AgreesFresh("moe.losses", drawLosses), course.AgreesFresh("moe.losses", allPadding),
			loudly("moe.losses", drawLosses), course.All(refusedPadding()...))},
		{ID: "moe.backward.dx", Title: "the gradient of the input agrees with PyTorch", Points: 6, Run: course.Agrees("moe.backward", "dx")},
		{ID: "moe.backward.dw", Title: "the gradients of the router and of the experts agree with PyTorch and are added", Points: 8,
			Run: course.Agrees("moe.backward", "drouter", "dw1", "dw2", "dw3")},
		{ID: "moe.backward.fresh", Title: "all gradients on fresh random cases", Points: 4, Run: course.All(
			course.AgreesFresh("moe.backward", withGradient(drawForward)), course.AgreesFresh("moe.backward", withGradient(drawOne)),
			course.AgreesFresh("moe.backward", withGradient(drawAll)), course.Beyond("moe.backward", withGradient(wide), withGradient(many)))},
		{ID: "moe.backward.losses", Title: "both losses send back a gradient, through the probabilities alone", Points: 7, Run: course.All(
			course.Agrees("moe.trained"), course.AgreesFresh("moe.trained", trained(drawForward)),
			course.AgreesFresh("moe.trained", trained(drawOne)), loudly("moe.trained", trained(drawForward)))},
		{ID: "moe.work", Title: "the work grows with k, and not with the number of experts", Points: 4, Backward: true, Run: course.All(work(2), work(5), room(), footprint())},
		course.Again("moe.backward.again", course.Misfits("moe.backward", "dy", withGradient(drawForward)),
			course.AskedAgain(layer(course.Wider("x"))), course.AfterRefusal(layer(moreReal)),
			course.AtOnce(course.Drawing{Function: "moe.backward", Draw: withGradient(drawForward)})),
		course.NoForward("moe.backward.no_forward", course.Without("x", "moe.backward", withGradient(drawForward))),
	}
}

func hints() []course.Hint {
	return []course.Hint{
		course.AgainHint("moe.backward.again"),
		course.NoForwardHint("moe.backward.no_forward"),
		{For: "moe.topk", Text: "Look k times through all logits for the largest that has not been taken. With > and not ≥ the first of equal ones wins; begin with no expert at all and not with the number 0, for all logits may be below it."},
		{For: "gates.forward", Text: "Copy the chosen logits to gates and take the softmax of these k numbers. The others are not there: a logit of 0 in their place would still weigh e^0 = 1."},
		{For: "gates.forward", Text: "With k = 1 that softmax is 1 for every token, and nothing ever tells the router whether it chose well. There the gate is the chosen one's share of all: e^(l − ln Σ e^l) with the sum over all experts."},
		{For: "gates.backward", Text: "For k ≥ 2 dl = g ⊙ (dg − Σ dg⊙g) over the chosen, and 0 for the others. For k = 1 dl_m = −dg·p_c·p_m for every expert m, and dg·p_c more for the chosen one c."},
		{For: "moe.forward", Text: "Number the slots: slot t·k + n is the n-th choice of token t. Count how many slots each expert has; the sums of these counts are where its slots begin; then go through the slots in their order and put each to the next place of its expert."},
		{For: "moe.forward", Text: "Copy the rows of x in this order to a tensor of (T·k, D), and give each expert its piece by SliceRows. Row p of what comes back belongs to slot order[p], to token order[p]/k: add gate times the row to y, which begins with zeros."},
		{For: "moe.forward.order", Text: "What goes to a slot is found by the slot and not by its place in the sorted order: gates[order[p]], and row order[p]/k of x and y."},
		{For: "moe.forward.calls", Text: "One call of Forward for each expert that has tokens, of shape (its tokens, D), and none for the others. Chosen returns what Forward chose."},
		{For: "moe.forward.bad_input", Text: "Check x before anything of the layer changes. With no tokens there is nothing to choose, and y is empty."},
		{For: "moe.losses", Text: "f counts slots: every token that is real has k of them, so that f adds up to 1. P is the mean of the softmax over all E logits, also where k is 2."},
		{For: "moe.losses", Text: "balance = E·Σ f·P and z = the mean of (ln Σ e^logits)², over the tokens that are real, for each layer alone. Sum adds up what Losses returns."},
		{For: "moe.backward", Text: "A slot has out and g: dOut = g·dy, dg = the dot product of dy and out. The gates are no constants, through them the router learns."},
		{For: "moe.backward", Text: "Sort dOut as the tokens were sorted, call Backward of each expert that was called, and add the rows that come back to those of dx. Then GatesBackward for every token, and the router's Backward, whose dx is added too. An expert without tokens in the last Forward has nothing to send back."},
		{For: "moe.backward.losses", Text: "For a token that is real dl += α·E/T·p⊙(f − Σ f·p) + β·2/T·s·p with s = ln Σ e^l. f has no gradient. T counts the tokens that are real, as Forward has read them: keep a copy of Real, for before Backward it may have become that of the next batch."},
		{For: "moe.work", Text: "Only the chosen experts compute a token. The weights are neither copied nor gathered for the tokens."},
	}
}
