package moe

import (
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// right has four tokens of width 6, three experts 5 wide, and two for a token.
func right() wire.Values {
	return sizes{lead: []int{4}, d: 6, experts: 3, hidden: 5, k: 2}.draw(rand.New(rand.NewPCG(18, 1)))
}

// zeros is an array of a shape, for what is refused before it is read.
func zeros(shape ...int) wire.Value {
	v := wire.Float32s(nil, shape...)
	v.F32 = make([]float32, v.Len())
	return v
}

func refusedLayers() []func(*course.Exam) error {
	with := func(name string, v wire.Value) wire.Values { return course.With(right(), name, v) }
	return []func(*course.Exam) error{
		course.Refuses("moe.forward", "x with 5 features where the weights take 6", with("x", zeros(4, 5)), "5", "6"),
		course.Refuses("moe.forward", "k = 4 of 3 experts", with("k", wire.Int(4)), "4", "3"),
		course.Refuses("moe.forward", "k = 0", with("k", wire.Int(0)), "0"),
		course.Misfits("moe.forward", "x", drawForward),
	}
}

func refusedGates() []func(*course.Exam) error {
	logits := func(k, room int) wire.Values {
		return wire.Values{"logits": zeros(2, 3), "k": wire.Int(k), "room": wire.Int(room)}
	}
	back := func(gates int, name string, n int) wire.Values {
		in := wire.Values{"logits": zeros(2, 3), "k": wire.Int(2), "dgates": zeros(2, gates)}
		if name != "" {
			in[name] = wire.Int(n)
		}
		return in
	}
	more := course.With(logits(2, 4), "chosen", wire.Int(4))
	return []func(*course.Exam) error{
		course.Refuses("gates.forward", "room for 3 gates where 2 experts are chosen", logits(2, 3), "3", "2"),
		course.Refuses("gates.forward", "room for 1 gate where 2 experts are chosen", logits(2, 1), "1", "2"),
		course.Refuses("gates.backward", "dgates with 3 numbers where 2 experts are chosen", back(3, "", 0), "3", "2"),
		course.Refuses("gates.forward", "4 chosen experts of 3", more, "4", "3"),
		course.Refuses("gates.backward", "4 chosen experts of 3", back(4, "chosen", 4), "4", "3"),
		course.Refuses("gates.backward", "1 gate where 2 experts are chosen", back(2, "gates", 1), "1", "2"),
		course.Refuses("gates.backward", "dlogits with 4 numbers where there are 3 logits", back(2, "room", 4), "4", "3"),
	}
}

func refusedChoices() []func(*course.Exam) error {
	k := func(k int) wire.Values { return wire.Values{"logits": zeros(2, 3), "k": wire.Int(k)} }
	return []func(*course.Exam) error{
		course.Refuses("moe.topk", "k = 4 of 3 logits", k(4), "4", "3"),
		course.Refuses("moe.topk", "k = 0", k(0), "0"),
	}
}

// refusedPadding has a Real that is longer than there are tokens, or shorter.
func refusedPadding() []func(*course.Exam) error {
	losses := func(tokens int) wire.Values {
		real := wire.Bools(nil, tokens)
		real.Bool = make([]bool, tokens)
		return wire.Values{"x": zeros(1, 4, 6), "router": zeros(1, 3, 6), "k": wire.Int(2), "real": real}
	}
	return []func(*course.Exam) error{
		course.Refuses("moe.losses", "a Real for 5 of 4 tokens", losses(5), "5", "4"),
		course.Refuses("moe.losses", "a Real for 3 of 4 tokens", losses(3), "3", "4"),
	}
}

// moreReal gives a call a Real that has one entry more than there are tokens.
func moreReal(in wire.Values) wire.Values {
	tokens := in["x"].Len() / in["router"].Shape[1]
	return course.With(in, "real", wire.Bools(make([]bool, tokens+1), tokens+1))
}
