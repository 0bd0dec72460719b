package kvcache

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// right is a call of a model with a vocabulary of 11 and a context of 12: two rows of
// seven tokens, and room for ten.
func right() wire.Values {
	rng := rand.New(rand.NewPCG(12, 1))
	in := drawModel(rng)
	d := in["lm_head.weight"].Shape[1]
	in["token_embeddings.weight"], in["lm_head.weight"] = course.Normal(rng, 1, 11, d), course.Normal(rng, 1, 11, d)
	in["context_length"], in["max_len"] = wire.Int(12), wire.Int(10)
	in["ids"] = course.IDs(rng, 11, 2, 7)
	return in
}

// refusedTokens asks for tokens that cannot be read.
func refusedTokens() []func(*course.Exam) error {
	calls := func(ids wire.Value, calls ...int64) wire.Values {
		in := course.With(right(), "ids", ids)
		return course.With(in, "calls", wire.Ints(calls, len(calls)/2, 2))
	}
	longer := course.IDs(rand.New(rand.NewPCG(12, 2)), 11, 2, 11)
	with := func(at int, id int64) wire.Value {
		v := right()["ids"]
		v.I64 = slices.Clone(v.I64)
		v.I64[at] = id
		return v
	}
	const f = "kvcache.rows"
	parts := []func(*course.Exam) error{
		course.Refuses(f, "eleven tokens where there is room for ten", calls(longer, 11, 3), "0", "11", "10"),
		course.Refuses(f, "two tokens in row 1 behind nine, where there is room for ten", calls(longer, 4, 9, 1, 2), "1", "9", "10"),
		course.Refuses(f, "id 99 in row 1 with a vocabulary of 11", calls(with(9, 99), 7, 7), "1", "99"),
		course.Refuses(f, "id 11 in row 0 with a vocabulary of 11", calls(with(2, 11), 7, 7), "0", "11"),
		course.Refuses(f, "id -1 in row 1", calls(with(8, -1), 7, 7), "1", "-1"),
	}
	for _, f := range []string{f, "kvcache.last"} {
		parts = append(parts,
			course.Refuses(f, "id 99 in row 5, below rows that read nothing,", inRow5(2, 99), "5", "99"),
			course.Refuses(f, "eleven tokens in row 5, below rows that read nothing,", inRow5(11, 0), "5", "11", "10"))
	}
	return parts
}

// inRow5 lets row 5 of six read so many tokens, of which the last has an id, and no row
// above it but row 3.
func inRow5(tokens int, id int64) wire.Values {
	in := course.With(right(), "ids", wire.Ints(make([]int64, 6*tokens), 6, tokens))
	in["ids"].I64[6*tokens-1] = id
	return course.With(in, "calls", wire.Ints([]int64{0, 0, 0, 1, 0, int64(tokens)}, 1, 6))
}

// afterRefusals reads a batch in two calls, with calls in between that are refused,
// and expects the logits that there are without them.
func afterRefusals(e *course.Exam) error {
	in := right()
	drawn, want, err := e.Drawn(course.Drawing{Function: "kvcache.rows", Draw: func(rng *rand.Rand) wire.Values {
		in := course.With(in, "ids", course.IDs(rng, 11, 2, 7))
		return course.With(in, "calls", wire.Ints([]int64{4, 5, 3, 1}, 2, 2))
	}})
	if err != nil {
		return err
	}
	for _, bad := range []struct {
		what lang.Text
		rows [][]int64
	}{
		{lang.T("seven tokens in row 0 behind four, where there is room for ten,"), [][]int64{{1, 2, 3, 4, 5, 6, 7}, {8}}},
		{lang.T("six tokens in row 1 behind five, where there is room for ten,"), [][]int64{{1, 2}, {3, 4, 5, 6, 7, 8}}},
		{lang.T("an unknown id at the end of row 0"), [][]int64{{1, 2, 11}, {4, 5}}},
		{lang.T("an unknown id at the end of row 1"), [][]int64{{1, 2, 3}, {4, 99}}},
		{lang.T("an id of -1 in row 1"), [][]int64{{}, {-1}}},
		{lang.T("one row for a batch of two"), [][]int64{{1, 2}}},
		{lang.T("three rows for a batch of two"), [][]int64{{1}, {2}, {3}}},
		{lang.T("no rows for a batch of two"), nil},
	} {
		if err := between(e, drawn, want, bad.what, bad.rows); err != nil {
			return err
		}
	}
	return nil
}

// between makes the call that is refused between the two of a reading.
func between(e *course.Exam, in, want wire.Values, what lang.Text, rows [][]int64) error {
	flat, lengths := slices.Concat(rows...), make([]int64, len(rows))
	for i, row := range rows {
		lengths[i] = int64(len(row))
	}
	in = course.With(in, "refused", wire.Ints(flat, 1, len(flat)))
	in = course.With(in, "refused_lengths", wire.Ints(lengths, len(lengths)))
	got, err := e.Ask("kvcache.rows", in)
	if err == nil {
		err = e.Compare("kvcache.rows", in, got, want, nil, func(output string) float64 { return e.Tolerance("kvcache.rows", output) })
	}
	var f *verdict.Failure
	if !errors.As(err, &f) {
		return err
	}
	told := *f
	told.Asked = lang.T("two calls, and between them one that is refused (%s): %s", what, f.Asked)
	return &told
}

// refusedCuts asks for lengths that no row can be cut to.
func refusedCuts() []func(*course.Exam) error {
	cut := func(keep ...int64) wire.Values {
		in := course.With(right(), "more", wire.Ints([]int64{1, 2}, 2, 1))
		return course.With(in, "keep", wire.Ints(keep, len(keep)))
	}
	const f = "kvcache.truncate"
	return []func(*course.Exam) error{
		course.Refuses(f, "a cut to 8 tokens of row 0, which has 7,", cut(8, 3), "8"),
		course.Refuses(f, "a cut to 8 tokens of row 1, which has 7,", cut(3, 8), "8"),
		course.Refuses(f, "a cut to -1 tokens", cut(2, -1), "-1"),
		course.Refuses(f, "a cut of row 2 in a batch of two", cut(2, 3, 1), "2"),
	}
}

// size is a cache of a model with a context of 9.
func size(batch, maxLen int) wire.Values {
	in := wire.Values{"vocab_size": wire.Int(7), "context_length": wire.Int(9), "d_model": wire.Int(12), "num_layers": wire.Int(2),
		"num_heads": wire.Int(3), "d_ff": wire.Int(5)}
	in["batch"], in["max_len"] = wire.Int(batch), wire.Int(maxLen)
	return in
}

// refusedSizes asks for caches that there are not.
func refusedSizes() []func(*course.Exam) error {
	const f = "kvcache.bytes"
	return []func(*course.Exam) error{
		course.Refuses(f, "a cache of 0 rows", size(0, 9), "0"),
		course.Refuses(f, "a cache of -2 rows", size(-2, 9)),
		course.Refuses(f, "rows of at most 0 tokens", size(2, 0), "0"),
		course.Refuses(f, "rows of 10 tokens with a context of 9", size(2, 10), "10", "9"),
	}
}
