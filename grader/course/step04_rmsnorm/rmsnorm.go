// Package rmsnorm says how step 04 is checked; what its functions look like says
// fixtures/step04_rmsnorm/functions.txt.
package rmsnorm

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// Step is the assignment.
func Step() *course.Step {
	return &course.Step{
		ID: "step04", Name: "rmsnorm", Folder: "step04_rmsnorm", Track: course.Core,
		Title:     "RMSNorm, every row to the same size",
		Uses:      course.Ordinary(),
		Functions: fixtures.Contract("step04_rmsnorm"),
		Checks: []course.Check{
			{ID: "rmsnorm.forward", Title: "the forward pass agrees with PyTorch", Points: 20, Run: course.Agrees("rmsnorm.forward")},
			{ID: "rmsnorm.forward.fresh", Title: "the forward pass on fresh random cases", Points: 10, Run: course.AgreesFresh("rmsnorm.forward", drawRMSNorm)},
			{ID: "rmsnorm.forward.rows", Title: "rows do not mix; zero, tiny and huge rows come out finite; an empty batch is fine", Points: 10,
				Run: course.All(course.AgreesOn("rmsnorm.forward", hardRMSNorm(), emptyRMSNorm()), course.AgreesOnce("rmsnorm.forward", wide, manyRows, large(1e16), large(1e25), steep, course.Empty(drawRMSNorm, "x")))},
			{ID: "rmsnorm.forward.bad_input", Title: "an input of the wrong width, and a gain that is no vector, are refused", Points: 5, Run: course.All(
				course.Misfits("rmsnorm.forward", "x", drawRMSNorm),
				course.Refuses("rmsnorm.forward", "x with 5 features where the gain has 6", badRMSNorm(), "5", "6"),
				course.Refuses("rmsnorm.forward", "a gain of two dimensions", course.With(badRMSNorm(), "g", wire.Float32s(make([]float32, 5), 1, 5)), "1", "5"))},
			{ID: "rmsnorm.backward.dx", Title: "the gradient of the input agrees with PyTorch", Points: 20, Run: course.Agrees("rmsnorm.backward", "dx")},
			{ID: "rmsnorm.backward.dg", Title: "the gradient of the gain agrees with PyTorch and is added", Points: 15, Run: course.Agrees("rmsnorm.backward", "dg")},
			{ID: "rmsnorm.backward.fresh", Title: "both gradients on fresh random cases", Points: 10, Run: course.All(course.AgreesFresh("rmsnorm.backward", drawRMSNormBackward),
				course.AgreesFresh("rmsnorm.backward", withZeroGains), course.AgreesOnce("rmsnorm.backward", wide, manyRows, large(1e16), large(1e25)))},
			{ID: "rmsnorm.backward.bad_input", Title: "a gradient of another shape than the input is refused", Points: 3,
				Run: course.All(course.Refuses("rmsnorm.backward", "dy (4, 6) where x is (3, 6)", badRMSNormBackward(), "4", "3"),
					course.Misfits("rmsnorm.backward", "dy", drawRMSNormBackward))},
			course.Again("rmsnorm.backward.again", course.AskedAgain(layer()), course.MadeOf(layer(), "g")),
			course.NoForward("rmsnorm.backward.no_forward", course.Without("x", "rmsnorm.backward", drawRMSNormBackward)),
		},
		Inside: []string{"rmsnorm.backward.again", "rmsnorm.backward.no_forward"},
		Hints: []course.Hint{
			course.AgainHint("rmsnorm.backward.again"),
			course.NoForwardHint("rmsnorm.backward.no_forward"),
			{For: "rmsnorm.forward.bad_input", Text: "Begin with tensor.CheckShape: x's last dimension is the gain's length, and the leading ones may be any (tensor.Lead)."},
			{For: "rmsnorm.backward.bad_input", Text: "dy has the shape of the x that Forward kept, leading dimensions included: tensor.CheckShape(\"RMSNorm.Backward: dy\", dy, x.Shape...)."},
			{For: "rmsnorm.forward", Text: "Work on one row at a time: mean of the squares, plus ε, square root, divide. Then multiply by the gain, one number a column."},
			{For: "rmsnorm.forward", Text: "ε stands inside the root: √(mean(x²) + ε). No mean is subtracted, and the sum of squares is divided by D, not D − 1."},
			{For: "rmsnorm.forward", Text: "Sum the squares in float64: a row of large numbers overflows float32 when squared. inv := 1/√(sum/D + Eps); y[i] = x[i]·inv·g[i]."},
			{For: "rmsnorm.backward.fresh", Text: "dg and dx are asked again with other sizes and numbers: dg is summed over all rows, whatever the leading dimensions are, and the mean in dx runs along one row."},
			{For: "rmsnorm.backward.fresh", Text: "Among the rows are long ones, and some of 1e16 and 1e25. Of those float32 holds r, but not r³: work with h = x·r, and multiply by the last r at the end."},
			{For: "rmsnorm.backward.dg", Text: "g[i] multiplies x[i]·inv in every row, so dg[i] sums dy[i]·x[i]·inv over all rows. It is added to Grad."},
			{For: "rmsnorm.backward.dx", Text: "x[i] acts in two ways: through its own numerator, and through the root that all of the row shares. dx has a term for each."},
			{For: "rmsnorm.backward.dx", Text: "With n = x·inv and dn = dy ⊙ g: dx = inv·(dn − n·mean(dn ⊙ n)). The mean runs over the row."},
			{For: "rmsnorm.backward.dx", Text: "Two passes over the row: first s = Σ dy[i]·g[i]·x[i]·inv, then dx[i] = inv·(dy[i]·g[i] − x[i]·inv·s/D)."},
		},
	}
}

