package bpe

import (
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// textBreaks lets the text of EncodeReader fail, which promises to return its reader's own error.
func textBreaks() func(*course.Exam) error {
	return course.ThroughFiles("bpe.encode_reader", func(e *course.Exam) (wire.Values, error) {
		in := stored(e)
		in["text"], in["chunks"] = ofBytes(someText(e.Rng, 300)), numbers(100)
		return in, nil
	}, []course.File{{Name: "text", Own: true}}, nil)
}

// filesBreak lets the files of Read, Write and Train fail.
func filesBreak() func(*course.Exam) error {
	published := func(*course.Exam) (wire.Values, error) { return plainFile().values(), nil }
	learnt := func(e *course.Exam) (wire.Values, error) {
		in := wire.Values{"text": ofBytes(someText(e.Rng, 300)), "vocab_size": wire.Int(270)}
		in["special"], in["special_lengths"] = joined(nil)
		return in, nil
	}
	vocab, merges, text := course.File{Name: "vocab_file"}, course.File{Name: "merges_file"}, course.File{Name: "text"}
	object := vocab
	object.Rest = 1
	return course.All(
		course.ThroughFiles("bpe.read", published, []course.File{object, merges}, nil),
		course.ThroughFiles("bpe.write", named, nil, []course.File{vocab, merges}),
		course.ThroughFiles("bpe.train", learnt, []course.File{text}, nil))
}

// awkward are special tokens of characters that mean something to JSON, to lines, to HTML or to
// GPT-2's table, and one of all ASCII.
func awkward() []string {
	ascii := make([]byte, 128)
	for b := range ascii {
		ascii[b] = byte(b)
	}
	return []string{`<"q">`, `<\\u0041>`, "<\n>", "<a b>", "<&lt;>", "<Ġ>", "<\u2028\ufeff>", "<é🙂>", string(ascii)}
}

// named returns a vocabulary with such special tokens.
func named(*course.Exam) (wire.Values, error) {
	in := small()
	delete(in, "text")
	all := split(in["vocab"], in["vocab_lengths"])
	for _, s := range awkward() {
		in["special_ids"] = numbers(append(in["special_ids"].I64, int64(len(all)))...)
		all = append(all, s)
	}
	in["vocab"], in["vocab_lengths"] = joined(all)
	return in, nil
}

// namedFiles are the files of such a vocabulary.
func namedFiles(*course.Exam) (wire.Values, error) {
	f := plainFile()
	f.names, f.special = append(f.names, awkward()...), append(f.special, awkward()...)
	return f.values(), nil
}
