package classic

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// zeros is an array of a shape, for what is refused before it is read.
func zeros(shape ...int) wire.Value {
	v := wire.Float32s(nil, shape...)
	v.F32 = make([]float32, v.Len())
	return v
}

func refusedNorms() []func(*course.Exam) error {
	const f = "layernorm.forward"
	with := func(name string, shape ...int) wire.Values {
		return course.With(normOf(rand.New(rand.NewPCG(19, 3)), 3, 6), name, zeros(shape...))
	}
	return []func(*course.Exam) error{
		course.Misfits(f, "x", drawNorm),
		course.Refuses(f, "x with 5 features where the gain has 6", with("x", 3, 5), "5", "6"),
		course.Refuses(f, "a gain of two dimensions", with("g", 1, 6), "1", "6"),
		course.Refuses(f, "a bias of 5 where the gain has 6", with("b", 5), "5", "6"),
	}
}

func refusedLengths() []func(*course.Exam) error {
	var all []func(*course.Exam) error
	for _, f := range []string{"gelu", "relu"} {
		x, both := wire.Values{"x": course.Ones(3)}, wire.Values{"x": course.Ones(3), "dy": course.Ones(3)}
		all = append(all,
			course.Refuses(f+".forward", "a dst of 2 elements where x has 3", course.With(x, "dst", wire.Int(2)), "2", "3"),
			course.Refuses(f+".forward", "a dst of 4 elements where x has 3", course.With(x, "dst", wire.Int(4)), "4", "3"),
			course.Refuses(f+".backward", "a dx of 2 elements where x has 3", course.With(both, "dst", wire.Int(2)), "2", "3"),
			course.Refuses(f+".backward", "a dx of 4 elements where x has 3", course.With(both, "dst", wire.Int(4)), "4", "3"),
			course.Refuses(f+".backward", "dy with 2 elements where x has 3", course.With(both, "dy", course.Ones(2)), "2", "3"),
			course.Refuses(f+".backward", "dy with 4 elements where x has 3", course.With(both, "dy", course.Ones(4)), "4", "3"))
	}
	return all
}

func refusedNetworks() []func(*course.Exam) error {
	const f = "ffn.forward"
	with := func(name string, shape ...int) wire.Values {
		return course.With(networkOf(rand.New(rand.NewPCG(19, 4)), 0, 6, 7, 2), name, zeros(shape...))
	}
	return []func(*course.Exam) error{
		course.Misfits(f, "x", drawNetwork(0)),
		course.Refuses(f, "x with 5 features where the weights take 6", with("x", 2, 5), "5", "6"),
		course.Refuses(f, "a w1 of one dimension", with("w1", 6), "6"),
		course.Refuses(f, "a b1 of 6 where w1 has 7 rows", with("b1", 6), "6", "7"),
		course.Refuses(f, "a w2 that leads back to 5 features", with("w2", 5, 7), "5", "6"),
		course.Refuses(f, "a b2 of 7 where there are 6 features", with("b2", 7), "7", "6"),
	}
}

// refusedPositions ask for positions before the table and behind it. A table of six rows has
// room for three tokens from positions 0 to 3 on.
func refusedPositions() []func(*course.Exam) error {
	const f = "positions.forward"
	at := func(first int) wire.Values {
		return wire.Values{"x": zeros(2, 3, 4), "table": zeros(6, 4), "first": wire.Int(first)}
	}
	return []func(*course.Exam) error{
		course.Refuses(f, "x with 5 features where the table has 4", course.With(at(0), "x", zeros(2, 3, 5)), "5", "4"),
		course.Refuses(f, "an x of one dimension", course.With(at(0), "x", zeros(4)), "4"),
		course.Refuses(f, "a table of one dimension", course.With(at(0), "table", zeros(4)), "4"),
		course.Refuses(f, "a text that goes on to position 6 of a table of 6", at(4), "6"),
		course.Refuses(f, "a text that begins at position 9 of a table of 6", at(9), "9", "6"),
		course.Refuses(f, "a text that begins at position -1", at(-1), "-1", "6"),
		course.AgreesOn(f, at(3), at(0)),
	}
}

// noForwards calls every Backward without a Forward before it.
func noForwards() func(*course.Exam) error {
	var all []func(*course.Exam) error
	for _, l := range layers() {
		all = append(all, course.Without("x", l.Backward, l.Draw))
	}
	return course.All(all...)
}
