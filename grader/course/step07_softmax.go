package course

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/wire"
)

func softmaxStep() *Step {
	x := Arg{"x", wire.F32, "…", "the input"}
	axis := Arg{"axis", wire.I64, "", "the axis that sums to 1; negative counts from the end"}
	logits := Arg{"logits", wire.F32, "B T V", "one score a token of the vocabulary"}
	targets := Arg{"targets", wire.I64, "B T", "the right token of every position"}
	return &Step{
		ID: "step07", Name: "softmax", Folder: "step07_softmax",
		Title: "Softmax, log-sum-exp and cross-entropy",
		Functions: []Function{
			{"softmax.forward", "y_i = e^(x_i − max) / Σ_j e^(x_j − max) along the axis; all −Inf gives zeros", []Arg{x, axis}, []Arg{{"y", wire.F32, "…", ""}}},
			{"softmax.backward", "dx = y ⊙ (dy − Σ dy⊙y) along the axis",
				[]Arg{x, {"dy", wire.F32, "…", "gradient of y"}, axis}, []Arg{{"dx", wire.F32, "…", ""}}},
			{"logsumexp", "ln Σ e^x along the axis, which disappears; all −Inf gives −Inf", []Arg{x, axis}, []Arg{{"y", wire.F32, "…", ""}}},
			{"cross_entropy.forward", "mean over all B·T tokens of logsumexp(logits) − logits[target]",
				[]Arg{logits, targets}, []Arg{{"loss", wire.F64, "", "in nats"}}},
			{"cross_entropy.backward", "dlogits = (softmax(logits) − onehot(target)) / (B·T)",
				[]Arg{logits, targets}, []Arg{{"dlogits", wire.F32, "B T V", ""}}},
		},
		Checks: []Check{
			{"softmax.forward", "softmax agrees with PyTorch along every axis", 15, agrees("softmax.forward")},
			{"softmax.forward.fresh", "softmax on fresh random cases", 5, agreesFresh("softmax.forward", drawSoftmax)},
			{"softmax.forward.extremes", "huge inputs, masked rows and a NaN stay in their row; an empty batch is fine", 10,
				agreesOn("softmax.forward", append(hardSoftmax(), emptySoftmax())...)},
			{"softmax.forward.shift", "adding a constant to a row changes nothing", 5, shiftInvariant},
			{"softmax.forward.bad_input", "an axis that does not exist is refused", 5,
				refuses("softmax.forward", "axis 2 of a tensor with two axes", with(emptySoftmax(), "axis", wire.Int(2)), "2")},
			{"softmax.backward", "softmax's derivative agrees with PyTorch, and a gradient of another shape is refused", 15, all(agrees("softmax.backward"),
				refuses("softmax.backward", "dy (2, 5) where x is (2, 4)", wire.Values{"x": wire.Float32s(make([]float32, 8), 2, 4),
					"dy": wire.Float32s(make([]float32, 10), 2, 5), "axis": wire.Int(1)}, "5", "4"))},
			{"softmax.backward.fresh", "softmax's derivative on fresh random cases", 5, agreesFresh("softmax.backward", drawSoftmaxBackward)},
			{"logsumexp", "log-sum-exp agrees with PyTorch", 10, agrees("logsumexp")},
			{"logsumexp.extremes", "log-sum-exp of huge inputs and masked rows", 5, agreesOn("logsumexp", hardSoftmax()...)},
			{"cross_entropy.forward", "the loss agrees with PyTorch", 10, all(agrees("cross_entropy.forward"), agreesFresh("cross_entropy.forward", drawCrossEntropy))},
			{"cross_entropy.bad_input", "a target outside the vocabulary is an error that names it; so are targets that do not fit the logits", 5, all(
				refuses("cross_entropy.forward", "target 5 at [0][1] with a vocabulary of 5", badCrossEntropy(), "5", "[0][1]"),
				refuses("cross_entropy.forward", "logits of two dimensions", with(badCrossEntropy(), "logits", wire.Float32s(make([]float32, 15), 3, 5)), "3", "5"),
				refuses("cross_entropy.forward", "two targets for three tokens", with(badCrossEntropy(), "targets", wire.Ints([]int64{0, 2}, 1, 2)), "2", "3"),
				refuses("cross_entropy.forward", "two rows of targets for a batch of one", with(badCrossEntropy(), "targets", wire.Ints(make([]int64, 6), 2, 3)), "2", "1"))},
			{"cross_entropy.backward", "the gradient of the loss agrees with PyTorch", 8, all(agrees("cross_entropy.backward"), agreesFresh("cross_entropy.backward", drawCrossEntropy))},
			noForward("cross_entropy.backward.no_forward", without("logits", "cross_entropy.backward", drawCrossEntropy)),
		},
		Inside: []string{"cross_entropy.backward.no_forward"},
		Hints: []Hint{
			noForwardHint("cross_entropy.backward.no_forward"),
			{"softmax.forward", "e^89 is already infinite in float32. Subtract the row's largest element first: it cancels in the quotient."},
			{"softmax.forward", "A row is a walk along the axis with the stride of that axis: element j of the row that starts at offset o is Data[o + j·stride]. Each row has a maximum of its own."},
			{"softmax.forward", "stride is the product of the dimensions after the axis; rows start at every offset whose index along the axis is 0."},
			{"softmax.forward.extremes", "A row of nothing but −Inf has no largest finite element, and −Inf − (−Inf) is NaN. Such a row attends to nothing: write zeros."},
			{"softmax.backward", "Every y_i of a row depends on every x_j of it, because of the shared denominator: ∂y_i/∂x_j = y_i(δ_ij − y_j)."},
			{"softmax.backward", "Multiply that matrix by dy without building it: dx_j = y_j·(dy_j − Σ_i dy_i·y_i)."},
			{"logsumexp", "The same shift: ln Σ e^x = m + ln Σ e^(x−m) with m the row's maximum. If m is −Inf the answer is −Inf."},
			{"cross_entropy", "Do not take the logarithm of a softmax: a probability that underflows to 0 has none. −ln softmax(x)[t] = logsumexp(x) − x[t]."},
			{"cross_entropy.forward", "The mean runs over all B·T tokens, not over the batch and not over the vocabulary."},
			{"cross_entropy.backward", "softmax minus one at the target, and then everything divided by the number of tokens."},
		},
	}
}

