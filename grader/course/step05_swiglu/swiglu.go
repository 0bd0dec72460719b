// Package swiglu says how step 05 is checked; what its functions look like says
// fixtures/step05_swiglu/functions.txt.
package swiglu

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
		ID: "step05", Name: "swiglu", Folder: "step05_swiglu", Track: course.Core,
		Title:     "SwiGLU, the gated feed-forward network",
		Needs:     []string{"step02"},
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step05_swiglu"),
		Checks: []course.Check{
			{ID: "silu.forward", Title: "SiLU agrees with PyTorch", Points: 7,
				Run: course.All(course.Agrees("silu.forward"), course.AgreesForEach(lengths(silu)...))},
			{ID: "silu.forward.extremes", Title: "SiLU stays finite for huge, tiny and infinite inputs", Points: 5,
				Run: course.All(course.AgreesOn("silu.forward", course.Extremes("x")...), farLeft, tail)},
			{ID: "silu.backward", Title: "SiLU's derivative agrees with PyTorch", Points: 10,
				Run: course.All(course.Agrees("silu.backward"), course.AgreesForEach(lengths(siluBackward)...))},
			{ID: "silu.backward.extremes", Title: "SiLU's derivative stays finite for huge inputs, and lengths must agree", Points: 5,
				Run: course.All(course.AgreesOn("silu.backward", course.FiniteExtremes("x", "dy")...), slopeOfTail,
					course.Refuses("silu.backward", "dy with 4 elements where x has 3", wire.Values{"x": course.Ones(3), "dy": course.Ones(4)}, "4", "3"))},
			{ID: "silu.lengths", Title: "slices of different lengths are refused", Points: 3, Run: course.All(
				course.Refuses("silu.forward", "a dst of 2 elements where x has 3", wire.Values{"x": course.Ones(3), "dst": wire.Int(2)}, "2", "3"),
				course.Refuses("silu.forward", "a dst of 4 elements where x has 3", wire.Values{"x": course.Ones(3), "dst": wire.Int(4)}, "4", "3"),
				course.Refuses("silu.backward", "a dx of 2 elements where x has 3", wire.Values{"x": course.Ones(3), "dy": course.Ones(3), "dst": wire.Int(2)}, "2", "3"),
				course.Refuses("silu.backward", "a dx of 4 elements where x has 3", wire.Values{"x": course.Ones(3), "dy": course.Ones(3), "dst": wire.Int(4)}, "4", "3"),
				course.Refuses("silu.backward", "dy with 2 elements where x has 3", wire.Values{"x": course.Ones(3), "dy": course.Ones(2)}, "2", "3"))},
			{ID: "dff", Title: "d_ff is the multiple of 64 nearest to 8/3 d_model", Points: 5, Run: course.All(course.Agrees("dff"), course.AgreesOn("dff", boundaries()...), course.AgreesFresh("dff", course.DrawSize("d_model", 100, 9000)))},
			{ID: "swiglu.forward", Title: "the forward pass agrees with PyTorch", Points: 15, Run: course.Agrees("swiglu.forward")},
			{ID: "swiglu.forward.fresh", Title: "the forward pass on fresh random cases", Points: 10, Run: course.AgreesFresh("swiglu.forward", drawSwiGLU)},
			{ID: "swiglu.forward.bad_input", Title: "an input of the wrong width is refused; an empty batch is not", Points: 5, Run: course.All(
				course.Misfits("swiglu.forward", "x", drawSwiGLU),
				course.Refuses("swiglu.forward", "x with 5 features where the weights take 6", badSwiGLU(), "5", "6"),
				course.Refuses("swiglu.forward", "a w1 of one dimension", misfitSwiGLU("w1", 6), "6"),
				course.Refuses("swiglu.forward", "a w2 that leads back to 5 features", misfitSwiGLU("w2", 5, 7), "5", "6"),
				course.Refuses("swiglu.forward", "a w3 with 8 rows where w1 has 7", misfitSwiGLU("w3", 8, 6), "8", "7"),
				course.AgreesOn("swiglu.forward", emptySwiGLU()), course.AgreesOnce("swiglu.forward", course.Empty(drawSwiGLU, "x")))},
			{ID: "swiglu.backward.dx", Title: "the gradient of the input agrees with PyTorch", Points: 10, Run: course.Agrees("swiglu.backward", "dx")},
			{ID: "swiglu.backward.dw", Title: "the gradients of the weights agree with PyTorch and are added", Points: 10,
				Run: course.Agrees("swiglu.backward", "dw1", "dw2", "dw3")},
			{ID: "swiglu.backward.fresh", Title: "all gradients on fresh random cases", Points: 8,
				Run: course.All(course.AgreesFresh("swiglu.backward", drawSwiGLUBackward),
					course.AgreesForEach(course.Zeroed("swiglu.backward", drawSwiGLUBackward, "x", "w1", "w2", "w3", "dy")...))},
			course.Again("swiglu.backward.again",
				course.Misfits("swiglu.backward", "dy", drawSwiGLUBackward),
				course.AskedAgain(course.Layer{Forward: "swiglu.forward", Backward: "swiglu.backward", Input: "x", Draw: drawSwiGLUBackward, Bad: course.Wider("x")}),
				course.AtOnce(silu(manyNumbers), siluBackward(manyNumbers), course.Drawing{Function: "swiglu.backward", Draw: drawSwiGLUBackward})),
			course.NoForward("swiglu.backward.no_forward", course.Without("x", "swiglu.backward", drawSwiGLUBackward)),
		},
		Inside: []string{"silu.lengths", "swiglu.backward.again", "swiglu.backward.no_forward"},
		Hints: []course.Hint{
			course.AgainHint("swiglu.backward.again"),
			course.NoForwardHint("swiglu.backward.no_forward"),
			{For: "silu.lengths", Text: "Compare the lengths of all slices before the first element is written, and panic with tensor.ShapeError{Op: …, Got: []int{len(x)}, Want: []int{len(dst)}}. The shorter of two is as wrong as the longer."},
			{For: "swiglu.forward.bad_input", Text: "Begin with tensor.CheckShape: x's last dimension is the number of columns of W1, and the leading ones may be any (tensor.Lead). One of them may be 0: then there is nothing to compute, and y is empty."},
			{For: "silu", Text: "SiLU(x) is x times the sigmoid of x. Look at what your formula does at x = −100 and x = +100."},
			{For: "silu", Text: "1/(1+e^−x) overflows inside for large negative x, and e^x/(1+e^x) for large positive x. One of the two is fine on each side of zero; kernel.Sigmoid has taken care of it."},
			{For: "silu.backward", Text: "Differentiate x·σ(x) as a product: one term from x, one from σ, and σ' = σ(1 − σ). Both terms are needed."},
			{For: "dff", Text: "Divide 8·d_model/3 by 64, round to the nearest whole number, multiply by 64. In integers: (8·d_model/3 + 32) / 64, watching what the division by 3 throws away."},
			{For: "swiglu.forward", Text: "Two branches read the same x. Only one of them, W1's, goes through SiLU; the other stays linear."},
			{For: "swiglu.forward", Text: "a = W1 x, b = W3 x, h = SiLU(a) ⊙ b (element by element), y = W2 h. Keep a, b and SiLU(a): the backward pass needs them."},
			{For: "swiglu.backward", Text: "Walk back through the forward pass line by line: W2's Backward gives dh; h is a product, so each factor receives dh times the other factor."},
			{For: "swiglu.backward", Text: "db = dh ⊙ SiLU(a); da = dh ⊙ b ⊙ SiLU'(a). Both branches read x, so dx is the sum of what W1's and W3's Backward return."},
			{For: "swiglu.backward", Text: "dh := W2.Backward(dy); for each i: db[i] = dh[i]·s[i], dh[i] *= b[i]; SiLUBackward(da, a, dh); dx := W1.Backward(da) + W3.Backward(db). The linear layers add to their own gradients."},
		},
	}
}

