// Package softmax says how step 07 is checked; what its functions look like says
// fixtures/step07_softmax/functions.txt.
package softmax

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step07", Name: "softmax", Folder: "step07_softmax", Track: course.Core,
		Title:     "Softmax, log-sum-exp and cross-entropy",
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step07_softmax"),
		Checks: []course.Check{
			{ID: "softmax.forward", Title: "softmax agrees with PyTorch along every axis", Points: 15, Run: course.Agrees("softmax.forward")},
			{ID: "softmax.forward.fresh", Title: "softmax on fresh random cases", Points: 5, Run: course.All(course.AgreesFresh("softmax.forward", drawSoftmax), course.AgreesForEach(sizes("softmax.forward", "x")...))},
			{ID: "softmax.forward.extremes", Title: "huge inputs, masked rows and a NaN stay in their row; an empty batch is fine", Points: 10,
				Run: course.All(course.AgreesOn("softmax.forward", append(hardSoftmax(), emptySoftmax())...), hardColumns("softmax.forward"))},
			{ID: "softmax.forward.shift", Title: "adding a constant to a row changes nothing", Points: 5, Run: shiftInvariant},
			{ID: "softmax.forward.bad_input", Title: "an axis that does not exist is refused", Points: 5,
				Run: refusedAxes("softmax.forward", "x")},
			{ID: "softmax.backward", Title: "softmax's derivative agrees with PyTorch, and a gradient of another shape is refused", Points: 15, Run: course.All(course.Agrees("softmax.backward"), refusedAxes("softmax.backward", "x", "dy"),
				course.Refuses("softmax.backward", "dy (2, 5) where x is (2, 4)", wire.Values{"x": wire.Float32s(make([]float32, 8), 2, 4),
					"dy": wire.Float32s(make([]float32, 10), 2, 5), "axis": wire.Int(1)}, "5", "4"),
				course.Misfits("softmax.backward", "dy", drawSoftmaxBackward))},
			{ID: "softmax.backward.fresh", Title: "softmax's derivative on fresh random cases", Points: 5, Run: course.All(course.AgreesFresh("softmax.backward", drawSoftmaxBackward), course.AgreesForEach(sizes("softmax.backward", "x", "dy")...))},
			{ID: "logsumexp", Title: "log-sum-exp agrees with PyTorch", Points: 10, Run: course.All(course.Agrees("logsumexp"), refusedAxes("logsumexp", "x"), course.AgreesForEach(sizes("logsumexp", "x")...))},
			{ID: "logsumexp.extremes", Title: "log-sum-exp of huge inputs and masked rows", Points: 5, Run: course.All(course.AgreesOn("logsumexp", hardSoftmax()...), hardColumns("logsumexp"))},
			{ID: "cross_entropy.forward", Title: "the loss agrees with PyTorch", Points: 5, Run: course.All(course.Agrees("cross_entropy.forward"), course.AgreesFresh("cross_entropy.forward", drawCrossEntropy), hugeLoss, manyTokens)},
			{ID: "cross_entropy.bad_input", Title: "a target outside the vocabulary is an error that names it; so are targets that do not fit the logits", Points: 5, Run: course.All(refusedTargets()...)},
			{ID: "cross_entropy.backward", Title: "the gradient of the loss agrees with PyTorch", Points: 8, Run: course.All(course.Agrees("cross_entropy.backward"), course.AgreesFresh("cross_entropy.backward", drawCrossEntropy), hugeGradient)},
			course.Again("cross_entropy.backward.again",
				course.AskedAgain(course.Layer{Forward: "cross_entropy.forward", Backward: "cross_entropy.backward", Input: "logits", Draw: drawCrossEntropy, Bad: course.OutOfRange("targets")}),
				course.OneLayer(course.Drawing{Function: "cross_entropy.forward", Draw: drawCrossEntropy}, course.Drawing{Function: "cross_entropy.backward", Draw: drawCrossEntropy}),
				course.AtOnce(atOnce()...)),
			course.NoForward("cross_entropy.backward.no_forward", course.Without("logits", "cross_entropy.backward", drawCrossEntropy)),
		},
		Inside: []string{"cross_entropy.backward.again", "cross_entropy.backward.no_forward"},
		Hints: []course.Hint{
			course.AgainHint("cross_entropy.backward.again"),
			course.NoForwardHint("cross_entropy.backward.no_forward"),
			{For: "softmax.forward.bad_input", Text: "An axis counts from −rank to rank − 1. Panic with tensor.IndexError for any other before you use it; a tensor without dimensions has no axis at all."},
			{For: "cross_entropy.bad_input", Text: "Look at all targets before you compute anything: as many rows as the batch has, each T long, every id 0 ≤ id < V. Return the error, which names the place as targets[b][t]; do not panic."},
			{For: "softmax.forward", Text: "e^89 is already infinite in float32. Subtract the row's largest element first: it cancels in the quotient."},
			{For: "softmax.forward", Text: "A row is a walk along the axis with the stride of that axis: element j of the row that starts at offset o is Data[o + j·stride]. Each row has a maximum of its own."},
			{For: "softmax.forward", Text: "stride is the product of the dimensions after the axis; rows start at every offset whose index along the axis is 0."},
			{For: "softmax.forward.extremes", Text: "A row of nothing but −Inf has no largest finite element, and −Inf − (−Inf) is NaN. Such a row attends to nothing: write zeros."},
			{For: "softmax.backward", Text: "Every y_i of a row depends on every x_j of it, because of the shared denominator: ∂y_i/∂x_j = y_i(δ_ij − y_j)."},
			{For: "softmax.backward", Text: "Multiply that matrix by dy without building it: dx_j = y_j·(dy_j − Σ_i dy_i·y_i)."},
			{For: "logsumexp", Text: "The same shift: ln Σ e^x = m + ln Σ e^(x−m) with m the row's maximum. If m is −Inf the answer is −Inf."},
			{For: "cross_entropy", Text: "Do not take the logarithm of a softmax: a probability that underflows to 0 has none. −ln softmax(x)[t] = ln Σ e^(x−m) − (x[t] − m), with the row's maximum m; taken away first, it costs no digits."},
			{For: "cross_entropy.forward", Text: "The mean runs over all B·T tokens, not over the batch and not over the vocabulary."},
			{For: "cross_entropy.backward", Text: "softmax minus one at the target, and then everything divided by the number of tokens."},
		},
	}
}

