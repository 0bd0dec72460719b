package attention

import (
	"maps"
	"math/rand/v2"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// badAttention has 3 queries and 4 keys with K = 6, and one argument that does
// not fit them.
func badAttention(wrong string) wire.Values {
	rng := rand.New(rand.NewPCG(8, 1))
	in := wire.Values{"q": course.Normal(rng, 1, 1, 2, 3, 6), "k": course.Normal(rng, 1, 1, 2, 4, 6), "v": course.Normal(rng, 1, 1, 2, 4, 7),
		"mask": wire.Bools(make([]bool, 12), 3, 4)}
	switch wrong {
	case "k":
		in["k"] = course.Normal(rng, 1, 1, 2, 4, 5)
	case "v":
		in["v"] = course.Normal(rng, 1, 1, 2, 5, 7)
	case "k's sequences":
		in["k"] = course.Normal(rng, 1, 5, 2, 4, 6)
	case "v's sequences":
		in["v"] = course.Normal(rng, 1, 5, 2, 4, 7)
	case "turned k and v":
		in["k"], in["v"] = course.Normal(rng, 1, 2, 1, 4, 6), course.Normal(rng, 1, 2, 1, 4, 7)
	case "k and v's sequences":
		in["k"], in["v"] = course.Normal(rng, 1, 5, 2, 4, 6), course.Normal(rng, 1, 5, 2, 4, 7)
	case "mask":
		in["mask"] = wire.Bools(make([]bool, 6), 3, 2)
	case "mask's queries":
		in["mask"] = wire.Bools(make([]bool, 8), 2, 4)
	case "turned mask":
		in["mask"] = wire.Bools(make([]bool, 12), 4, 3)
	case "k's heads":
		in["k"] = course.Normal(rng, 1, 1, 1, 4, 6)
	case "v's heads":
		in["v"] = course.Normal(rng, 1, 1, 1, 4, 7)
	case "flat k":
		in["k"] = course.Normal(rng, 1, 4, 6)
	case "wide mask":
		in["mask"] = wire.Bools(make([]bool, 24), 3, 8)
	case "masks":
		in["mask"] = wire.Bools(make([]bool, 60), 5, 3, 4)
	case "q":
		in["q"] = course.Normal(rng, 1, 6)
	case "dy":
		in["dy"] = course.Normal(rng, 1, 1, 2, 5, 7)
	case "dy's width":
		in["dy"] = course.Normal(rng, 1, 1, 2, 3, 6)
	case "dy's heads":
		in["dy"] = course.Normal(rng, 1, 1, 1, 3, 7)
	}
	return in
}

// badMultihead is a valid call with D = 12 and 3 heads, except for one argument.
func badMultihead(wrong string) wire.Values {
	rng := rand.New(rand.NewPCG(8, 2))
	in := wire.Values{"x": course.Normal(rng, 1, 2, 5, 12), "num_heads": wire.Int(3), "theta": wire.Float(500), "max_seq_len": wire.Int(9), "positions": course.IDs(rng, 9, 1, 5)}
	for _, name := range []string{"wq", "wk", "wv", "wo"} {
		in[name] = course.Normal(rng, 0.3, 12, 12)
		if strings.HasPrefix(wrong, "dy") {
			in["d"+name+"_before"] = course.Normal(rng, 0.3, 12, 12)
		}
	}
	switch wrong {
	case "x":
		in["x"] = course.Normal(rng, 1, 2, 5, 10)
	case "dy":
		in["dy"] = course.Normal(rng, 1, 2, 5, 10)
	case "dy's tokens":
		in["dy"] = course.Normal(rng, 1, 2, 4, 12)
	case "dy's sequences":
		in["dy"] = course.Normal(rng, 1, 1, 5, 12)
	case "num_heads":
		in["num_heads"] = wire.Int(5)
	case "wo":
		in["wo"] = course.Normal(rng, 1, 12, 10)
	case "rope": // which New has to refuse, before there is an x
		delete(in, "x")
		in["rope_width"] = wire.Int(6)
	case "tall wo":
		in["wo"] = course.Normal(rng, 1, 24, 12)
	case "flat wo":
		in["wo"] = course.Normal(rng, 1, 12)
	case "wq":
		in["wq"], in["wk"], in["wv"] = course.Normal(rng, 1, 10, 12), course.Normal(rng, 1, 10, 12), course.Normal(rng, 1, 10, 12)
	}
	return in
}

// refusedMultihead asks for an x and for positions that MultiHead.Forward refuses.
func refusedMultihead() []func(*course.Exam) error {
	in := badMultihead("")
	positions := func(rows, length int, last int64) wire.Values {
		ids := make([]int64, rows*length)
		ids[len(ids)-1] = last
		return course.With(in, "positions", wire.Ints(ids, rows, length))
	}
	return []func(*course.Exam) error{
		course.Refuses("multihead.forward", "an x of two dimensions", course.With(in, "x", wire.Float32s(make([]float32, 60), 5, 12)), "5", "12"),
		course.Refuses("multihead.forward", "three rows of positions for a batch of two", positions(3, 5, 0), "3", "2"),
		course.Refuses("multihead.forward", "no rows of positions", course.With(in, "positions", wire.Ints(nil, 0, 5))),
		course.Refuses("multihead.forward", "positions for four tokens where there are five", positions(1, 4, 0), "4", "5"),
		course.Refuses("multihead.forward", "positions for six tokens where there are five", positions(1, 6, 0), "6", "5"),
		course.Refuses("multihead.forward", "a second row of positions for four tokens where there are five", course.Ragged(in, "positions", 5, 4), "5"),
		course.Refuses("multihead.forward", "position 9 at [1][4] with max_seq_len 9", positions(2, 5, 9), "9", "[1][4]"),
		course.Refuses("multihead.forward", "position -1 at [1][4]", positions(2, 5, -1), "-1", "[1][4]"),
	}
}

// weightsKept checks that the weights of Forward are still there after Backward:
// they are valid until the next Forward.
func weightsKept(e *course.Exam) error {
	in := drawAttentionBackward(e.Rng)
	shape := append(in["q"].Shape[:3:3], in["k"].Shape[2])
	after, err := e.Array("attention.backward", in, "weights", shape...)
	if err != nil {
		return err
	}
	forward := maps.Clone(in)
	delete(forward, "dy")
	before, err := e.Array("attention.forward", forward, "weights", shape...)
	if err != nil {
		return err
	}
	d := verdict.Compare("weights", wire.Float32s(after, shape...), wire.Float32s(before, shape...), e.Tolerance("attention.forward", "weights"))
	kept := 1.0
	if d != nil {
		kept = 0
	}
	e.MarkOutcome(e.Check+"/weights are kept", kept, 1, 0.5)
	if d != nil {
		return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("attention.backward", in),
			Message: lang.T("the weights after Backward are not those of Forward any more, first at %s; they must stay valid until the next Forward", d.At())}
	}
	return nil
}
