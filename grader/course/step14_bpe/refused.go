package bpe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// small is a vocabulary of the bytes, ab, abc, cd and a special token, and its merges.
func small() wire.Values {
	var tokens []string
	for b := range 256 {
		tokens = append(tokens, string([]byte{byte(b)}))
	}
	in := wire.Values{"merges": pairs('a', 'b', 256, 'c'), "special_ids": numbers(259), "text": ofBytes("abcd")}
	in["vocab"], in["vocab_lengths"] = joined(append(tokens, "ab", "abc", "cd", "<|end|>"))
	return in
}

func pairs(ids ...int64) wire.Value   { return wire.Ints(ids, len(ids)/2, 2) }
func numbers(ids ...int64) wire.Value { return wire.Ints(ids, len(ids)) }

// refusals asks New, Decode and Train for everything that their contracts refuse.
func refusals() func(*course.Exam) error {
	decoding := func(ids ...int64) wire.Values {
		in := course.With(small(), "ids", numbers(ids...))
		delete(in, "text")
		return in
	}
	merges := func(ids ...int64) wire.Values { return course.With(small(), "merges", pairs(ids...)) }
	return course.All(
		course.Refuses("bpe.encode", "a vocabulary without the byte 7", tokens(7, "no byte"), "7"),
		course.Refuses("bpe.encode", "a vocabulary without the byte 255", tokens(255, "no byte"), "255"),
		course.Refuses("bpe.encode", "a token without bytes, number 258,", tokens(258, ""), "258"),
		course.Refuses("bpe.encode", "the token ab as number 256 and as number 258", tokens(258, "ab"), "258"),
		course.Refuses("bpe.encode", "a merge of token 260 where there are 260", merges('a', 'b', 256, 260), "260"),
		course.Refuses("bpe.encode", "a merge of token 999", merges(999, 'b'), "999"),
		course.Refuses("bpe.encode", "a merge of token -1", merges('a', 'b', -1, 'b'), "-1"),
		course.Refuses("bpe.encode", "a merge that uses token 256 before the merge that makes it", merges(256, 'c', 'a', 'b'), "256"),
		course.Refuses("bpe.encode", "a merge that uses a token that no merge makes", merges('a', 'b', 256, 258), "258"),
		course.Refuses("bpe.encode", "merge 1, which makes what is no token,", merges('a', 'b', 'x', 'y'), "1"),
		course.Refuses("bpe.encode", "merge 1, which makes what merge 0 made,", merges('a', 'b', 'a', 'b'), "1"),
		course.Refuses("bpe.encode", "a special token 260 where there are 260", course.With(small(), "special_ids", numbers(259, 260)), "260"),
		course.Refuses("bpe.encode", "a special token 271 where there are 260", course.With(small(), "special_ids", numbers(259, 271)), "271"),
		course.Refuses("bpe.encode", "a special token -2", course.With(small(), "special_ids", numbers(-2)), "-2"),
		course.Refuses("bpe.decode", "the id 260 in a vocabulary of 260", decoding('a', 256, 260), "260", "2"),
		course.Refuses("bpe.decode", "the id 271 in a vocabulary of 260", decoding('a', 256, 271), "271", "2", "260"),
		course.Refuses("bpe.decode", "the id -1", decoding('a', -1, 'b'), "-1", "1", "260"),
		course.Refuses("bpe.train", "a vocabulary of 255 tokens", training(255), "255"),
		course.Refuses("bpe.train", "a vocabulary of 257 tokens, two of them special,", training(257, "<|a|>", "<|b|>"), "257", "2"),
		course.Refuses("bpe.train", "a special token that is empty", training(300, "<|a|>", "")),
		course.Refuses("bpe.train", "a special token of one byte", training(300, "<|a|>", "x"), "x"),
		course.Refuses("bpe.train", "a special token that is there twice", training(300, "<|a|>", "<|b|>", "<|a|>"), "<|a|>"),
		smallest,
	)
}

// smallest asks for vocabularies that are just large enough.
func smallest(e *course.Exam) error {
	for _, in := range []wire.Values{training(256), training(258, "<|a|>", "<|b|>")} {
		out, err := e.Ask("bpe.train", in)
		if err != nil {
			return err
		}
		if want := int(in["vocab_size"].I64[0]); out["vocab_lengths"].Len() != want || out["merges"].Len() != 0 {
			return e.Fails("bpe.train", in, "%d tokens and %d merges were learnt; want %d tokens and no merge", out["vocab_lengths"].Len(), out["merges"].Len()/2, want)
		}
	}
	return nil
}

// tokens is small with another token at a place.
func tokens(at int, token string) wire.Values {
	in := small()
	all := split(in["vocab"], in["vocab_lengths"])
	all[at] = token
	in["vocab"], in["vocab_lengths"] = joined(all)
	return in
}

func training(size int, special ...string) wire.Values {
	in := wire.Values{"text": ofBytes("some text, some more text"), "vocab_size": wire.Int(size)}
	in["special"], in["special_lengths"] = joined(special)
	return in
}

