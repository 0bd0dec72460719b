package gqa

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// right is a layer with D = 24, six heads of K = 4 and two of keys and values, and two
// texts of five tokens.
func right() wire.Values {
	rng := rand.New(rand.NewPCG(13, 1))
	in := wire.Values{"x": course.Normal(rng, 1, 2, 5, 24), "num_heads": wire.Int(6), "theta": wire.Float(500), "max_seq_len": wire.Int(9),
		"positions": course.IDs(rng, 9, 1, 5), "wq": course.Normal(rng, 0.3, 24, 24), "wk": course.Normal(rng, 0.3, 8, 24),
		"wv": course.Normal(rng, 0.3, 8, 24), "wo": course.Normal(rng, 0.3, 24, 24)}
	return in
}

// zeros is an array of a shape, for what is refused before it is read.
func zeros(shape ...int) wire.Value {
	v := wire.Float32s(nil, shape...)
	v.F32 = make([]float32, v.Len())
	return v
}

func refusedRepeats() []func(*course.Exam) error {
	const f = "gqa.repeat"
	kv := func(v wire.Value, heads int) wire.Values { return wire.Values{"kv": v, "num_heads": wire.Int(heads)} }
	return []func(*course.Exam) error{
		course.Refuses(f, "seven heads and three of keys", kv(zeros(2, 3, 4, 5), 7), "7", "3"),
		course.Refuses(f, "two heads and six of keys", kv(zeros(2, 6, 4, 5), 2), "2", "6"),
		course.Refuses(f, "no heads", kv(zeros(2, 3, 4, 5), 0), "0"),
		course.Refuses(f, "keys of three dimensions", kv(zeros(2, 3, 5), 6), "3", "5"),
		course.Refuses(f, "keys of five dimensions", kv(zeros(2, 3, 4, 5, 7), 6), "5", "7"),
	}
}

func refusedSums() []func(*course.Exam) error {
	const f = "gqa.sum"
	d := func(v wire.Value, groups int) wire.Values {
		return wire.Values{"d": v, "num_kv_heads": wire.Int(groups)}
	}
	return []func(*course.Exam) error{
		course.Refuses(f, "seven heads and three of keys", d(zeros(2, 7, 4, 5), 3), "7", "3"),
		course.Refuses(f, "two heads and six of keys", d(zeros(2, 2, 4, 5), 6), "2", "6"),
		course.Refuses(f, "no heads of keys", d(zeros(2, 6, 4, 5), 0), "0"),
		course.Refuses(f, "gradients of three dimensions", d(zeros(2, 6, 5), 2), "6", "5"),
		course.Refuses(f, "gradients of five dimensions", d(zeros(2, 6, 4, 5, 7), 2), "5", "7"),
	}
}

// refusedLayers asks for an x and for positions that Forward refuses, and for layers
// that NewMultiHead does.
func refusedLayers() []func(*course.Exam) error {
	const f = "gqa.forward"
	with := func(name string, v wire.Value) wire.Values { return course.With(right(), name, v) }
	keys := func(rows int) wire.Values { return course.With(with("wk", zeros(rows, 24)), "wv", zeros(rows, 24)) }
	positions := func(rows, length int, last int64) wire.Values {
		ids := make([]int64, rows*length)
		ids[len(ids)-1] = last
		return with("positions", wire.Ints(ids, rows, length))
	}
	return []func(*course.Exam) error{
		course.Refuses(f, "an x of width 20 where D is 24", with("x", zeros(2, 5, 20)), "20", "24"),
		course.Refuses(f, "an x of two dimensions", with("x", zeros(5, 24)), "5", "24"),
		course.Refuses(f, "keys and values for four heads of six", keys(16), "6"),
		course.Refuses(f, "keys and values of ten rows, which are no heads of four", keys(10)),
		course.Refuses(f, "five heads in a width of 24", with("num_heads", wire.Int(5)), "5"),
		course.Refuses(f, "three rows of positions for a batch of two", positions(3, 5, 0), "3", "2"),
		course.Refuses(f, "no rows of positions", with("positions", wire.Ints(nil, 0, 5))),
		course.Refuses(f, "positions for four tokens where there are five", positions(1, 4, 0), "4", "5"),
		course.Refuses(f, "position 9 at [1][4] with max_seq_len 9", positions(2, 5, 9), "9", "[1][4]"),
	}
}

