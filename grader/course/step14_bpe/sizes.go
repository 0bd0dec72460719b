package bpe

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// drawPrefixes draws special tokens of which one begins another, and is listed before it.
func drawPrefixes(e *course.Exam) (wire.Values, error) {
	in := accents()
	in["special_ids"] = numbers(269, 267, 266, 268) // <|end comes before <|end|>
	in["text"] = ofBytes(sprinkled(e.Rng, []string{"<|end|>", "<|end", "<|e|>"}, 8))
	return in, nil
}

// drawPrefixesRead is drawPrefixes for a reader.
func drawPrefixesRead(e *course.Exam) (wire.Values, error) {
	in, err := drawPrefixes(e)
	in["chunks"] = numbers(int64(course.Between(e.Rng, 1, 9)), 100)
	return in, err
}

// drawPrefixesTraining draws a training with such special tokens.
func drawPrefixesTraining(e *course.Exam) (wire.Values, error) {
	special := []string{"<|end", "<|end|>"}
	in := wire.Values{"text": ofBytes(sprinkled(e.Rng, special, 8)), "vocab_size": wire.Int(290)}
	in["special"], in["special_lengths"] = joined(special)
	return in, nil
}

// large is a vocabulary of so many tokens, of which the bytes and what merges make come
// last: an id of 16 bits holds none of them if there are more than 65,536 before.
func large(size int) wire.Values {
	var tokens []string
	for i := range size - 259 {
		tokens = append(tokens, fmt.Sprintf("\x00%07x", i))
	}
	first := int64(len(tokens))
	for b := range 256 {
		tokens = append(tokens, string([]byte{byte(b)}))
	}
	in := wire.Values{"merges": pairs(first+'a', first+'b', first+256, first+'c', first+'d', first+'e'), "special_ids": numbers()}
	in["vocab"], in["vocab_lengths"] = joined(append(tokens, "ab", "abc", "de"))
	return in
}

// drawLargeVocabulary draws a text of letters for a vocabulary beyond 16 bits.
func drawLargeVocabulary(e *course.Exam) (wire.Values, error) {
	in := large(66_000)
	in["text"] = ofBytes(lettersOf("abcde ", 200, e.Rng))
	return in, nil
}

func lettersOf(alphabet string, n int, rng *rand.Rand) string {
	var text strings.Builder
	for range n {
		text.WriteByte(alphabet[rng.IntN(len(alphabet))])
	}
	return text.String()
}

// longLines asks for files with lines and tokens of more than 64 KB.
func longLines(e *course.Exam) error {
	const length = 1<<15 + 1
	f, part := plainFile(), "a"
	f.names, f.merges = f.names[:256], "#version: 0.2\n"
	for n := 1; n < 1<<16; n *= 2 {
		f.merges += part + " " + part + "\n"
		part += part
		f.names = append(f.names, part)
	}
	f.merges, f.special = f.merges+"b c\n", nil
	f.names = append(f.names, "bc")
	in := f.values()
	want, err := e.Solve("bpe.read")(in)
	if err != nil {
		return err
	}
	got, err := e.Ask("bpe.read", in)
	if err != nil {
		return err
	}
	if got["merges"].Len() != want["merges"].Len() {
		return e.Fails("bpe.read", in, "a line of the merges has more than %d bytes, and %d of the %d merges were read; a line may be as long as it likes", 2*length-2, got["merges"].Len()/2, want["merges"].Len()/2)
	}
	return e.Compare("bpe.read", in, got, want, nil, func(string) float64 { return 0 })
}

// paired is a vocabulary of so many tokens: the bytes, and pairs of them that merge.
func paired(size int) wire.Values {
	var tokens []string
	for b := range 256 {
		tokens = append(tokens, string([]byte{byte(b)}))
	}
	merges := wire.Ints(nil, size-256, 2)
	for i := range size - 256 {
		left, right := byte(i), byte(i>>8)
		tokens = append(tokens, string([]byte{left, right}))
		merges.I64 = append(merges.I64, int64(left), int64(right))
	}
	in := wire.Values{"merges": merges, "special_ids": numbers()}
	in["vocab"], in["vocab_lengths"] = joined(tokens)
	return in
}

// callsCostTheirText compares calls of vocabularies of different sizes: what belongs to the
// vocabulary is made once.
func callsCostTheirText(function, name string, v wire.Value) func(*course.Exam) error {
	return course.Grows(course.Growth{Function: function, Size: "V", Sizes: []int{400, 20_000}, From: 1, Look: [2]int{1, 3},
		Draw: func(_ *rand.Rand, size int) wire.Values {
			in := paired(size)
			if in[name] = v; function == "bpe.decode" {
				in[name] = numbers(int64(size-1), int64(size-2))
			}
			return in
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 2, Free: 64 << 10,
			Advice: lang.T("A call costs what its text does. The tables of the vocabulary and of the merges are made once, in New.")}}})
}

// decodesAppending bounds what Decode allocates by the text that it returns.
func decodesAppending() func(*course.Exam) error {
	text := func(in wire.Values, _ int) float64 { return 8 * float64(in["ids"].Len()) }
	return course.Grows(course.Growth{Function: "bpe.decode", Size: "T", Sizes: []int{4000}, Look: [2]int{1, 2},
		Draw: func(rng *rand.Rand, tokens int) wire.Values {
			in := large(300)
			in["ids"] = course.IDs(rng, 300-259, tokens) // of eight bytes each
			return in
		},
		Bounds: []course.Bound{{Cost: course.Allocated, Most: 20, Free: 64 << 10, Of: text,
			Advice: lang.T("append makes room for more than one token at a time. A new text for every token copies all that is there, again and again.")}}})
}

// readsAnyPieces compares readers that give much at a time and single bytes.
func readsAnyPieces() func(*course.Exam) error {
	return course.Grows(course.Growth{Function: "bpe.encode_reader", Size: "bytes at a time", Sizes: []int{4096, 1}, Look: [2]int{1, 2},
		Draw: func(_ *rand.Rand, chunk int) wire.Values {
			in := small()
			in["text"], in["chunks"] = ofBytes(strings.Repeat("x", 16_000)), numbers(int64(chunk))
			return in
		},
		Bounds: []course.Bound{{Cost: course.Seconds, Most: 10,
			Advice: lang.T("Fill your buffer before you look for the end of a pre-token: whoever looks after every Read goes through a long one again for each of its bytes.")}}})
}

// manySpecial compares texts without special tokens, for a vocabulary with few of them and
// one with many.
func manySpecial() func(*course.Exam) error {
	return course.Grows(course.Growth{Function: "bpe.encode", Size: "special tokens", Sizes: []int{2, 500}, From: 1, Look: [2]int{1, 4},
		Draw: func(rng *rand.Rand, special int) wire.Values {
			in := large(900)
			ids := wire.Ints(nil, special)
			for i := range special {
				ids.I64 = append(ids.I64, int64(i))
			}
			in["special_ids"], in["text"] = ids, ofBytes(lettersOf("abcdefgh ", 4000, rng))
			return in
		},
		Bounds: []course.Bound{{Cost: course.Seconds, Most: 8,
			Advice: lang.T("Most bytes begin no special token: find out by one look in a table of 256, and compare only where one may begin.")}}})
}