// manyNumbers is a prime: whoever divides so long a slice among workers, or takes it in
// groups, has a remainder.
const manyNumbers = 16_411

// lengths are those at which loops that take several numbers at a time, or divide them
// among workers, go another way.
func lengths(activation func(n int) course.Drawing) []course.Drawing {
	var all []course.Drawing
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 17, 31, 33, 67, 131, 1031, 4099, manyNumbers, 65_543} {
		all = append(all, activation(n))
	}
	return all
}

// silu is SiLU of n numbers.
func silu(n int) course.Drawing {
	return course.Drawing{Function: "silu.forward", Draw: func(rng *rand.Rand) wire.Values {
		return wire.Values{"x": course.Normal(rng, 2, n)}
	}}
}

// siluBackward is its derivative.
func siluBackward(n int) course.Drawing {
	return course.Drawing{Function: "silu.backward", Draw: func(rng *rand.Rand) wire.Values {
		return wire.Values{"x": course.Normal(rng, 2, n), "dy": course.Normal(rng, 1, n)}
	}}
}

// drawSwiGLU draws a forward case in which no two dimensions are equal.
func drawSwiGLU(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 4, 2, 19)
	d, f := n[2], n[3]+20
	return wire.Values{
		"x":  course.Normal(rng, 1, n[0], n[1], d),
		"w1": course.Normal(rng, 1/math.Sqrt(float64(d)), f, d),
		"w2": course.Normal(rng, 1/math.Sqrt(float64(f)), d, f),
		"w3": course.Normal(rng, 1/math.Sqrt(float64(d)), f, d),
	}
}

func drawSwiGLUBackward(rng *rand.Rand) wire.Values {
	in := drawSwiGLU(rng)
	in["dy"] = course.Normal(rng, 1, in["x"].Shape...)
	for _, w := range []string{"w1", "w2", "w3"} {
		in["d"+w+"_before"] = course.Normal(rng, 1, in[w].Shape...)
	}
	return in
}

func badSwiGLU() wire.Values {
	rng := rand.New(rand.NewPCG(5, 1))
	return wire.Values{"x": course.Normal(rng, 1, 2, 5), "w1": course.Normal(rng, 1, 7, 6), "w2": course.Normal(rng, 1, 6, 7), "w3": course.Normal(rng, 1, 7, 6)}
}

// misfitSwiGLU has one weight that does not fit the others.
func misfitSwiGLU(weight string, shape ...int) wire.Values {
	rng := rand.New(rand.NewPCG(5, 2))
	return course.With(course.With(badSwiGLU(), "x", course.Normal(rng, 1, 2, 6)), weight, course.Normal(rng, 1, shape...))
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

func emptySwiGLU() wire.Values {
	return course.With(badSwiGLU(), "x", wire.Float32s([]float32{}, 0, 6))
}

// farLeft checks that SiLU vanishes for large negative numbers: beside large positive
// ones, what is left of them would not be seen.
func farLeft(e *course.Exam) error {
	x := []float32{-30, -100, -1e4, -1e30, -math.MaxFloat32}
	in := wire.Values{"x": wire.Float32s(x, len(x))}
	y, err := e.Array("silu.forward", in, "y", len(x))
	if err != nil {
		return err
	}
	for i := range y {
		if !(math.Abs(float64(y[i])) <= 1e-6) {
			return e.Fails("silu.forward", in, "SiLU(%g) is %g; want next to nothing, since e^x falls faster than x grows", x[i], y[i])
		}
	}
	return nil
}
