// Package linear says how step 02 is checked; what its functions look like says
// fixtures/step02_linear/functions.txt.
package linear

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
		ID: "step02", Name: "linear", Folder: "step02_linear", Track: course.Core,
		Title:     "Linear, a layer without bias",
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step02_linear"),
		Checks: []course.Check{
			{ID: "linear.forward", Title: "the forward pass agrees with PyTorch", Points: 20, Run: course.Agrees("linear.forward")},
			{ID: "linear.forward.fresh", Title: "the forward pass on fresh random cases", Points: 10, Run: course.AgreesFresh("linear.forward", drawLinear)},
			{ID: "linear.forward.rows", Title: "rows do not mix: a NaN stays in its row; an empty batch is fine", Points: 5,
				Run: course.All(course.AgreesOn("linear.forward", nanLinear(), emptyLinear()), course.AgreesOnce("linear.forward", long(1, 1031, 3), long(2, 5, 1031), course.Empty(drawLinear, "x")))},
			{ID: "linear.forward.bad_input", Title: "an input of the wrong width, and a weight that is no matrix, are refused", Points: 5, Run: course.All(
				course.Misfits("linear.forward", "x", drawLinear),
				course.Refuses("linear.forward", "x with 5 features where the weight takes 6", badLinear(), "5", "6"),
				course.Refuses("linear.forward", "a weight of one dimension", course.With(badLinear(), "w", wire.Float32s(make([]float32, 5), 5)), "5"))},
			{ID: "linear.backward.dx", Title: "the gradient of the input agrees with PyTorch", Points: 20, Run: course.Agrees("linear.backward", "dx")},
			{ID: "linear.backward.dw", Title: "the gradient of the weight agrees with PyTorch and is added", Points: 20, Run: course.Agrees("linear.backward", "dw")},
			{ID: "linear.backward.fresh", Title: "both gradients on fresh random cases", Points: 10, Run: course.All(course.AgreesFresh("linear.backward", drawLinearBackward),
				course.AgreesOnce("linear.backward", long(1031, 3, 4), long(2, 1031, 3), long(2, 3, 1031)))},
			{ID: "linear.backward.bad_input", Title: "a gradient of the wrong width is refused", Points: 3,
				Run: course.All(course.Refuses("linear.backward", "dy with 5 features where the layer has 7 outputs", badLinearBackward(), "5", "7"),
					course.Misfits("linear.backward", "dy", drawLinearBackward))},
			course.Again("linear.backward.again", course.AskedAgain(layer()), course.MadeOf(layer(), "w")),
			course.NoForward("linear.backward.no_forward", course.Without("x", "linear.backward", drawLinearBackward)),
		},
		Inside: []string{"linear.backward.again", "linear.backward.no_forward"},
		Hints: []course.Hint{
			course.AgainHint("linear.backward.again"),
			course.NoForwardHint("linear.backward.no_forward"),
			{For: "linear.forward", Text: "One row of x and one row of W meet in a dot product, and give one number of y."},
			{For: "linear.forward", Text: "W is stored as (out, in), so the product you want is x times W transposed. If in and out were equal, x W would run too and be wrong."},
			{For: "linear.forward", Text: "tensor.Mul(y.Matrix(), x.Matrix(), w.Matrix().T()) computes y = x·wᵀ for any leading dimensions. y has x's shape with the last dimension replaced by out."},
			{For: "linear.backward.fresh", Text: "Both gradients are asked again with other sizes and numbers. Hold your two products against the two sums of the stub: which operand is transposed, and over what is summed?"},
			{For: "linear.backward.dx", Text: "Every y[n,i] contains x[n,j] with the factor W[i,j]. Add up what each y hands back."},
			{For: "linear.backward.dx", Text: "dx[n,j] = Σ_i dy[n,i]·W[i,j]: that is dy times W, without a transpose: tensor.Mul(dx, dy, w), each of them a view."},
			{For: "linear.backward.dw", Text: "W[i,j] is used in every row of the batch, so its gradient sums over all rows: dW[i,j] = Σ_n dy[n,i]·x[n,j]."},
			{For: "linear.backward.dw", Text: "That sum is dyᵀ·x. The gradient is added to what Grad already holds: tensor.MulAdd(dw, dy.T(), x)."},
			{For: "linear.forward.bad_input", Text: "Begin each method with tensor.CheckShape: it panics with an error that names both shapes."},
			{For: "linear.forward.bad_input", Text: "tensor.CheckShape(\"Linear.Forward: x\", x, tensor.Lead, in) looks at the last dimension of x alone: the leading ones may be any."},
			{For: "linear.backward.bad_input", Text: "dy has the shape of the y that the last Forward returned, leading dimensions included: tensor.CheckShape(\"Linear.Backward: dy\", dy, y.Shape...)."},
		},
	}
}

// layer is what is asked again and again.
func layer() course.Layer {
	return course.Layer{Forward: "linear.forward", Backward: "linear.backward", Input: "x", Draw: drawLinearBackward, Bad: course.Wider("x")}
}

func drawLinear(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 4, 2, 40)
	return wire.Values{
		"x": course.Normal(rng, 1, n[0]%5+1, n[1], n[2]),
		"w": course.Normal(rng, 1/math.Sqrt(float64(n[2])), n[3], n[2]),
	}
}

func drawLinearBackward(rng *rand.Rand) wire.Values {
	in := drawLinear(rng)
	out := in["w"].Shape[0]
	in["dy"] = course.Normal(rng, 1, in["x"].Shape[0], in["x"].Shape[1], out)
	in["dw_before"] = course.Normal(rng, 1, in["w"].Shape...)
	return in
}

// long has one size that is no multiple of any tile's. Its numbers are whole, so that
// a sum of a thousand products is exact in any order.
func long(rows, out, in int) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		return wire.Values{"x": course.Whole(rng, rows, in), "w": course.Whole(rng, out, in),
			"dy": course.Whole(rng, rows, out), "dw_before": course.Whole(rng, out, in)}
	}
}

func badLinear() wire.Values {
	rng := rand.New(rand.NewPCG(2, 1))
	return wire.Values{"x": course.Normal(rng, 1, 3, 5), "w": course.Normal(rng, 1, 7, 6)}
}

func badLinearBackward() wire.Values {
	rng := rand.New(rand.NewPCG(2, 2))
	return wire.Values{"x": course.Normal(rng, 1, 3, 6), "w": course.Normal(rng, 1, 7, 6),
		"dy": course.Normal(rng, 1, 3, 5), "dw_before": course.Normal(rng, 1, 7, 6)}
}

// nanLinear has a NaN in the second of three rows.
func nanLinear() wire.Values {
	in := course.With(badLinear(), "x", course.Normal(rand.New(rand.NewPCG(2, 3)), 1, 3, 6))
	in["x"].F32[8] = float32(math.NaN())
	return in
}

func emptyLinear() wire.Values {
	return course.With(badLinear(), "x", wire.Float32s([]float32{}, 0, 6))
}