func drawRMSNorm(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 3, 2, 33)
	x := course.Normal(rng, 1, n[0]%6+1, n[1], n[2])
	for r := 0; r < x.Len()/n[2]; r++ { // rows of very different size, with a mean
		scale := float32(math.Pow(10, float64(rng.IntN(5)-3)))
		for i := r * n[2]; i < (r+1)*n[2]; i++ {
			x.F32[i] = (x.F32[i] + 0.5) * scale
		}
	}
	return wire.Values{"x": x, "g": course.Gain(rng, n[2])}
}

// layer is what is asked again and again.
func layer() course.Layer {
	return course.Layer{Forward: "rmsnorm.forward", Backward: "rmsnorm.backward", Input: "x", Draw: drawRMSNormBackward, Bad: course.Wider("x")}
}

// drawRMSNormBackward draws until the two terms of dx nowhere cancel: a row that
// is short and has few numbers can have a dy along x, and then the rounding of r
// is all that is left of r·dh − r·h·mean(dh⊙h).
func drawRMSNormBackward(rng *rand.Rand) wire.Values {
	in := drawRMSNorm(rng)
	for again := true; again; again = termsCancel(in) {
		in["x"] = course.Normal(rng, 1, in["x"].Shape...)
		in["dy"] = course.Normal(rng, 1, in["x"].Shape...)
	}
	in["dg_before"] = course.Normal(rng, 1, in["g"].Shape...)
	return in
}

// termsCancel reports whether the terms of some dx are many times larger than
// what its error is held to, |dx| and the root mean square of all.
func termsCancel(in wire.Values) bool {
	const many = 8
	x, dy, g := verdict.Numbers(in["x"]), verdict.Numbers(in["dy"]), verdict.Numbers(in["g"])
	terms, dx, squares := make([]float64, len(x)), make([]float64, len(x)), 0.0
	for from := 0; from < len(x); from += len(g) {
		sum, dot := 0.0, 0.0
		for j := range g {
			sum += x[from+j] * x[from+j]
			dot += dy[from+j] * g[j] * x[from+j]
		}
		mean := sum/float64(len(g)) + 1e-5 // 1/r²
		for j := range g {
			a, b := dy[from+j]*g[j]/math.Sqrt(mean), x[from+j]*dot/float64(len(g))/math.Pow(mean, 1.5)
			terms[from+j], dx[from+j] = math.Abs(a)+math.Abs(b), math.Abs(a-b)
			squares += (a - b) * (a - b)
		}
	}
	rms := math.Sqrt(squares / float64(len(x)))
	for i := range terms {
		if terms[i] > many*(dx[i]+rms) {
			return true
		}
	}
	return false
}

// wide has rows whose length is no multiple of a block's.
func wide(rng *rand.Rand) wire.Values { return sized(rng, 3, 1031) }

// manyRows has more rows than a block, and a rest. Not all have a gradient, the last do: a
// sum over all would be a hard one.
func manyRows(rng *rand.Rand) wire.Values {
	const rows, d = 301, 67
	in := sized(rng, rows, d)
	for r := range rows - 8 {
		if r%3 > 0 {
			clear(in["dy"].F32[r*d : (r+1)*d])
		}
	}
	return in
}

// large has rows of one size: of the squares of 1e16 float32 holds those, but not the
// cube of r, and of 1e25 neither.
func large(size float32) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		in := sized(rng, 3, 9)
		for i := range in["x"].F32 {
			in["x"].F32[i] *= size
		}
		return in
	}
}

// steep has a gain with which a row overflows unless r comes first.
func steep(rng *rand.Rand) wire.Values {
	in := large(1e36)(rng)
	for i := range in["g"].F32 {
		in["g"].F32[i] *= 1000
	}
	return in
}

func sized(rng *rand.Rand, rows, d int) wire.Values {
	return wire.Values{"x": course.Normal(rng, 1, rows, d), "g": course.Gain(rng, d), "dy": course.Normal(rng, 1, rows, d), "dg_before": course.Normal(rng, 1, d)}
}

// hardRMSNorm has a row of zeros, a tiny one, a huge one whose squares
// overflow float32, one with a NaN and an ordinary one.
func hardRMSNorm() wire.Values {
	rng := rand.New(rand.NewPCG(4, 1))
	x := course.Normal(rng, 1, 5, 6)
	for i := range 6 {
		x.F32[i] = 0
		x.F32[6+i] *= 1e-20
		x.F32[12+i] *= 1e25
	}
	x.F32[20] = float32(math.NaN())
	return wire.Values{"x": x, "g": course.Gain(rng, 6)}
}

func badRMSNorm() wire.Values {
	rng := rand.New(rand.NewPCG(4, 2))
	return wire.Values{"x": course.Normal(rng, 1, 3, 5), "g": course.Gain(rng, 6)}
}

func badRMSNormBackward() wire.Values {
	rng := rand.New(rand.NewPCG(4, 3))
	return wire.Values{"x": course.Normal(rng, 1, 3, 6), "g": course.Gain(rng, 6), "dy": course.Normal(rng, 1, 4, 6), "dg_before": course.Normal(rng, 1, 6)}
}

func emptyRMSNorm() wire.Values {
	return course.With(badRMSNorm(), "x", wire.Float32s([]float32{}, 0, 6))
}

// withZeroGains has gains of 0, through which nothing comes forth of x, and whose
// own gradient is not 0.
func withZeroGains(rng *rand.Rand) wire.Values {
	in := drawRMSNormBackward(rng)
	g := in["g"]
	g.F32 = slices.Clone(g.F32)
	for i := 0; i < len(g.F32); i += 3 {
		g.F32[i] = 0
	}
	return course.With(in, "g", g)
}
