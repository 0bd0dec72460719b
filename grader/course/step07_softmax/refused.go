package softmax

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// refusedAxes asks a function of x, and dy if it takes one, for axes that a tensor
// of two has not.
func refusedAxes(function string, inputs ...string) func(*course.Exam) error {
	in := wire.Values{}
	for _, name := range inputs {
		in[name] = wire.Float32s(make([]float32, 8), 2, 4)
	}
	return course.All(
		course.Refuses(function, "axis 2 of a tensor with two axes", course.With(in, "axis", wire.Int(2)), "2"),
		course.Refuses(function, "axis -3 of a tensor with two axes", course.With(in, "axis", wire.Int(-3)), "-3"))
}

// refusedTargets asks CrossEntropy.Forward for everything that its contract refuses.
func refusedTargets() []func(*course.Exam) error {
	one, two := badCrossEntropy(1), badCrossEntropy(2)
	targets := func(rows, length int) wire.Value { return wire.Ints(make([]int64, rows*length), rows, length) }
	empty := func(shape ...int) wire.Values {
		return course.With(course.With(one, "logits", wire.Float32s([]float32{}, shape...)), "targets", targets(shape[0], shape[1]))
	}
	return []func(*course.Exam) error{
		course.Refuses("cross_entropy.forward", "target 5 at [0][1] with a vocabulary of 5", course.With(one, "targets", wire.Ints([]int64{0, 5, 2}, 1, 3)), "5", "[0][1]"),
		course.Refuses("cross_entropy.forward", "target 7 at [1][2] with a vocabulary of 5", course.With(two, "targets", wire.Ints([]int64{0, 1, 2, 3, 4, 7}, 2, 3)), "7", "[1][2]"),
		course.Refuses("cross_entropy.forward", "target -1 at [0][1]", course.With(one, "targets", wire.Ints([]int64{0, -1, 2}, 1, 3)), "-1", "[0][1]"),
		course.Refuses("cross_entropy.forward", "target -100 at [1][0]", course.With(two, "targets", wire.Ints([]int64{0, 1, 2, -100, 4, 0}, 2, 3)), "-100", "[1][0]"),
		course.Refuses("cross_entropy.forward", "logits of two dimensions", course.With(one, "logits", wire.Float32s(make([]float32, 15), 3, 5)), "3", "5"),
		course.Refuses("cross_entropy.forward", "two targets for three tokens", course.With(one, "targets", targets(1, 2)), "2", "3"),
		course.Refuses("cross_entropy.forward", "four targets for three tokens", course.With(one, "targets", targets(1, 4)), "4", "3"),
		course.Refuses("cross_entropy.forward", "two rows of targets for a batch of one", course.With(one, "targets", targets(2, 3)), "2", "1"),
		course.Refuses("cross_entropy.forward", "one row of targets for a batch of two", course.With(two, "targets", targets(1, 3)), "1", "2"),
		course.Refuses("cross_entropy.forward", "rows of two and of four targets for two rows of three tokens", course.Ragged(two, "targets", 2, 4), "3"),
		course.Refuses("cross_entropy.forward", "rows of four and of two targets for two rows of three tokens", course.Ragged(two, "targets", 4, 2), "3"),
		course.Refuses("cross_entropy.forward", "a batch of no sequences, which has no mean loss,", empty(0, 3, 5), "0"),
		course.Refuses("cross_entropy.forward", "a batch of sequences without tokens, which has no mean loss,", empty(2, 0, 5), "0"),
	}
}

// badCrossEntropy is a right call with batch sequences of three tokens and a
// vocabulary of 5, in which something is still to be wrong.
func badCrossEntropy(batch int) wire.Values {
	return wire.Values{"logits": course.Normal(rand.New(rand.NewPCG(7, 1)), 1, batch, 3, 5), "targets": wire.Ints(make([]int64, 3*batch), batch, 3)}
}
