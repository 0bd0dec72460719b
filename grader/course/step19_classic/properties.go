package classic

import (
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// layers are what is asked again and again.
func layers() []course.Layer {
	layer := func(name string, draw func(*rand.Rand) wire.Values) course.Layer {
		return course.Layer{Forward: name + ".forward", Backward: name + ".backward", Input: "x", Draw: withGradient(name, draw), Bad: course.Wider("x")}
	}
	all := []course.Layer{layer("layernorm", drawNorm), layer("ffn", drawNetwork(0)), layer("positions", drawPositions),
		layer("postnorm", drawPostNorm), layer("dropout", drawDropout(1))}
	all[4].Bad = nil // there is no input that it would have to refuse
	return all
}

// again asks every layer again and again, and gives it a dy that does not fit.
func again() []func(*course.Exam) error {
	var all []func(*course.Exam) error
	for _, l := range layers() {
		all = append(all, course.AskedAgain(l), course.Misfits(l.Backward, "dy", l.Draw),
			course.AtOnce(course.Drawing{Function: l.Backward, Draw: l.Draw}))
	}
	placed := layers()[2]
	placed.Bad = func(in wire.Values) wire.Values { return course.With(in, "first", wire.Int(in["table"].Shape[0])) }
	all = append(all, course.MadeOf(layers()[0], "g"), course.MadeOf(layers()[0], "b"), otherActivation(), course.AfterRefusal(placed))
	return all
}

// otherActivation asks one network with GELU and with ReLU in turn: what stands in Act is
// read in every call.
func otherActivation() func(*course.Exam) error {
	gelu := networkOf(rand.New(rand.NewPCG(19, 5)), 0, 5, 8, 3)
	draw := func(relu int) func(*rand.Rand) wire.Values {
		return withGradient("ffn", func(rng *rand.Rand) wire.Values {
			in := networkOf(rng, relu, 5, 8, 3)
			return course.With(in, "w1", gelu["w1"])
		})
	}
	return course.OneLayer(course.Drawing{Function: "ffn.backward", Draw: draw(0)}, course.Drawing{Function: "ffn.backward", Draw: draw(1)})
}

// turns lets one dropout train, evaluate and train again: evaluation leaves nothing behind.
func turns() func(*course.Exam) error {
	forward := func(training int) course.Drawing {
		return course.Drawing{Function: "dropout.forward", Draw: drawDropout(training)}
	}
	backward := func(training int) course.Drawing {
		return course.Drawing{Function: "dropout.backward", Draw: withGradient("dropout", drawDropout(training))}
	}
	return course.OneLayer(forward(1), forward(0), backward(1), backward(0), forward(1), forward(0), backward(0), backward(1))
}

// unordinary makes every third number of an array +Inf or NaN: what is dropped is 0 all the same.
func unordinary(function, name string, draw func(*rand.Rand) wire.Values) func(*course.Exam) error {
	return course.AgreesExactly(function, func(rng *rand.Rand) wire.Values {
		in := draw(rng)
		for i := 0; i < in[name].Len(); i += 3 {
			in[name].F32[i] = float32(math.Inf(1))
			if i%2 == 0 {
				in[name].F32[i] = float32(math.NaN())
			}
		}
		return in
	})
}

// farFromZero asks for rows whose mean is some thousand times their spread. A sum in float32
// on the way would decide what comes out, so they are no case for Drawn.
func farFromZero(function string, draw func(*rand.Rand) wire.Values) func(*course.Exam) error {
	return func(e *course.Exam) error { return e.Against(function, draw(e.Rng), nil) }
}

// work counts the products of the network: three of each weight, and no more.
func work() func(*course.Exam) error {
	need := func(in wire.Values, _ int) float64 { return 6 * float64(in["x"].Shape[0]*in["w1"].Len()) }
	return course.Grows(course.Growth{Function: "ffn.backward", Size: "F", Sizes: []int{90}, Output: "dx",
		Draw: func(rng *rand.Rand, f int) wire.Values {
			return withGradient("ffn", func(rng *rand.Rand) wire.Values { return networkOf(rng, 0, 24, f, 40) })(rng)
		},
		Bounds: []course.Bound{{Cost: course.Multiplications, Most: 1.1, Of: need,
			Advice: lang.T("Each weight has three products: one in Forward, and in Backward one for the gradient of its input and one for its own.")}}})
}

// inTime compares rows of 32 numbers with the same numbers in rows of 1024: a row is gone
// through a few times, and not once for every number of it.
func inTime() func(*course.Exam) error {
	const numbers = 1 << 16
	return course.Grows(course.Growth{Function: "layernorm.backward", Size: "D", Sizes: []int{32, 1024}, From: 1, Output: "dx",
		Draw: func(rng *rand.Rand, d int) wire.Values {
			return withGradient("layernorm", func(rng *rand.Rand) wire.Values { return normOf(rng, numbers/d, d) })(rng)
		},
		Bounds: []course.Bound{{Cost: course.Seconds, Most: 4,
			Advice: lang.T("There are as many numbers, in longer rows. Take the mean and the variance of a row once, before the loop over its numbers.")}}})
}

// nothingStays asks every layer several times and looks at the memory in use.
func nothingStays() func(*course.Exam) error {
	advice := lang.T("What a pass works with is used again by the next, and nothing of past calls is kept.")
	var all []func(*course.Exam) error
	for _, l := range layers() {
		all = append(all, course.Grows(course.Growth{Function: l.Backward, Size: "N", Sizes: []int{40}, From: 2, Look: [2]int{3, 43}, Output: "dx",
			Draw:   func(rng *rand.Rand, _ int) wire.Values { return l.Draw(rng) },
			Bounds: []course.Bound{{Cost: course.Kept, Free: 32 << 10, Advice: advice}}}))
	}
	return course.All(all...)
}