func drawSoftmax(rng *rand.Rand) wire.Values {
	n := distinct(rng, 3, 2, 12)
	return wire.Values{"x": normal(rng, 5, n...), "axis": wire.Int(rng.IntN(6) - 3)}
}

func drawSoftmaxBackward(rng *rand.Rand) wire.Values {
	in := drawSoftmax(rng)
	in["x"] = normal(rng, 2, in["x"].Shape...)
	in["dy"] = normal(rng, 1, in["x"].Shape...)
	return in
}

func drawCrossEntropy(rng *rand.Rand) wire.Values {
	n := distinct(rng, 3, 2, 23)
	return wire.Values{"logits": normal(rng, 3, n...), "targets": ids(rng, n[2], n[0], n[1])}
}

// hardSoftmax are rows of huge numbers, of hugely negative ones, of ones that
// are masked in part or altogether, one with a NaN and one with +Inf, each
// beside an ordinary row that must not notice.
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

func badCrossEntropy() wire.Values {
	return wire.Values{"logits": normal(rand.New(rand.NewPCG(7, 1)), 1, 1, 3, 5), "targets": wire.Ints([]int64{0, 5, 2}, 1, 3)}
}

// shiftInvariant adds another constant to every row: softmax must not notice.
// The wanted values are those of the rows without the constants, which are
// multiples of 1/64 so that adding them is exact.
func shiftInvariant(e *Exam) error {
	const rows, n = 5, 9
	in := wire.Values{"x": normal(e.rng, 2, rows, n), "axis": wire.Int(-1)}
	for i := range in["x"].F32 {
		in["x"].F32[i] = float32(math.Round(float64(in["x"].F32[i])*64) / 64)
	}
	want, err := truth("softmax.forward", in)
	if err != nil {
		return err
	}
	for i := range in["x"].F32 {
		in["x"].F32[i] += float32(i/n-2) * 1024
	}
	got, err := e.ask("softmax.forward", in)
	if err != nil {
		return err
	}
	return e.compare("softmax.forward", in, got, want, nil, func(name string) float64 { return e.tolerance("softmax.forward", name) })
}
