package bpe

import (
	"bytes"
	"io"
	"slices"
	"unicode/utf8"
)

// specials are the special tokens, the longest first.
type specials struct {
	texts [][]byte
	ids   []int
	first [256]bool // bytes that one of them begins with
}

func (s *specials) add(text []byte, id int) {
	at, _ := slices.BinarySearchFunc(s.texts, text, func(a, b []byte) int { return len(b) - len(a) })
	s.texts, s.ids = slices.Insert(s.texts, at, text), slices.Insert(s.ids, at, id)
	s.first[text[0]] = true
}

// longest returns how many bytes the longest one has.
func (s *specials) longest() int {
	if len(s.texts) == 0 {
		return 0
	}
	return len(s.texts[0])
}

// find returns where the leftmost one begins and which one it is, the longest of those
// that begin there; or the end of text and −1.
func (s *specials) find(text []byte) (at, which int) {
	for at, b := range text {
		if !s.first[b] {
			continue
		}
		for which, special := range s.texts {
			if bytes.HasPrefix(text[at:], special) {
				return at, which
			}
		}
	}
	return len(text), -1
}

const (
	// bufferSize is how many bytes are read at first. The buffer grows for a pre-token
	// that is longer.
	bufferSize = 1 << 16
	// margin is how many bytes there must be behind a pre-token: its end is certain once
	// the next two characters are known, the last space of a run and what follows it.
	margin = 2 * utf8.UTFMax
)

// cut reads all of r and calls each for every pre-token, with −1, and for every special
// token, with its id. It holds the longest of them and some bytes around.
func (s *specials) cut(r io.Reader, each func(piece []byte, id int) error) error {
	buffer := make([]byte, 0, bufferSize)
	for {
		n, err := fill(r, buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		last := err == io.EOF
		if err != nil && !last {
			return err
		}
		used, err := s.pieces(buffer, last, each)
		if err != nil || last {
			return err
		}
		if used == 0 {
			buffer = slices.Grow(buffer, cap(buffer)) // to twice its size: each byte is looked at a few times at most
		}
		buffer = append(buffer[:0], buffer[used:]...)
	}
}

// fill reads until the buffer is full, or r ends or fails, and returns r's own error.
// io.ReadFull would say io.ErrUnexpectedEOF at the end of r, and with that the reader of a
// cut-off archive fails.
func fill(r io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var more int
		more, err = r.Read(buffer[n:])
		n += more
	}
	return n, err
}

// pieces cuts as much of text as is certain, all of it if it is the last, and returns how
// many bytes that are.
func (s *specials) pieces(text []byte, last bool, each func(piece []byte, id int) error) (used int, err error) {
	for used < len(text) {
		rest := text[used:]
		before, which := s.next(rest, last)
		n, err := preTokens(rest[:before], last || which >= 0, each)
		used += n
		if err != nil || which < 0 {
			return used, err
		}
		if err := each(s.texts[which], s.ids[which]); err != nil {
			return used, err
		}
		used += len(s.texts[which])
	}
	return used, nil
}

// next returns how many bytes of text are before the next special token, and which one it
// is. If none is certain, that is −1, and the bytes are those that belong to none for certain.
func (s *specials) next(text []byte, last bool) (before, which int) {
	before, which = s.find(text)
	if limit := len(text) - s.longest() + 1; !last && before >= limit { // what begins here may be cut off
		return max(0, min(before, limit)), -1
	}
	return before, which
}

// preTokens calls each for the pre-tokens of text whose ends are certain, and returns how
// many bytes they have. If text is whole, all are; if not, those that margin bytes follow.
func preTokens(text []byte, whole bool, each func(piece []byte, id int) error) (used int, err error) {
	for used < len(text) {
		n := PreToken(text[used:])
		if !whole && used+n+margin > len(text) {
			return used, nil
		}
		if err := each(text[used:used+n], -1); err != nil {
			return used, err
		}
		used += n
	}
	return used, nil
}
