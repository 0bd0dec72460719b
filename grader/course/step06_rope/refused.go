package rope

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// refusedTables asks for tables that there are not.
func refusedTables() []func(*course.Exam) error {
	tables := func(dK int) wire.Values {
		return wire.Values{"theta": wire.Float(100), "d_k": wire.Int(dK), "max_seq_len": wire.Int(4)}
	}
	return []func(*course.Exam) error{
		course.Refuses("rope.tables", "an odd d_k", tables(5), "5"),
		course.Refuses("rope.tables", "a d_k of 0", tables(0), "0"),
		course.Refuses("rope.tables", "a d_k of -2", tables(-2)),
	}
}

// refused asks a function for everything that its contract refuses. input is the
// array that it turns.
func refused(function, input string) []func(*course.Exam) error {
	positions := func(rows, length int) wire.Value { return wire.Ints(make([]int64, rows*length), rows, length) }
	one, two := badRoPE(input, 1), badRoPE(input, 2)
	return []func(*course.Exam) error{
		course.Refuses(function, "position 8 with max_seq_len 8", course.With(one, "positions", wire.Ints([]int64{0, 8, 2}, 1, 3)), "8", "[0][1]"),
		course.Refuses(function, "position -1", course.With(one, "positions", wire.Ints([]int64{0, -1, 2}, 1, 3)), "-1", "[0][1]"),
		course.Refuses(function, "position 8 at [1][2] with max_seq_len 8", course.With(two, "positions", wire.Ints([]int64{0, 1, 2, 3, 4, 8}, 2, 3)), "8", "[1][2]"),
		course.Refuses(function, "position -1 at [1][0]", course.With(two, "positions", wire.Ints([]int64{0, 1, 2, -1, 4, 5}, 2, 3)), "-1", "[1][0]"),
		course.Refuses(function, "three rows of positions for a batch of one", course.With(one, "positions", positions(3, 3)), "3", "1"),
		course.Refuses(function, "three rows of positions for a batch of two", course.With(two, "positions", positions(3, 3)), "3", "2"),
		course.Refuses(function, "no rows of positions", course.With(one, "positions", positions(0, 3))),
		course.Refuses(function, "positions for two tokens where x has three", course.With(one, "positions", positions(1, 2)), "2", "3"),
		course.Refuses(function, "positions for four tokens where there are three", course.With(one, "positions", positions(1, 4)), "4", "3"),
		course.Refuses(function, "a second row of positions for two tokens where there are three", course.Ragged(two, "positions", 3, 2), "3"),
		course.Refuses(function, "a second row of positions for four tokens where there are three", course.Ragged(two, "positions", 3, 4), "3"),
		course.Refuses(function, "heads of an odd width", course.With(one, input, wire.Float32s(make([]float32, 15), 1, 3, 5)), "5"),
		course.Refuses(function, "an input of two dimensions", course.With(one, input, wire.Float32s(make([]float32, 12), 3, 4)), "3", "4"),
	}
}

// badRoPE is a right call with batch sequences of three tokens and heads of width
// 4, in which something is still to be wrong.
func badRoPE(input string, batch int) wire.Values {
	return wire.Values{input: course.Normal(rand.New(rand.NewPCG(6, 1)), 1, batch, 3, 4), "positions": wire.Ints([]int64{0, 1, 2}, 1, 3),
		"theta": wire.Float(100), "max_seq_len": wire.Int(8)}
}

// otherPositions asks one RoPE for inputs of one shape, each time with positions of
// their own: it keeps nothing between calls.
func otherPositions(e *course.Exam) error {
	first := drawRoPE(e.Rng)
	draw := func(input string) func(*rand.Rand) wire.Values {
		return func(rng *rand.Rand) wire.Values {
			limit, rows := int(first["max_seq_len"].I64[0]), first["positions"].Shape
			return wire.Values{input: course.Normal(rng, 1, first["x"].Shape...), "positions": course.IDs(rng, limit, rows...),
				"theta": first["theta"], "max_seq_len": first["max_seq_len"]}
		}
	}
	return course.OneLayer(course.Drawing{Function: "rope.forward", Draw: draw("x")},
		course.Drawing{Function: "rope.backward", Draw: draw("dy")})(e)
}

// otherWidth asks a RoPE that was made for heads of one width to turn others.
func otherWidth(e *course.Exam) error {
	number := wire.Int(e.Rng.IntN(1 << 40))
	in := course.With(badRoPE("x", 1), "instance", number)
	if _, err := e.Ask("rope.forward", in); err != nil {
		return err
	}
	return course.Refuses("rope.forward", "heads of width 6 where the tables are for 4",
		course.With(in, "x", wire.Float32s(make([]float32, 18), 1, 3, 6)), "6", "4")(e)
}
