package kvcache

import (
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// spare is by how much a call may exceed the multiplications that it needs. Whoever
// feeds the text again needs more than tenfold, whoever runs the head for the whole
// prompt twofold.
const spare = 1.25

// workDone counts the multiplications of every call, and compares its logits, so
// that whoever computes nothing has not saved anything.
func workDone(e *course.Exam) error {
	in, out, err := measured(e, drawLarge(e.Rng, 960, 40)) // a head that weighs as much as a layer
	if err != nil {
		return err
	}
	past := 0
	for c, n := range in["calls"].I64 {
		need, got := multiplications(in, int(n)), out["multiplications"].I64[c]
		e.MarkFlag("call "+string(rune('a'+c)), float64(got) <= spare*float64(need))
		if float64(got) > spare*float64(need) {
			return &verdict.Failure{Kind: verdict.WrongValues, Asked: e.Asked("kvcache.work", in), Message: lang.T(
				"Cache.Last with %d tokens behind %d took %d multiplications in the matrix products; %d are enough, and the whole text from its beginning takes %d",
				n, past, got, need, multiplications(in, past+int(n)))}
		}
		past += int(n)
	}
	return nil
}

// measured asks for the work of calls and checks their logits.
func measured(e *course.Exam, in wire.Values) (_, out wire.Values, err error) {
	want, err := e.Solve("kvcache.last")(in)
	if err != nil {
		return nil, nil, err
	}
	out, err = e.Ask("kvcache.work", in)
	if err != nil {
		return nil, nil, err
	}
	if err := e.Compare("kvcache.work", in, out, want, nil, coarse); err != nil {
		return nil, nil, err
	}
	for _, name := range []string{"multiplications", "allocated"} {
		if v := out[name]; v.DType != wire.I64 || !slices.Equal(v.Shape, in["calls"].Shape[:1]) {
			return nil, nil, e.Fails("kvcache.work", in, "%s has shape %s; want %s", name, course.ShapeOf(v), course.ShapeOf(wire.Value{Shape: in["calls"].Shape[:1]}))
		}
	}
	return in, out, nil
}

// multiplications is what Last of n tokens needs if each looks at all T_max places,
// which is more than there are tokens.
func multiplications(in wire.Values, n int) int {
	vocab, d := in["lm_head.weight"].Shape[0], in["lm_head.weight"].Shape[1]
	f, layers, keys := in["layers.0.ffn.w1.weight"].Shape[0], 2, int(in["max_len"].I64[0])
	return n*layers*(4*d*d+3*d*f+2*keys*d) + vocab*d
}

// nothingCopied looks at the memory that a call of one token allocates behind a long
// prompt: a part of what the cache holds at most. Whoever appends by copying
// allocates all of it for every token.
func nothingCopied(e *course.Exam) error {
	in, out, err := measured(e, drawLarge(e.Rng, 64, 300)) // a text that weighs more than what a call needs anyway
	if err != nil {
		return err
	}
	const share, float32Bytes = 4, 4
	past, d, layers := 0, in["lm_head.weight"].Shape[1], 2
	for c, n := range in["calls"].I64 {
		holds, got := 2*layers*past*d*float32Bytes, out["allocated"].I64[c]
		if n == 1 && c > 1 { // the first such call may find buffers too large or too small
			e.MarkFlag("call "+string(rune('a'+c)), got <= int64(holds/share))
			if got > int64(holds/share) {
				return e.Fails("kvcache.work", in, "a call with one token behind %d allocated %d bytes; all keys and values of these are %d bytes, "+
					"so that they seem to be copied for every token", past, got, holds)
			}
		}
		past += int(n)
	}
	return nil
}
