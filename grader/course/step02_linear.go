package course

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/wire"
)

func linearStep() *Step {
	x := Arg{"x", wire.F32, "… I", "the input"}
	w := Arg{"w", wire.F32, "O I", "the weight, (out, in)"}
	return &Step{
		ID: "step02", Name: "linear", Folder: "step02_linear",
		Title: "Linear, a layer without bias",
		Functions: []Function{
			{"linear.forward", "y = x Wᵀ", []Arg{x, w}, []Arg{{"y", wire.F32, "… O", "the output"}}},
			{"linear.backward", "dx = dy W; dw = dw_before + dyᵀ x, summed over every row",
				[]Arg{x, w, {"dy", wire.F32, "… O", "gradient of y"}, before("w", "O I")},
				[]Arg{{"dx", wire.F32, "… I", ""}, {"dw", wire.F32, "O I", ""}}},
		},
		Checks: []Check{
			{"linear.forward", "the forward pass agrees with PyTorch", 20, agrees("linear.forward")},
			{"linear.forward.fresh", "the forward pass on fresh random cases", 10, agreesFresh("linear.forward", drawLinear)},
			{"linear.forward.rows", "rows do not mix: a NaN stays in its row; an empty batch is fine", 5,
				agreesOn("linear.forward", nanLinear(), emptyLinear())},
			{"linear.forward.bad_input", "an input of the wrong width, and a weight that is no matrix, are refused", 5, all(
				refuses("linear.forward", "x with 5 features where the weight takes 6", badLinear(), "5", "6"),
				refuses("linear.forward", "a weight of one dimension", with(badLinear(), "w", wire.Float32s(make([]float32, 5), 5)), "5"))},
			{"linear.backward.dx", "the gradient of the input agrees with PyTorch", 20, agrees("linear.backward", "dx")},
			{"linear.backward.dw", "the gradient of the weight agrees with PyTorch and is added", 20, agrees("linear.backward", "dw")},
			{"linear.backward.fresh", "both gradients on fresh random cases", 15, agreesFresh("linear.backward", drawLinearBackward)},
			{"linear.backward.bad_input", "a gradient of the wrong width is refused", 3,
				refuses("linear.backward", "dy with 5 features where the layer has 7 outputs", badLinearBackward(), "5", "7")},
			noForward("linear.backward.no_forward", without("x", "linear.backward", drawLinearBackward)),
		},
		Inside: []string{"linear.backward.no_forward"},
		Hints: []Hint{
			noForwardHint("linear.backward.no_forward"),
			{"linear.forward", "One row of x and one row of W meet in a dot product, and give one number of y."},
			{"linear.forward", "W is stored as (out, in), so the product you want is x times W transposed. If in and out were equal, x W would run too and be wrong."},
			{"linear.forward", "tensor.Mul(y.Matrix(), x.Matrix(), w.Matrix().T()) computes y = x·wᵀ for any leading dimensions. y has x's shape with the last dimension replaced by out."},
			{"linear.backward.dx", "Every y[r,o] contains x[r,i] with the factor W[o,i]. Add up what each y hands back."},
			{"linear.backward.dx", "dx[r,i] = Σ_o dy[r,o]·W[o,i]: that is dy times W, without a transpose: tensor.Mul(dx, dy, w), each of them a view."},
			{"linear.backward.dw", "W[o,i] is used in every row of the batch, so its gradient sums over all rows: dW[o,i] = Σ_r dy[r,o]·x[r,i]."},
			{"linear.backward.dw", "That sum is dyᵀ·x. The gradient is added to what Grad already holds: tensor.MulAdd(dw, dy.T(), x)."},
			{"linear", "Begin each method with tensor.CheckShape: it panics with an error that names both shapes."},
		},
	}
}

func drawLinear(rng *rand.Rand) wire.Values {
	n := distinct(rng, 4, 2, 40)
	return wire.Values{
		"x": normal(rng, 1, n[0]%5+1, n[1], n[2]),
		"w": normal(rng, 1/math.Sqrt(float64(n[2])), n[3], n[2]),
	}
}

func drawLinearBackward(rng *rand.Rand) wire.Values {
	in := drawLinear(rng)
	out := in["w"].Shape[0]
	in["dy"] = normal(rng, 1, in["x"].Shape[0], in["x"].Shape[1], out)
	in["dw_before"] = normal(rng, 1, in["w"].Shape...)
	return in
}

func badLinear() wire.Values {
	rng := rand.New(rand.NewPCG(2, 1))
	return wire.Values{"x": normal(rng, 1, 3, 5), "w": normal(rng, 1, 7, 6)}
}

func badLinearBackward() wire.Values {
	rng := rand.New(rand.NewPCG(2, 2))
	return wire.Values{"x": normal(rng, 1, 3, 6), "w": normal(rng, 1, 7, 6),
		"dy": normal(rng, 1, 3, 5), "dw_before": normal(rng, 1, 7, 6)}
}

// nanLinear has a NaN in the second of three rows.
func nanLinear() wire.Values {
	in := with(badLinear(), "x", normal(rand.New(rand.NewPCG(2, 3)), 1, 3, 6))
	in["x"].F32[8] = float32(math.NaN())
	return in
}

func emptyLinear() wire.Values { return with(badLinear(), "x", wire.Float32s([]float32{}, 0, 6)) }
