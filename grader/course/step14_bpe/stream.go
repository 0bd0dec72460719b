package bpe

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// stored returns the vocabulary of the first fixture.
func stored(e *course.Exam) wire.Values {
	in := wire.Values{}
	for name, v := range e.Fixtures.Cases("bpe.encode")[0].In {
		if name != "text" {
			in[name] = v
		}
	}
	return in
}

// littleMemory lets some megabytes of text through the reader, with many words that come
// only once, and with the longest special token.
func littleMemory(e *course.Exam) error {
	const most = 4 << 20
	copies := course.Between(e.Rng, 5400, 5900)
	in := accents()
	once := strings.Repeat(" \x01\x01\x01\x01\x01\x01\x01", 12) + longSpecial
	text := strings.ToValidUTF8(someText(e.Rng, 400), "")
	in["text"], in["copies"] = ofBytes(text[:min(len(text), 1000)]+once), wire.Int(copies)
	out, err := e.Ask("bpe.stream", in)
	if err != nil {
		return err
	}
	if want := copies * in["text"].Len(); !is(out["bytes"], want) {
		return e.Fails("bpe.stream", in, "the tokens make up %d bytes; want the %d of the text", out["bytes"].I64, want)
	}
	live := out["live"]
	if live.DType != wire.I64 || live.Len() != 1 || live.I64[0] > most {
		return e.Fails("bpe.stream", in, "while a text of %.1f MB was read, %.1f MB were in use at once; want less than %d MB, however long the text is",
			float64(copies*in["text"].Len())/(1<<20), float64(first(live))/(1<<20), most>>20)
	}
	const nothing = 32 << 10 // 600 words with their ids take twice as much and more
	if after := out["kept"]; after.DType != wire.I64 || after.Len() != 1 || after.I64[0] > nothing {
		return e.Fails("bpe.stream", in, "after Encode has returned, %d kB more are in use than before it; a tokenizer keeps nothing between two calls, so that several goroutines can use it at the same time",
			first(after)>>10)
	}
	return nil
}

// longSpecial is longer than what stands behind a pre-token that is certain.
const longSpecial = "<|a special token of many words|>"

// accents is a vocabulary in which it shows where a text is cut: at é, at wide spaces, at
// line ends and at special tokens, of which one begins another.
func accents() wire.Values {
	var tokens []string
	for b := range 256 {
		tokens = append(tokens, string([]byte{byte(b)}))
	}
	merges := pairs(0xc3, 0xa9, 'a', 256, 257, 257, ' ', ' ', 0xe3, 0x80, 260, 0x80, 259, 261, '\n', '\n', 263, ' ', ' ', 256)
	in := wire.Values{"merges": merges, "special_ids": numbers(266, 267, 268, 269)}
	for i := 0; i < len(merges.I64); i += 2 {
		tokens = append(tokens, tokens[merges.I64[i]]+tokens[merges.I64[i+1]])
	}
	in["vocab"], in["vocab_lengths"] = joined(append(tokens, "<|end|>", "<|e|>", longSpecial, "<|end"))
	return in
}

// manyPieces lets copies of a text pass whose length is a prime number, so that it is cut
// at every place, whatever the size of the subject's buffer. Two copies meet between a
// letter and a dot, where a pre-token ends: each has the tokens of a single one. There are
// special tokens, and then none.
func manyPieces(e *course.Exam) error {
	if err := inPieces(e, accents()); err != nil {
		return err
	}
	return inPieces(e, course.With(accents(), "special_ids", numbers()))
}

func inPieces(e *course.Exam, in wire.Values) error {
	const length, copies = 1009, 2300
	words := []string{"aéaé", "éaé", "aé", "aéaéaé", " é", "   \u3000a", "  \u3000\u3000", "\n\n  ", "<|end|>", "<|e|>", "<|end", "|e|>", "ab", longSpecial}
	text := "."
	for len(text) < length-40 {
		text += words[e.Rng.IntN(len(words))]
	}
	in["text"] = ofBytes(text + strings.Repeat("a", length-len(text)))
	one, err := e.Ask("bpe.encode", in)
	if err != nil {
		return err
	}
	in["copies"], in["period"] = wire.Int(copies), wire.Int(one["ids"].Len())
	out, err := e.Ask("bpe.copies", in)
	if err != nil {
		return err
	}
	at := first(out["differs"])
	if !is(out["tokens"], copies*one["ids"].Len()) || at >= 0 || !slices.Equal(out["ids"].I64, one["ids"].I64) {
		return e.Fails("bpe.copies", in, "%d copies of a text of %d bytes have %d tokens; want %d, which one copy has, for each. The first that is another is token %d: look at what happens where your buffer ends",
			copies, length, first(out["tokens"]), one["ids"].Len(), at)
	}
	return nil
}

