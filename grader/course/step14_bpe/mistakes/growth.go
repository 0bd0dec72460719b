//go:build mistake

package bpe

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
)

// merges-looked-up-anew: every call of Encode builds its table of the merges again
//
// Why: The merges do not change. A short text then costs what the vocabulary does.
//
// Hint: Build the table in New and keep it in the Tokenizer.
func (*Tokenizer) EncodeReader() {
	if right {
		known, w := cache{}, word{t: t}
	} else {
		again := *t
		again.merges = make(map[[2]int32]merged, len(t.merges))
		for rank, pair := range t.Merges {
			left, right := t.Vocab[pair[0]], t.Vocab[pair[1]]
			id := t.ids[string(left)+string(right)]
			again.merges[[2]int32{int32(pair[0]), int32(pair[1])}] = merged{int32(rank), int32(id)}
		}
		again.ids = make(map[string]int, len(t.ids))
		for token, id := range t.ids {
			again.ids[token] = id
		}
		known, w := cache{}, word{t: &again}
	}
}

// decoded-by-copying: Decode makes a new text for every token
//
// Why: n tokens copy the text n times. The bytes are right, and a book takes minutes.
//
// Hint: Use append or a bytes.Buffer: both make room for more than they are given.
func (*Tokenizer) Decode() {
	if right {
		text = append(text, t.Vocab[id]...)
	} else {
		text = bytes.Join([][]byte{text, t.Vocab[id]}, nil)
	}
}

// decoded-into-one-buffer: Decode returns memory that the next call writes to
//
// Why: The bytes are the caller's. With the next call they become those of another text.
//
// Hint: Begin every text with memory of its own.
func (*Tokenizer) Decode() {
	if right {
		var text []byte
	} else {
		text := t.text[:0]
	}
	if right {
		return text, nil
	} else {
		t.text = text
		return text, nil
	}
}

type Tokenizer struct {
	Vocab   [][]byte
	Merges  [][2]int
	Special []int

	text     []byte
	ids      map[string]int
	bytes    [256]int32
	merges   map[[2]int32]merged
	specials specials
}

// lines-of-64k: the merges are read with a bufio.Scanner, which stops at a line of 64 KB
//
// Why: A Scanner gives up on a line of more than 65,536 bytes. Whoever does not ask for its error takes what came before for all.
//
// Hint: Read all and split it, or use a bufio.Reader, and return its errors.
func readMerges() {
	if right {
		for i, line := range strings.Split(string(data), "\n") {
			if line == "" || i == 0 && strings.HasPrefix(line, "#version") {
				continue
			}
			left, right, _ := strings.Cut(line, " ")
			a, known := names[left]
			b, both := names[right]
			if !known || !both {
				return nil, fmt.Errorf(
					"bpe: line %d of the merges is %q; want two tokens of the vocabulary with a space between them",
					i+1, line)
			}
			pairs = append(pairs, [2]int{a, b})
		}
	} else {
		lines := bufio.NewScanner(bytes.NewReader(data))
		for i := 0; lines.Scan(); i++ {
			line := lines.Text()
			if line == "" || i == 0 && strings.HasPrefix(line, "#version") {
				continue
			}
			left, right, _ := strings.Cut(line, " ")
			a, known := names[left]
			b, both := names[right]
			if !known || !both {
				return nil, fmt.Errorf(
					"bpe: line %d of the merges is %q; want two tokens of the vocabulary with a space between them",
					i+1, line)
			}
			pairs = append(pairs, [2]int{a, b})
		}
	}
}

// ids-of-16-bits: ids are kept in 16 bits
//
// Why: Vocabularies of 100,000 tokens and more are usual. From 65,536 on the ids begin at 0 again.
//
// Hint: Keep them as int32.
func (*word) ids() {
	if right {
		ids = append(ids, int(l.id))
	} else {
		ids = append(ids, int(uint16(l.id)))
	}
}

// looked-at-after-every-read: after every Read the pre-token is looked at from its beginning
//
// Why: A reader may give single bytes. A pre-token of n bytes is then gone through n times.
//
// Hint: Read until the buffer is full or the text ends, and then cut.
func fill() {
	if right {
		for n < len(buffer) && err == nil {
			var more int
			more, err = r.Read(buffer[n:])
			n += more
		}
		return n, err
	} else {
		if len(buffer) == 0 {
			return 0, nil
		}
		return r.Read(buffer)
	}
}
