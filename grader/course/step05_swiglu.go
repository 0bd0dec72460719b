package course

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/wire"
)

func swigluStep() *Step {
	x := Arg{"x", wire.F32, "… D", "the input"}
	w1 := Arg{"w1", wire.F32, "F D", "weight of the branch that passes through SiLU"}
	w2 := Arg{"w2", wire.F32, "D F", "weight back to D"}
	w3 := Arg{"w3", wire.F32, "F D", "weight of the linear branch"}
	y := Arg{"y", wire.F32, "… D", "the output"}
	return &Step{
		ID: "step05", Name: "swiglu", Folder: "step05_swiglu",
		Title: "SwiGLU, the gated feed-forward network",
		Needs: []string{"step02"},
		Functions: []Function{
			{"silu.forward", "y = x · σ(x)", []Arg{{"x", wire.F32, "n", ""}}, []Arg{{"y", wire.F32, "n", ""}}},
			{"silu.backward", "dx = dy · σ(x)·(1 + x·(1 − σ(x)))",
				[]Arg{{"x", wire.F32, "n", ""}, {"dy", wire.F32, "n", ""}}, []Arg{{"dx", wire.F32, "n", ""}}},
			{"dff", "the multiple of 64 nearest to 8/3·d_model, at least 64",
				[]Arg{{"d_model", wire.I64, "", ""}}, []Arg{{"d_ff", wire.I64, "", ""}}},
			{"swiglu.forward", "y = W2(SiLU(W1 x) ⊙ W3 x)", []Arg{x, w1, w2, w3}, []Arg{y}},
			{"swiglu.backward", "the gradients of swiglu.forward; those of the weights are added to …_before",
				[]Arg{x, w1, w2, w3, {"dy", wire.F32, "… D", "gradient of y"},
					before("w1", "F D"), before("w2", "D F"), before("w3", "F D")},
				[]Arg{{"dx", wire.F32, "… D", ""}, {"dw1", wire.F32, "F D", ""}, {"dw2", wire.F32, "D F", ""}, {"dw3", wire.F32, "F D", ""}}},
		},
		Checks: []Check{
			{"silu.forward", "SiLU agrees with PyTorch", 10, agrees("silu.forward")},
			{"silu.forward.extremes", "SiLU stays finite for huge, tiny and infinite inputs", 5,
				agreesOn("silu.forward", extremes("x")...)},
			{"silu.backward", "SiLU's derivative agrees with PyTorch", 10, agrees("silu.backward")},
			{"silu.backward.extremes", "SiLU's derivative stays finite for huge inputs, and lengths must agree", 5,
				all(agreesOn("silu.backward", finiteExtremes("x", "dy")...),
					refuses("silu.backward", "dy with 4 elements where x has 3", wire.Values{"x": ones(3), "dy": ones(4)}, "4", "3"))},
			{"dff", "d_ff is the multiple of 64 nearest to 8/3 d_model", 5, all(agrees("dff"), agreesOn("dff", boundaries()...), agreesFresh("dff", drawSize("d_model", 100, 9000)))},
			{"swiglu.forward", "the forward pass agrees with PyTorch", 20, agrees("swiglu.forward")},
			{"swiglu.forward.fresh", "the forward pass on fresh random cases", 10, agreesFresh("swiglu.forward", drawSwiGLU)},
			{"swiglu.forward.bad_input", "an input of the wrong width is refused; an empty batch is not", 5, all(
				refuses("swiglu.forward", "x with 5 features where the weights take 6", badSwiGLU(), "5", "6"),
				refuses("swiglu.forward", "a w1 of one dimension", misfitSwiGLU("w1", 6), "6"),
				refuses("swiglu.forward", "a w2 that leads back to 5 features", misfitSwiGLU("w2", 5, 7), "5", "6"),
				refuses("swiglu.forward", "a w3 with 8 rows where w1 has 7", misfitSwiGLU("w3", 8, 6), "8", "7"),
				agreesOn("swiglu.forward", emptySwiGLU()))},
			{"swiglu.backward.dx", "the gradient of the input agrees with PyTorch", 10, agrees("swiglu.backward", "dx")},
			{"swiglu.backward.dw", "the gradients of the weights agree with PyTorch and are added", 10,
				agrees("swiglu.backward", "dw1", "dw2", "dw3")},
			{"swiglu.backward.fresh", "all gradients on fresh random cases", 8,
				agreesFresh("swiglu.backward", drawSwiGLUBackward)},
			noForward("swiglu.backward.no_forward", without("x", "swiglu.backward", drawSwiGLUBackward)),
		},
		Inside: []string{"swiglu.backward.no_forward"},
		Hints: []Hint{
			noForwardHint("swiglu.backward.no_forward"),
			{"silu", "SiLU(x) is x times the sigmoid of x. Look at what your formula does at x = −100 and x = +100."},
			{"silu", "1/(1+e^−x) overflows inside for large negative x, and e^x/(1+e^x) for large positive x. One of the two is fine on each side of zero; kernel.Sigmoid has taken care of it."},
			{"silu.backward", "Differentiate x·σ(x) as a product: one term from x, one from σ, and σ' = σ(1 − σ). Both terms are needed."},
			{"dff", "Divide 8·d_model/3 by 64, round to the nearest whole number, multiply by 64. In integers: (8·d_model/3 + 32) / 64, watching what the division by 3 throws away."},
			{"swiglu.forward", "Two branches read the same x. Only one of them, W1's, goes through SiLU; the other stays linear."},
			{"swiglu.forward", "a = W1 x, b = W3 x, h = SiLU(a) ⊙ b (element by element), y = W2 h. Keep a, b and SiLU(a): the backward pass needs them."},
			{"swiglu.backward", "Walk back through the forward pass line by line: W2's Backward gives dh; h is a product, so each factor receives dh times the other factor."},
			{"swiglu.backward", "db = dh ⊙ SiLU(a); da = dh ⊙ b ⊙ SiLU'(a). Both branches read x, so dx is the sum of what W1's and W3's Backward return."},
			{"swiglu.backward", "dh := W2.Backward(dy); for each i: db[i] = dh[i]·s[i], dh[i] *= b[i]; SiLUBackward(da, a, dh); dx := W1.Backward(da) + W3.Backward(db). The linear layers add to their own gradients."},
		},
	}
}