// wideSpaces lets a text pass of which a buffer of any usual size, when it is full for the
// first time, ends at every place in turn: inside of a wide space, of a letter, of a run.
// A run of spaces that is cut too early has other tokens.
func wideSpaces(e *course.Exam) error {
	const part = "  \u3000\u3000\u00e9"
	in := accents()
	in["text"] = ofBytes(strings.Repeat(part, 60))
	one, err := e.Ask("bpe.encode", in)
	if err != nil {
		return err
	}
	copies := 1 + 1<<16/in["text"].Len()
	in["copies"], in["period"] = wire.Int(copies), wire.Int(one["ids"].Len())
	return course.InTurn(len(part), func(lead int) error {
		in := course.With(in, "lead", wire.Int(lead))
		out, err := e.Ask("bpe.copies", in)
		if err != nil {
			return err
		}
		if at := first(out["differs"]); !is(out["tokens"], copies*one["ids"].Len()) || at >= 0 || !slices.Equal(out["ids"].I64, one["ids"].I64) {
			return e.Fails("bpe.copies", in, "wide spaces (U+3000) behind %d letters have other tokens in a long text than in a short one. Where your buffer ends, a run of spaces may go on: keep two characters back behind a pre-token, and a wide space has three bytes", lead)
		}
		return nil
	})
}

func is(v wire.Value, n int) bool { return v.DType == wire.I64 && v.Len() == 1 && v.I64[0] == int64(n) }

func first(v wire.Value) int64 {
	if len(v.I64) == 0 {
		return -1
	}
	return v.I64[0]
}

// passesErrors checks that the errors of the reader and of the receiver come back, and
// that what was emitted before is the beginning of the right answer.
func passesErrors(e *course.Exam) error {
	text := someText(e.Rng, 300)
	if err := passesErrorsOf(e, text, -1, 0, course.Between(e.Rng, 1, 5)); err != nil {
		return err
	}
	return passesErrorsOf(e, strings.Repeat(text, 80), course.Between(e.Rng, 1, 2)) // for who emits thousands of ids at once
}

// passesErrorsOf lets the calls of emit from stop on fail, or, if that is −1, the reader.
func passesErrorsOf(e *course.Exam, text string, stops ...int) error {
	in := stored(e)
	in["text"] = ofBytes(text)
	all, err := e.Ask("bpe.encode", in)
	if err != nil {
		return err
	}
	for _, stop := range stops {
		in["stop"] = wire.Int(stop)
		out, err := e.Ask("bpe.failing", in)
		if err != nil {
			return err
		}
		ids, want := out["ids"].I64, all["ids"].I64
		if stop > 0 && first(out["calls"]) <= int64(stop) && slices.Equal(ids, want) {
			continue // whoever emits a whole buffer at a time needs no call that could fail
		}
		switch {
		case !is(out["failed"], 1) && stop < 0:
			return e.Fails("bpe.failing", in, "the reader failed behind the text; its error must come back (io.ErrUnexpectedEOF, too: only io.EOF is the end)")
		case !is(out["failed"], 1):
			return e.Fails("bpe.failing", in, "emit returned an error in its call %d, which must come back", stop+1)
		case stop >= 0 && !is(out["calls"], stop+1):
			return e.Fails("bpe.failing", in, "emit returned an error in its call %d, and was called %d times", stop+1, first(out["calls"]))
		case len(ids) > len(want) || !slices.Equal(ids, want[:len(ids)]):
			return e.Fails("bpe.failing", in, "what was emitted before the error is not what Encode begins with")
		case stop > 0 && len(ids) == 0:
			return e.Fails("bpe.failing", in, "emit was called %d times without an id", stop)
		}
	}
	return nil
}