// file is a pair of files, written line by line.
type file struct {
	names   []string // of the tokens, by id
	vocab   string   // in their place
	merges  string
	special []string
}

// plainFile has the bytes, ab, abc and a special token.
func plainFile() file {
	var names []string
	for b := range 256 {
		names = append(names, character(byte(b)))
	}
	return file{names: append(names, "ab", "abc", "<|end|>"), merges: "#version: 0.2\na b\nab c\n", special: []string{"<|end|>"}}
}

func (f file) values() wire.Values {
	if f.vocab == "" {
		for id, name := range f.names {
			key, _ := json.Marshal(name) // of a string, which cannot fail
			f.vocab += fmt.Sprintf(",%s:%d", key, id)
		}
		f.vocab = "{" + f.vocab[1:] + "}"
	}
	in := wire.Values{"vocab_file": ofBytes(f.vocab), "merges_file": ofBytes(f.merges)}
	in["special"], in["special_lengths"] = joined(f.special)
	return in
}

// damagedFiles asks for files that cannot be read.
func damagedFiles(e *course.Exam) error {
	changed := func(change func(*file)) wire.Values {
		f := plainFile()
		change(&f)
		return f.values()
	}
	vocab := func(text string) wire.Values { return changed(func(f *file) { f.vocab, f.special = text, nil }) }
	merges := func(text string) wire.Values { return changed(func(f *file) { f.merges = text }) }
	renamed := func(at int, name string) wire.Values { return changed(func(f *file) { f.names[at] = name }) }
	cut := plainFile().values()["vocab_file"]
	return course.All(
		course.Refuses("bpe.read", "a vocabulary that is no JSON", vocab("!version 1")),
		course.Refuses("bpe.read", "a vocabulary that is cut off", course.With(plainFile().values(), "vocab_file", numbers(cut.I64[:cut.Len()/2]...))),
		course.Refuses("bpe.read", "a vocabulary with the id 7 twice", vocab(`{"a":0,"b":7,"c":7}`)),
		course.Refuses("bpe.read", "a vocabulary of three tokens with the id 3", vocab(`{"a":0,"b":1,"c":3}`), "3"),
		course.Refuses("bpe.read", "a vocabulary with the id -1", vocab(`{"a":0,"b":1,"c":-1}`), "-1"),
		course.Refuses("bpe.read", "a token with a space, which stands for no byte,", renamed(256, "a b"), "a b"),
		course.Refuses("bpe.read", "a token with the character U+0144, which stands for no byte,", renamed(256, "a\u0144"), "a\u0144"),
		course.Refuses("bpe.read", "a token with the character U+00AD, which stands for no byte,", renamed(256, "a\u00ad")),
		course.Refuses("bpe.read", "a special token that is not in the vocabulary", changed(func(f *file) { f.special = []string{"<|end|>", "<|x|>"} }), "<|x|>"),
		course.Refuses("bpe.read", "line 3 of the merges, with one token,", merges("#version: 0.2\na b\nab\n"), "3"),
		course.Refuses("bpe.read", "line 2 of the merges, with three tokens,", merges("a b\nab c d\n"), "2"),
		course.Refuses("bpe.read", "line 1 of the merges, with an unknown token,", merges("a zz\n"), "1", "zz"),
		course.Refuses("bpe.read", "a version that is not in the first line", merges("a b\n#version: 0.2\n"), "2"),
		course.Refuses("bpe.read", "merges whose order cannot be", merges("ab c\na b\n")),
	)(e)
}

// writesFiles reads what the subject writes, with the kit's own reader.
func writesFiles(e *course.Exam) error {
	for i := range course.FreshCases + 1 {
		in, special, err := drawVocabulary(e)
		if i == course.FreshCases {
			special = append([]string{"<|end|>"}, awkward()...)
			in, err = named(e)
		}
		if err != nil {
			return err
		}
		out, err := e.Ask("bpe.write", in)
		if err != nil {
			return err
		}
		written := wire.Values{"vocab_file": out["vocab_file"], "merges_file": out["merges_file"]}
		written["special"], written["special_lengths"] = joined(special)
		slices.Sort(in["special_ids"].I64)
		back, err := e.Solve("bpe.read")(written)
		if errors.Is(err, course.ErrKeptBack) {
			return err
		}
		if err != nil {
			return e.Fails("bpe.write", in, "the files cannot be read: %s", lang.Raw(err.Error()))
		}
		slices.Sort(back["special_ids"].I64)
		if err := e.Compare("bpe.write", in, back, in, []string{"vocab", "vocab_lengths", "merges", "special_ids"}, func(string) float64 { return 0 }); err != nil {
			return err
		}
	}
	other := func(special string) wire.Values { // a name beside "ab"
		in := tokens(259, special)
		delete(in, "text")
		return in
	}
	return course.All(
		course.Refuses("bpe.write", "a special token that is no UTF-8", other("<\xff>"), "259"),
		course.Refuses("bpe.write", "a special token that is written as the byte 1 is", other(character(1)), character(1)),
	)(e)
}