// drawSwiGLU draws a forward case in which no two dimensions are equal.
func drawSwiGLU(rng *rand.Rand) wire.Values {
	n := distinct(rng, 4, 2, 19)
	d, f := n[2], n[3]+20
	return wire.Values{
		"x":  normal(rng, 1, n[0], n[1], d),
		"w1": normal(rng, 1/math.Sqrt(float64(d)), f, d),
		"w2": normal(rng, 1/math.Sqrt(float64(f)), d, f),
		"w3": normal(rng, 1/math.Sqrt(float64(d)), f, d),
	}
}

func drawSwiGLUBackward(rng *rand.Rand) wire.Values {
	in := drawSwiGLU(rng)
	in["dy"] = normal(rng, 1, in["x"].Shape...)
	for _, w := range []string{"w1", "w2", "w3"} {
		in["d"+w+"_before"] = normal(rng, 1, in[w].Shape...)
	}
	return in
}

func badSwiGLU() wire.Values {
	rng := rand.New(rand.NewPCG(5, 1))
	return wire.Values{"x": normal(rng, 1, 2, 5), "w1": normal(rng, 1, 7, 6), "w2": normal(rng, 1, 6, 7), "w3": normal(rng, 1, 7, 6)}
}

// misfitSwiGLU has one weight that does not fit the others.
func misfitSwiGLU(weight string, shape ...int) wire.Values {
	rng := rand.New(rand.NewPCG(5, 2))
	return with(with(badSwiGLU(), "x", normal(rng, 1, 2, 6)), weight, normal(rng, 1, shape...))
}

// boundaries are the widths at which d_ff goes to the next multiple of 64, and
// those just below.
func boundaries() []wire.Values {
	var inputs []wire.Values
	for _, d := range []int{1, 11, 12, 35, 36, 37, 59, 60, 1019, 1020} {
		inputs = append(inputs, wire.Values{"d_model": wire.Int(d)})
	}
	return inputs
}

func emptySwiGLU() wire.Values { return with(badSwiGLU(), "x", wire.Float32s([]float32{}, 0, 6)) }
