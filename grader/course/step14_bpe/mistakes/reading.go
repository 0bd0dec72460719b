//go:build mistake

package bpe

import (
	"bufio"
	"io"
	"strings"
)

// cut-at-the-buffer: a pre-token ends where the buffer ends
//
// Why: How many bytes a reader gives at a time says nothing about the text: words, characters and
// special tokens are cut in two.
//
// Hint: Keep what is not certain yet, and look at it again with what comes after it.
func preTokens() {
	if right {
		if !whole && used+n+margin > len(text) {
			return used, nil
		}
	} else {
		_ = whole
	}
}

// margin-missing: a pre-token is taken as soon as something follows it
//
// Why: What follows may be the first byte of a character, or the last space of a run, which belongs to
// the word that is still to come.
//
// Hint: Wait for the next two characters, at most eight bytes.
func preTokens() {
	if right {
		if !whole && used+n+margin > len(text) {
			return used, nil
		}
	} else {
		if !whole && used+n == len(text) {
			return used, nil
		}
	}
}

// special-cut-in-two: a special token that comes in two pieces is not found
//
// Why: Its first half is then encoded as text before the second is there.
//
// Hint: Keep back one byte less than the longest special token has.
func (*specials) next() {
	if right {
		if limit := len(text) - s.longest() + 1; !last && before >= limit {
			return max(0, min(before, limit)), -1
		}
	} else {
	}
}

// line-by-line: the text is read line by line, and each line is encoded for itself
//
// Why: Several line ends are one pre-token, and a special token may hold one. And a text may have no
// line ends at all.
//
// Hint: Cut only where a pre-token ends for certain.
func (t *Tokenizer) EncodeReader(r io.Reader, emit func(ids []int) error) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if e := t.specials.cut(strings.NewReader(line), func(piece []byte, id int) error {
			if id >= 0 {
				return emit([]int{id})
			}
			return emit((&word{t: t}).merge(piece))
		}); e != nil {
			return e
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// last-bytes-lost: bytes that come together with io.EOF are lost
//
// Why: A reader may give its last bytes and io.EOF at once.
//
// Hint: Use the n bytes first, and look at the error then.
func (s *specials) cut(r io.Reader, each func(piece []byte, id int) error) error {
	var text []byte
	piece := make([]byte, bufferSize)
	for {
		n, err := r.Read(piece)
		if err == io.EOF {
			_, err := s.pieces(text, true, each)
			return err
		}
		if err != nil {
			return err
		}
		text = append(text, piece[:n]...)
		used, err := s.pieces(text, false, each)
		if err != nil {
			return err
		}
		text = text[used:]
	}
}

// all-at-once: the whole text is read before anything is encoded
//
// Why: A training text is larger than the memory.
//
// Hint: Read into a buffer, use what is certain, move the rest to the front, and read on.
func (s *specials) cut(r io.Reader, each func(piece []byte, id int) error) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	_, err = s.pieces(text, true, each)
	return err
}

// everything-remembered: the tokens of every word that was ever seen are remembered
//
// Why: A text has new words for ever: names, numbers, typing errors. What only grows is too large in
// the end.
//
// Hint: When some thousands are remembered, forget them all.
func (cache) keep() {
	if right {
		if len(c) == cached {
			clear(c)
		}
	} else {
	}
}

// error-swallowed: an error of the reader is taken for the end of the text
//
// Why: Half a text would be trained on without a word.
//
// Hint: Only io.EOF is the end.
func (*specials) cut() {
	if right {
		last := err == io.EOF
	} else {
		last := err != nil
	}
}

// emit-error-swallowed: an error of emit does not end the reading
//
// Why: A disk that is full is told with each of the tokens that follow.
//
// Hint: Return it at once.
func preTokens() {
	if right {
		if err := each(text[used:used+n], -1); err != nil {
			return used, err
		}
	} else {
		_ = each(text[used:used+n], -1)
	}
}
