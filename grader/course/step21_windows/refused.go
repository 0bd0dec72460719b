package windows

import (
	"errors"
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// rightWindow has three queries and four keys with K = 6 and C = 7, for two heads.
func rightWindow() wire.Values {
	return sizes{lead: []int{1, 2}, n: 3, m: 4, k: 6, c: 7, window: 2, sinks: 1}.draw(rand.New(rand.NewPCG(21, 1)))
}

// rightLinear has three tokens with K = 6 and C = 7, for two heads.
func rightLinear() wire.Values {
	return linear{lead: []int{1, 2}, n: 3, k: 6, c: 7, chunk: 2}.draw(rand.New(rand.NewPCG(21, 2)))
}

// zeros is an array of a shape, for what is refused before it is read.
func zeros(shape ...int) wire.Value {
	v := wire.Float32s(nil, shape...)
	v.F32 = make([]float32, v.Len())
	return v
}

// maskOf hides everything but the first pair.
func maskOf(shape ...int) wire.Value {
	v := wire.Bools(nil, shape...)
	v.Bool = make([]bool, v.Len())
	v.Bool[0] = true
	return v
}

func refusedWindows() []func(*course.Exam) error {
	const f = "window.forward"
	with := func(name string, v wire.Value) wire.Values { return course.With(rightWindow(), name, v) }
	return []func(*course.Exam) error{
		course.Refuses(f, "q with K = 6 and k with K = 5", with("k", zeros(1, 2, 4, 5)), "5", "6"),
		course.Refuses(f, "4 keys and 5 values", with("v", zeros(1, 2, 5, 7)), "4", "5"),
		course.Refuses(f, "keys of 5 sequences and queries of 1", with("k", zeros(5, 2, 4, 6)), "5", "1"),
		course.Refuses(f, "values of 5 sequences and queries of 1", with("v", zeros(5, 2, 4, 7)), "5", "1"),
		course.Refuses(f, "keys of 1 head and queries of 2", with("k", zeros(1, 1, 4, 6)), "1", "2"),
		course.Refuses(f, "values of 1 head and queries of 2", with("v", zeros(1, 1, 4, 7)), "1", "2"),
		course.Refuses(f, "keys without leading dimensions and queries with two", with("k", zeros(4, 6))),
		course.Refuses(f, "a window of -1 keys", with("window", wire.Int(-1))),
		course.Refuses(f, "-2 sinks", with("sinks", wire.Int(-2))),
		course.Refuses(f, "a mask for 2 keys where there are 4", with("mask", maskOf(3, 2)), "2", "4"),
		course.Refuses(f, "a mask for 2 queries where there are 3", with("mask", maskOf(2, 4)), "2", "3"),
		course.Refuses(f, "5 masks for 2 leading indices", with("mask", maskOf(5, 3, 4))),
	}
}

func refusedLinears() []func(*course.Exam) error {
	const f = "linattn.forward"
	with := func(name string, v wire.Value) wire.Values { return course.With(rightLinear(), name, v) }
	return []func(*course.Exam) error{
		course.Refuses(f, "q with K = 6 and k with K = 5", with("k", zeros(1, 2, 3, 5)), "5", "6"),
		course.Refuses(f, "3 queries and 4 keys", with("k", zeros(1, 2, 4, 6)), "3", "4"),
		course.Refuses(f, "3 keys and 5 values", with("v", zeros(1, 2, 5, 7)), "3", "5"),
		course.Refuses(f, "keys of 5 sequences and queries of 1", with("k", zeros(5, 2, 3, 6)), "5", "1"),
		course.Refuses(f, "values of 1 head and queries of 2", with("v", zeros(1, 1, 3, 7)), "1", "2"),
		course.Refuses(f, "a chunk of -1 tokens", with("chunk", wire.Int(-1))),
		course.Refuses(f, "a mask with entries", with("mask", maskOf(3, 3))),
		course.Refuses(f, "a mask for 2 tokens where there are 3", with("mask", maskOf(2, 2)), "2", "3"),
	}
}

// refusedGradients ask for a dy that has not the shape of y, (1, 2, 3, 7).
func refusedGradients(f string, in wire.Values) []func(*course.Exam) error {
	dy := func(shape ...int) wire.Values { return course.With(in, "dy", zeros(shape...)) }
	return []func(*course.Exam) error{
		course.Refuses(f, "a dy of 5 queries where y has 3", dy(1, 2, 5, 7), "5", "3"),
		course.Refuses(f, "a dy of 1 head where y has 2", dy(1, 1, 3, 7), "1", "2"),
		course.Refuses(f, "a dy of width 6 where v has 7", dy(1, 2, 3, 6), "6", "7"),
	}
}

func refusedForms() []func(*course.Exam) error {
	right := form(rand.New(rand.NewPCG(21, 3)), 3, 6, 7)
	with := func(name string, shape ...int) wire.Values { return course.With(right, name, zeros(shape...)) }
	const quadratic, recurrent = "linattn.quadratic", "linattn.recurrent"
	return []func(*course.Exam) error{
		course.Refuses(quadratic, "q with K = 6 and k with K = 5", with("k", 3, 5), "5", "6"),
		course.Refuses(quadratic, "3 keys and 4 values", with("v", 4, 7), "4", "3"),
		course.Refuses(recurrent, "a key of length 6 for a state of K = 5", course.With(right, "state_width", wire.Int(5)), "6", "5"),
		course.Refuses(recurrent, "a query of length 5 for a state of K = 6", with("q", 3, 5), "5", "6"),
	}
}

func refusedLengths() []func(*course.Exam) error {
	x, both := wire.Values{"x": course.Ones(3)}, wire.Values{"x": course.Ones(3), "dy": course.Ones(3)}
	return []func(*course.Exam) error{
		course.Refuses("phi.forward", "a y of 2 elements where x has 3", course.With(x, "dst", wire.Int(2)), "2", "3"),
		course.Refuses("phi.forward", "a y of 4 elements where x has 3", course.With(x, "dst", wire.Int(4)), "4", "3"),
		course.Refuses("phi.backward", "a dx of 2 elements where x has 3", course.With(both, "dst", wire.Int(2)), "2", "3"),
		course.Refuses("phi.backward", "a dx of 4 elements where x has 3", course.With(both, "dst", wire.Int(4)), "4", "3"),
		course.Refuses("phi.backward", "dy with 2 elements where x has 3", course.With(course.With(both, "dy", course.Ones(2)), "dst", wire.Int(3)), "2", "3"),
		course.Refuses("phi.backward", "dy with 4 elements where x has 3", course.With(course.With(both, "dy", course.Ones(4)), "dst", wire.Int(3)), "4", "3"),
	}
}

// rightStream has a vocabulary of 11 and room for ten tokens, of which it reads seven.
func rightStream(rng *rand.Rand) wire.Values {
	return stream{vocab: 11, d: 12, f: 9, heads: 3, layers: 2, context: 12, maxLen: 10, window: 3, sinks: 1, calls: []int{4, 3}, sharp: 1.6}.draw(rng)
}

func refusedStreams() []func(*course.Exam) error {
	const f, size = "stream.forward", "stream.bytes"
	right := rightStream(rand.New(rand.NewPCG(21, 4)))
	with := func(name string, v wire.Value) wire.Values { return course.With(right, name, v) }
	sized := func(name string, n int) wire.Values {
		return course.With(drawBytes(rand.New(rand.NewPCG(21, 5))), name, wire.Int(n))
	}
	return []func(*course.Exam) error{
		course.Refuses(f, "seven tokens, where six may be read,", with("max_len", wire.Int(6))),
		course.Refuses(f, "an unknown id", with("ids", wire.Ints([]int64{1, 2, 3, 4, 5, 6, 11}, 7)), "11"),
		course.Refuses(f, "an id of -1", with("ids", wire.Ints([]int64{1, 2, 3, 4, -1, 6, 7}, 7)), "-1"),
		course.Refuses(size, "a window of 0 keys", sized("window", 0), "0"),
		course.Refuses(size, "a window of -3 keys", sized("window", -3)),
		course.Refuses(size, "-1 sinks", sized("sinks", -1)),
		course.Refuses(size, "a text of at most 0 tokens", sized("max_len", 0), "0"),
	}
}

// afterRefusals reads a text in two calls, with calls in between that are refused, and
// expects the logits that there are without them.
func afterRefusals(e *course.Exam) error {
	const f = "stream.forward"
	drawn, want, err := e.Drawn(course.Drawing{Function: f, Draw: rightStream})
	if err != nil {
		return err
	}
	for _, bad := range []struct {
		what lang.Text
		ids  []int64
	}{
		{lang.T("seven tokens behind four, where there is room for ten"), []int64{1, 2, 3, 4, 5, 6, 7}},
		{lang.T("an unknown id behind others"), []int64{1, 2, 11}},
		{lang.T("an id of -1"), []int64{-1}},
	} {
		in := course.With(drawn, "refused", wire.Ints(bad.ids, len(bad.ids)))
		got, err := e.Ask(f, in)
		if err == nil {
			err = e.Compare(f, in, got, want, nil, func(output string) float64 { return e.Tolerance(f, output) })
		}
		var failure *verdict.Failure
		if errors.As(err, &failure) {
			told := *failure
			told.Asked = lang.T("two calls, and between them one that is refused (%s): %s", bad.what, failure.Asked)
			return &told
		}
		if err != nil {
			return err
		}
	}
	return nil
}