func drawSoftmax(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 3, 2, 12)
	return wire.Values{"x": course.Normal(rng, 5, n...), "axis": wire.Int(rng.IntN(6) - 3)}
}

func drawSoftmaxBackward(rng *rand.Rand) wire.Values {
	in := drawSoftmax(rng)
	in["x"] = course.Normal(rng, 2, in["x"].Shape...)
	in["dy"] = course.Normal(rng, 1, in["x"].Shape...)
	return in
}

func drawCrossEntropy(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 3, 2, 23)
	return wire.Values{"logits": course.Normal(rng, 3, n...), "targets": course.IDs(rng, n[2], n[0], n[1])}
}

// hardSoftmax are rows of huge numbers, of hugely negative ones, masked in part or
// altogether, with a NaN, and with +Inf. Each lies beside an ordinary row, which
// must not notice.
func hardSoftmax() []wire.Values {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	var inputs []wire.Values
	for _, rows := range [][]float32{
		{1e4, 1e4 + 1, 9990, 1e4 - 2, 1e4 - 1, 1e4, 1e4 + 2, 1e4},
		{-1e5, -1e5 + 1, -1e5 - 1, -1e5 + 3, -1e5, -1e5, -1e5, -1e5},
		{-inf, -inf, -inf, -inf, 0.5, -0.25, 1, 2},
		{-inf, 1, -inf, 2, 0.5, -0.25, 1, 2},
		{0, nan, 1, 2, 0.5, -0.25, 1, 2},
		{0, inf, 1, 2, 0.5, -0.25, 1, 2},
	} {
		inputs = append(inputs, wire.Values{"axis": wire.Int(-1), "x": wire.Float32s(rows, 2, 4)})
	}
	return inputs
}

func emptySoftmax() wire.Values {
	return wire.Values{"x": wire.Float32s([]float32{}, 0, 4), "axis": wire.Int(1)}
}
