package paged

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// zeros is an array of a shape, for what is refused before it is read.
func zeros(shape ...int) wire.Value {
	v := wire.Float32s(nil, shape...)
	v.F32 = make([]float32, v.Len())
	return v
}

func refusedScripts() []func(*course.Exam) error {
	const f, size = "pages.script", "pages.bytes"
	right := pool{2, 3, 5, 6, 4}.script(rand.New(rand.NewPCG(22, 1)), op{appends, 0, 7})
	with := func(name string, v wire.Value) wire.Values { return course.With(right, name, v) }
	ops := func(all ...op) wire.Values {
		return pool{2, 3, 5, 6, 4}.script(rand.New(rand.NewPCG(22, 2)), all...)
	}
	sized := func(name string, n int) wire.Values {
		return course.With(drawBytes(rand.New(rand.NewPCG(22, 3))), name, wire.Int(n))
	}
	return []func(*course.Exam) error{
		course.Refuses(f, "queries of width 6 where the keys have 5", with("q", zeros(2, 3, 7, 6)), "6", "5"),
		course.Refuses(f, "queries of 4 heads where there are 3", with("q", zeros(2, 4, 7, 5)), "4", "3"),
		course.Refuses(f, "queries of 2 heads where there are 3", with("q", zeros(2, 2, 7, 5)), "2", "3"),
		course.Refuses(f, "values of width 4 where the keys have 5", with("v", zeros(2, 3, 7, 4)), "4", "5"),
		course.Refuses(f, "values of 2 heads where there are 3", with("v", zeros(2, 2, 7, 5)), "2", "3"),
		course.Refuses(f, "queries of a third layer where there are two", course.With(ops(op{appends, 0, 6}, op{attends, 0, 1}), "q", zeros(3, 3, 7, 5)), "2"),
		course.Refuses(f, "a cut to 8 tokens of a text of 7", ops(op{appends, 0, 7}, op{cuts, 0, 8}), "8"),
		course.Refuses(f, "a cut to -1 tokens", ops(op{appends, 0, 7}, op{cuts, 0, -1}), "-1"),
		course.Refuses(f, "an append of -1 tokens", ops(op{appends, 0, 7}, op{appends, 0, -1}), "-1"),
		course.Refuses(f, "queries of 8 tokens for a text of 7", ops(op{appends, 0, 7}, op{attends, 0, 8}), "8", "7"),
		course.Refuses(size, "a pool without layers", sized("layers", 0), "0"),
		course.Refuses(size, "a pool without heads", sized("heads", 0), "0"),
		course.Refuses(size, "heads of width 0", sized("width", 0), "0"),
		course.Refuses(size, "a pool without pages", sized("pages", 0), "0"),
		course.Refuses(size, "pages of 0 tokens", sized("size", 0), "0"),
	}
}

// rightTexts are two texts behind a prompt of four, with a vocabulary of 11, a context of 16
// and five pages of three tokens, which are all taken in the end.
func rightTexts(rng *rand.Rand) wire.Values {
	return texts{model: model{11, 12, 9, 3, 2, 16, 1.6}, pages: 5, size: 3, prompt: 4, calls: [][]int{{2, 1}, {1, 2}}}.draw(rng)
}

func refusedTexts() []func(*course.Exam) error {
	const f = "paged.forward"
	right := rightTexts(rand.New(rand.NewPCG(22, 4)))
	with := func(name string, v wire.Value) wire.Values { return course.With(right, name, v) }
	long := course.With(with("pages", wire.Int(40)), "ids", course.IDs(rand.New(rand.NewPCG(22, 5)), 11, 2, 13))
	return []func(*course.Exam) error{
		course.Refuses(f, "three pages, where five are needed,", with("pages", wire.Int(3))),
		course.Refuses(f, "an unknown id", with("prompt", wire.Ints([]int64{1, 2, 11}, 3)), "11"),
		course.Refuses(f, "an unknown id in the second text", with("ids", wire.Ints([]int64{1, 2, 3, 99, 5, 6}, 2, 3)), "1", "99"),
		course.Refuses(f, "an id of -1", with("ids", wire.Ints([]int64{1, -1, 3, 4, 5, 6}, 2, 3)), "-1"),
		course.Refuses(f, "thirteen tokens behind four with a context of 16", course.With(long, "calls", wire.Ints([]int64{1, 13}, 1, 2)), "1", "16"),
	}
}

// sharedTexts read nothing in their first call: what is refused behind it would be the first
// to write to the page that both hold.
func sharedTexts(rng *rand.Rand) wire.Values {
	return texts{model: model{11, 12, 9, 3, 2, 16, 1.6}, pages: 5, size: 3, prompt: 4, calls: [][]int{{0, 0}, {2, 1}, {1, 2}}}.draw(rng)
}