func refusedGradients() []func(*course.Exam) error {
	dy := func(shape ...int) wire.Values {
		in := course.With(right(), "dy", zeros(shape...))
		for _, w := range weights() {
			in["d"+w+"_before"] = zeros(in[w].Shape...)
		}
		return in
	}
	const f = "gqa.backward"
	return []func(*course.Exam) error{
		course.Refuses(f, "a dy of width 20 where D is 24", dy(2, 5, 20), "20", "24"),
		course.Refuses(f, "a dy of 4 tokens where x has 5", dy(2, 4, 24), "4", "5"),
		course.Refuses(f, "a dy of 1 text where x has 2", dy(1, 5, 24), "1", "2"),
	}
}

// reading is a call of gqa.extend of eight tokens: room for nine, positions for eight.
func reading(calls ...int64) wire.Values {
	in := right()
	delete(in, "positions")
	in["x"], in["calls"] = course.Normal(rand.New(rand.NewPCG(13, 2)), 1, 8, 24), wire.Ints(calls, len(calls))
	in["max_len"], in["max_seq_len"] = wire.Int(9), wire.Int(8)
	return in
}

func refusedExtends() []func(*course.Exam) error {
	const f = "gqa.extend"
	with := func(name string, v wire.Value) wire.Values { return course.With(reading(3, 2), name, v) }
	return []func(*course.Exam) error{
		course.Refuses(f, "three tokens behind seven, where there is room for nine", with("past", wire.Int(7)), "10"),
		course.Refuses(f, "tokens behind -1", with("past", wire.Int(-1)), "-1"),
		course.Refuses(f, "three tokens behind six, where RoPE has eight positions", with("past", wire.Int(6)), "8"),
		course.Refuses(f, "an x of width 20 where D is 24", with("x", zeros(8, 20)), "20", "24"),
		course.Refuses(f, "keys and values of six heads where there are two", course.With(with("keys", zeros(6, 9, 4)), "values", zeros(6, 9, 4)), "6", "2"),
		course.Refuses(f, "keys and values of width 6 where K is 4", course.With(with("keys", zeros(2, 9, 6)), "values", zeros(2, 9, 6)), "6", "4"),
		course.Refuses(f, "values for eight tokens where the keys have room for nine", with("values", zeros(2, 8, 4)), "8", "9"),
	}
}

// afterRefusals reads a text in two calls, with one in between that is refused, into
// buffers that hold an older text, and expects what there is without it: the older text
// stays behind the end of the new one, and nobody has looked at it.
func afterRefusals(e *course.Exam) error {
	in := reading(3, 5)
	want, err := e.Solve("gqa.extend")(in)
	if err != nil {
		return err
	}
	for _, half := range []string{"keys", "values"} {
		older := course.Normal(e.Rng, 1, want[half].Shape...)
		in = course.With(in, half, older)
		for i, x := range older.F32 {
			if i/4%9 == 8 { // the only place that is not written
				want[half].F64[i] = float64(x)
			}
		}
	}
	return course.InTurn(2, func(i int) error {
		// Six tokens behind three have room, but one of them no position; ten have none.
		in := course.With(in, "refused", wire.Int([]int{6, 10}[i]))
		got, err := e.Ask("gqa.extend", in)
		if err != nil {
			return err
		}
		return e.Compare("gqa.extend", in, got, want, nil, func(output string) float64 { return e.Tolerance("gqa.extend", output) })
	})
}
