//go:build unlisted

package bpe

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// words-kept-in-the-tokenizer: the ids of known pre-tokens stay in the tokenizer from one call to the next
//
// Why: it keeps nothing between two calls. Two goroutines that encode with one tokenizer write to the same map, which ends the program.
func (*Tokenizer) EncodeReader() {
	if right {
		known, w := cache{}, word{t: t}
	} else {
		if t.known == nil {
			t.known = cache{}
		}
		known, w := t.known, word{t: t}
	}
}

type Tokenizer struct {
	Vocab   [][]byte
	Merges  [][2]int
	Special []int

	ids      map[string]int
	bytes    [256]int32
	merges   map[[2]int32]merged
	specials specials
	known    cache
}

// margin-of-one-character: a pre-token counts as certain once one more character is there
//
// Why: the end of a run of spaces needs two: the last space and what follows. Where the buffer ends inside a wide space, such as U+3000, the run is cut one space too early.
const margin = utf8.UTFMax

// special-token-cut-by-the-buffer: only what has the special token as a whole is looked at when the buffer ends
//
// Why: a special token of which the beginning stands at the end of a full buffer, once in 64 kilobytes, becomes ordinary text.
func (*specials) next() {
	if right {
		if limit := len(text) - s.longest() + 1; !last && before >= limit {
			return max(0, min(before, limit)), -1
		}
	} else {
	}
}

// a-single-token-is-lent: Decode returns the token itself if there is but one
//
// Why: the bytes are the caller's. Who changes them, or appends to them, changes the vocabulary.
func (*Tokenizer) Decode() {
	if right {
		return text, nil
	} else {
		if len(ids) == 1 {
			return t.Vocab[ids[0]], nil
		}
		return text, nil
	}
}

// ties-by-the-joined-bytes: of pairs that count the same the one with the greatest joined bytes is merged first
//
// Why: it is the greatest pair, the left ones compared first. Of (ab, a) and (a, c), at the same count, the first is the greater, but its joined bytes aba are less than ac.
func (candidate) before() {
	if right {
		if c := bytes.Compare(a.left, b.left); c != 0 {
			return c > 0
		}
		return bytes.Compare(a.right, b.right) > 0
	} else {
		if c := strings.Compare(string(a.left)+string(a.right), string(b.left)+string(b.right)); c != 0 {
			return c > 0
		}
		return bytes.Compare(a.left, b.left) > 0
	}
}

// version-anywhere: every line of the merges that begins with #version is passed over
//
// Why: the first line only may say a version. A pair whose left token begins with #version is lost, and the merges after it have other ranks, or are refused.
func readMerges() {
	if right {
		if line == "" || i == 0 && strings.HasPrefix(line, "#version") {
			continue
		}
	} else {
		if line == "" || strings.HasPrefix(line, "#version") {
			continue
		}
	}
}

// a-contraction-ends-a-run-of-signs: a run of signs stops in front of 's, 't, 're and the others
//
// Why: the pattern takes the run as far as it goes. !!'s is !!' and s, not !! and 's.
func PreToken() {
	if right {
		if c, _ := classify(text[lead:]); c != space {
			n, _ := run(text[lead:], c)
			return lead + n
		}
	} else {
		if c, _ := classify(text[lead:]); c != space {
			n, _ := run(text[lead:], c)
			for i := 1; i < n && c == other; i++ {
				if contraction(text[lead+i:]) > 0 {
					return lead + i
				}
			}
			return lead + n
		}
	}
}

// long-words-by-their-beginning: the ids of a pre-token are kept under its first 64 bytes
//
// Why: two pre-tokens of more than 64 bytes that begin alike get the ids of the first; the ids no longer decode to the text.
func (cache) keep() {
	if right {
		if len(piece) > cachedBytes {
			return
		}
	} else {
		piece = piece[:min(len(piece), cachedBytes)]
	}
}

func (*Tokenizer) EncodeReader() {
	if right {
		ids, ok := known[string(piece)]
	} else {
		ids, ok := known[string(piece[:min(len(piece), cachedBytes)])]
	}
}