// afterRefusals lets two texts read in two calls, with one in between that is refused, and
// expects the logits and the pages that there are without it.
func afterRefusals(e *course.Exam) error {
	const f = "paged.forward"
	drawn, want, err := e.Drawn(course.Drawing{Function: f, Draw: rightTexts})
	if err != nil {
		return err
	}
	shared, sharedWant, err := e.Drawn(course.Drawing{Function: f, Draw: sharedTexts})
	if err != nil {
		return err
	}
	for _, bad := range []struct {
		what    lang.Text
		rows    [][]int64
		foreign string
		text    int
		shared  bool
	}{
		{lang.T("too few pages for the second text"), [][]int64{{1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}, "", 0, false},
		{lang.T("too few pages for both texts, and enough for each"), [][]int64{{1, 2, 3, 4}, {1, 2, 3, 4, 5}}, "", 0, false},
		{lang.T("an unknown id at the end of the second text"), [][]int64{{1, 2}, {3, 11}}, "", 0, false},
		{lang.T("an id of -1 in the first text"), [][]int64{{-1}, {2}}, "", 0, false},
		{lang.T("one row for two texts"), [][]int64{{1}}, "", 0, false},
		{lang.T("three rows for two texts"), [][]int64{{1}, {2}, {3}}, "", 0, false},
		{lang.T("more tokens than the context in the first text"), [][]int64{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1}, {}}, "", 0, false},
		{lang.T("a text of another pool"), [][]int64{{1}, {2}}, "foreign", 1, false},
		{lang.T("one text twice"), [][]int64{{1}, {2}}, "twice", 1, false},
		{lang.T("a text of another pool, which reads nothing"), [][]int64{{1}, {}}, "foreign", 1, false},
		{lang.T("one text twice, of which the second time it reads nothing"), [][]int64{{1}, {}}, "twice", 1, false},
		{lang.T("too few pages for the second text, where the first would take a copy of the page that both hold"), [][]int64{{1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}, "", 0, true},
	} {
		flat, lengths := slices.Concat(bad.rows...), make([]int64, len(bad.rows))
		for i, row := range bad.rows {
			lengths[i] = int64(len(row))
		}
		drawn, want := drawn, want
		if bad.shared {
			drawn, want = shared, sharedWant
		}
		in := course.With(drawn, "refused", wire.Ints(flat, 1, len(flat)))
		in = course.With(in, "refused_lengths", wire.Ints(lengths, len(lengths)))
		if bad.foreign != "" {
			in = course.With(in, bad.foreign, wire.Int(bad.text))
		}
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

func refusedRows() []func(*course.Exam) error {
	const f = "spec.residual"
	p := wire.Values{"p": distributions(rand.New(rand.NewPCG(22, 8)), 2, 5)}
	return []func(*course.Exam) error{
		course.Refuses(f, "q of 4 tokens where p has 5", course.With(p, "q", zeros(2, 4)), "4", "5"),
		course.Refuses(f, "q of 6 tokens where p has 5", course.With(p, "q", zeros(2, 6)), "6", "5"),
	}
}

func refusedTokens() []func(*course.Exam) error {
	const f = "spec.verify"
	right := drawVerify(rand.New(rand.NewPCG(22, 9)))
	n, vocab := right["q"].Shape[0], right["q"].Shape[1]
	with := func(name string, v wire.Value) wire.Values { return course.With(right, name, v) }
	last := func(id int) wire.Values {
		ids := slices.Clone(right["drafted"].I64)
		ids[n-1] = int64(id)
		return with("drafted", wire.Ints(ids, n))
	}
	return []func(*course.Exam) error{
		course.Refuses(f, "as many distributions of the large model as of the draft", with("p", zeros(n, vocab))),
		course.Refuses(f, "two distributions too many of the large model", with("p", zeros(n+3, vocab))),
		course.Refuses(f, "a distribution of the draft too many", with("q", zeros(n+1, vocab))),
		course.Refuses(f, "distributions of the draft over another vocabulary", with("q", zeros(n, vocab+1))),
		course.Refuses(f, "a drafted token that is none of the vocabulary", last(vocab)),
		course.Refuses(f, "a drafted token of -1", last(-1), "-1"),
	}
}

func refusedSpeculations() []func(*course.Exam) error {
	const f = "spec.greedy"
	right := speculation{model{11, 12, 9, 3, 2, 20, 1.6}, 4, 3, 9, 1, 4}.draw(rand.New(rand.NewPCG(22, 10)))
	with := func(name string, v wire.Value) wire.Values { return course.With(right, name, v) }
	notFinite := func(x float64) wire.Values {
		head := right["lm_head.weight"]
		head.F32 = slices.Clone(head.F32)
		head.F32[5] = float32(x)
		return with("lm_head.weight", head)
	}
	return []func(*course.Exam) error{
		course.Refuses(f, "models whose logits hold a NaN", notFinite(math.NaN())),
		course.Refuses(f, "models whose logits hold an infinity", notFinite(math.Inf(1))),
		course.Refuses(f, "an empty prompt", with("prompt", wire.Ints([]int64{}, 0))),
		course.Refuses(f, "an unknown id in the prompt", with("prompt", wire.Ints([]int64{1, 11, 2}, 3)), "11"),
		course.Refuses(f, "an unknown id in the prompt, and no new tokens,", course.With(with("prompt", wire.Ints([]int64{1, 2, 11}, 3)), "max_new", wire.Int(0)), "11"),
		course.Refuses(f, "0 tokens ahead", with("ahead", wire.Int(0)), "0"),
		course.Refuses(f, "temperature −1", with("temperature", wire.Float(-1))),
		course.Refuses(f, "top-p 0", with("top_p", wire.Float(0))),
		course.Refuses(f, "top-p 1.5", with("top_p", wire.Float(1.5))),
		course.Refuses(f, "17 new tokens behind 4 with a context of 20", with("max_new", wire.Int(17)), "20"),
		course.Refuses(f, "a draft of another vocabulary", with("other_vocabulary", wire.Int(1)), "11", "12"),
		course.Refuses(f, "two pages of 4 tokens for the large model", with("pages", wire.Int(2))),
		course.Refuses(f, "two pages of 4 tokens for the draft", with("draft_pages", wire.Int(2))),
	}
}
