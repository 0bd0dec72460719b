package classic

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// withGradient draws the arguments of a layer's Backward: those of its Forward, dy, and
// what the gradients of the parameters hold before.
func withGradient(layer string, draw func(*rand.Rand) wire.Values) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		in := draw(rng)
		declared, _ := fixtures.Declared(layer + ".backward")
		for _, a := range declared.In {
			switch of, before := wrt(a.Name); {
			case a.Name == "dy":
				in["dy"] = course.Normal(rng, 1, in["x"].Shape...)
			case before:
				in[a.Name] = course.Normal(rng, 1, in[of].Shape...)
			}
		}
		return in
	}
}

// wrt returns x of dx_before.
func wrt(name string) (of string, before bool) {
	const behind = "_before"
	if len(name) < len(behind) || name[len(name)-len(behind):] != behind {
		return "", false
	}
	return name[1 : len(name)-len(behind)], true
}

// normOf draws rows of the given shape with a mean, a gain and a bias. No row is shorter than
// four: the gradient of a pair is what rounding leaves.
func normOf(rng *rand.Rand, shape ...int) wire.Values {
	d := shape[len(shape)-1]
	x := course.Normal(rng, 1, shape...)
	for i := range x.F32 {
		x.F32[i] += 0.5
	}
	return wire.Values{"x": x, "g": course.Gain(rng, d), "b": course.Normal(rng, 0.8, d)}
}

// drawNorm draws rows of very different size, of which none has a variance so small that ε
// hides it.
func drawNorm(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 3, 4, 33)
	in := normOf(rng, n[0]%6+1, n[1], n[2])
	scaleRows(in, func(int) float32 { return float32(math.Pow(10, float64(rng.IntN(5)-2))) })
	return in
}

// scaleRows multiplies every row of x.
func scaleRows(in wire.Values, factor func(row int) float32) {
	x, d := in["x"], in["g"].Shape[0]
	for r := range x.Len() / d {
		f := factor(r)
		for i := r * d; i < (r+1)*d; i++ {
			x.F32[i] *= f
		}
	}
}

func withoutBias(rng *rand.Rand) wire.Values {
	in := drawNorm(rng)
	delete(in, "b")
	return in
}

// shifted has rows whose mean is some thousand times their spread.
func shifted(rng *rand.Rand) wire.Values {
	in := normOf(rng, 3, 5, 21)
	for i := range in["x"].F32 {
		in["x"].F32[i] += 4000
	}
	return in
}

// wideNorm has rows whose length is no multiple of a block's.
func wideNorm(rng *rand.Rand) wire.Values { return normOf(rng, 3, 1031) }

// manyRows has more rows than a block, and a rest.
func manyRows(rng *rand.Rand) wire.Values { return normOf(rng, 301, 19) }

// huge has rows whose squares overflow float32.
func huge(rng *rand.Rand) wire.Values {
	in := normOf(rng, 3, 9)
	scaleRows(in, func(int) float32 { return 1e25 })
	return in
}

// hardRows has a row of zeros, one of equal numbers, a tiny one, one with a NaN and an
// ordinary one.
func hardRows() wire.Values {
	in := normOf(rand.New(rand.NewPCG(19, 1)), 5, 6)
	x := in["x"].F32
	for i := range 6 {
		x[i], x[6+i] = 0, 3.7
		x[12+i] *= 1e-20
	}
	x[20] = float32(math.NaN())
	return in
}

func emptyNorm() wire.Values {
	return course.With(normOf(rand.New(rand.NewPCG(19, 2)), 2, 6), "x", wire.Float32s([]float32{}, 0, 6))
}

// lengths are those at which loops that take several numbers at a time, or divide them
// among workers, go another way.
func lengths(function string) []course.Drawing {
	var all []course.Drawing
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 31, 33, 67, 1031, 4099} {
		all = append(all, course.Drawing{Function: function, Draw: func(rng *rand.Rand) wire.Values {
			in := wire.Values{"x": course.Normal(rng, 1.7, n)}
			if declared, _ := fixtures.Declared(function); declared.Arg("dy") != nil {
				in["dy"] = course.Normal(rng, 1, n)
			}
			return in
		}})
	}
	return all
}

// drawNetwork draws a network in which no two dimensions are equal.
func drawNetwork(relu int) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		n := course.Distinct(rng, 4, 2, 19)
		return networkOf(rng, relu, n[2], n[3]+20, n[0], n[1])
	}
}

func networkOf(rng *rand.Rand, relu, d, f int, lead ...int) wire.Values {
	return wire.Values{
		"x": course.Normal(rng, 1, append(slices.Clone(lead), d)...), "relu": wire.Int(relu),
		"w1": course.Normal(rng, 1/math.Sqrt(float64(d)), f, d), "b1": course.Normal(rng, 0.7, f),
		"w2": course.Normal(rng, 1/math.Sqrt(float64(f)), d, f), "b2": course.Normal(rng, 0.7, d),
	}
}

func drawTable(rng *rand.Rand) wire.Values {
	return wire.Values{"max_seq_len": wire.Int(course.Between(rng, 1, 60)), "d": wire.Int(course.Between(rng, 1, 40))}
}

// tables are none at all, a narrow and a wide one, and a long one.
func tables() []wire.Values {
	var all []wire.Values
	for _, size := range [][2]int{{0, 6}, {3, 0}, {6, 3}, {4, 1031}, {2100, 5}} {
		all = append(all, wire.Values{"max_seq_len": wire.Int(size[0]), "d": wire.Int(size[1])})
	}
	return all
}

// drawPositions leaves room behind the text: a layer is asked for longer ones.
func drawPositions(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 4, 2, 17)
	first := course.Between(rng, 0, 5)
	return wire.Values{"x": course.Normal(rng, 1, n[0], n[1], n[2]), "first": wire.Int(first),
		"table": course.Normal(rng, 1, first+n[1]+n[3]+5, n[2])}
}

// drawDropout draws with a probability that is always the same: a layer keeps its own.
func drawDropout(training int) func(*rand.Rand) wire.Values {
	return func(rng *rand.Rand) wire.Values {
		n := course.Distinct(rng, 2, 3, 30)
		bits := wire.Ints(make([]int64, n[0]*n[1]), n[0], n[1])
		for i := range bits.I64 {
			bits.I64[i] = rng.Int64N(1 << 53)
		}
		return wire.Values{"x": course.Normal(rng, 1, n[0], n[1]), "bits": bits, "p": wire.Float(0.375), "training": wire.Int(training)}
	}
}

func drawPostNorm(rng *rand.Rand) wire.Values {
	n := course.Distinct(rng, 3, 4, 21)
	in := normOf(rng, n[0], n[1], n[2])
	in["w"] = course.Normal(rng, 0.9/math.Sqrt(float64(n[2])), n[2], n[2])
	return in
}
