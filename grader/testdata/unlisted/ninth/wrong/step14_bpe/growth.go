//go:build unlisted

package bpe

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// encode-into-one-buffer: Encode returns the slice that the next call writes into
//
// Why: the ids are the caller's.
func (*Tokenizer) Encode() {
	if right {
		ids := make([]int, 0, len(text)/3) // as many as prose has, or so
	} else {
		ids := t.out[:0]
	}
	if right {
		return ids
	} else {
		t.out = ids
		return ids
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
	out      []int
}

// searched-before-every-word: before every pre-token the rest of the buffer is searched for special tokens
//
// Why: each byte is looked at as often as there are pre-tokens before it in the buffer.
func (*specials) pieces() {
	if right {
		n, err := preTokens(rest[:before], last || which >= 0, each)
	} else {
		n, err := preTokens(rest[:before], last || which >= 0, func(piece []byte, id int) error {
			s.find(rest)
			return each(piece, id)
		})
	}
}

// every-special-at-every-byte: at every byte each special token is compared
//
// Why: a vocabulary with a thousand special tokens takes a thousand times as long.
func (*specials) find() {
	if right {
		if !s.first[b] {
			continue
		}
	} else {
		_ = b
	}
}

// tokens-compared-with-all-others: New compares every token with all before it to find one that is there twice
//
// Why: a vocabulary of V tokens takes V² steps.
func New() {
	if right {
		if other, twice := t.ids[string(token)]; twice || len(token) == 0 {
			return nil, fmt.Errorf("bpe: token %d is %q, which is empty or token %d too", id, token, other)
		}
	} else {
		for other := range id {
			if bytes.Equal(vocab[other], token) {
				return nil, fmt.Errorf("bpe: token %d is %q, which is empty or token %d too", id, token, other)
			}
		}
		if len(token) == 0 {
			return nil, fmt.Errorf("bpe: token %d is %q, which is empty or token %d too", id, token, id)
		}
	}
}

// specials-sorted-in-place: New sorts the list of special tokens that it was given
//
// Why: it belongs to the caller.
func New() {
	if right {
		for _, id := range special {
			if id < 0 || id >= len(vocab) {
				return nil, tensor.IndexError{Op: "bpe: special token", Got: id, Limit: len(vocab)}
			}
			t.specials.add(vocab[id], id)
		}
	} else {
		slices.Sort(special)
		slices.Reverse(special)
		for _, id := range special {
			if id < 0 || id >= len(vocab) {
				return nil, tensor.IndexError{Op: "bpe: special token", Got: id, Limit: len(vocab)}
			}
			t.specials.add(vocab[id], id)
		}
	}
}

// buffer-grows-by-little: the buffer grows by 1 KB where a pre-token is longer
//
// Why: the pre-token is looked at from its beginning for each of them, which takes quadratic time.
func (*specials) cut() {
	if right {
		buffer = slices.Grow(buffer, cap(buffer)) // to twice its size: each byte is looked at a few times at most
	} else {
		buffer = append(make([]byte, 0, cap(buffer)+1<<10), buffer...)
	}
}

// a-word-of-the-package: all tokenizers merge in one array of the package
//
// Why: several goroutines may use a tokenizer at the same time.
func (*Tokenizer) EncodeReader() {
	if right {
		known, w := cache{}, word{t: t}
	} else {
		known, w := cache{}, &scratch
		w.t = t
	}
}

var scratch word

// cache-of-the-tokenizer-behind-a-lock: known pre-tokens stay in the tokenizer, behind a lock
//
// Why: a tokenizer keeps nothing between two calls.
func (*Tokenizer) EncodeReader() {
	if right {
		known, w := cache{}, word{t: t}
	} else {
		lock.Lock()
		defer lock.Unlock()
		if all[t] == nil {
			all[t] = cache{}
		}
		known, w := all[t], word{t: t}
	}
}

var (
	lock sync.Mutex
	all  = map[*Tokenizer]cache{}
)

// text-of-training-kept: the tokenizer that was learnt keeps the counts it was learnt from
//
// Why: after Train the text is done with. A tokenizer of a large text keeps all of its words.
func Train() {
	if right {
		return New(l.vocab, l.merges, ids)
	} else {
		t, err := New(l.vocab, l.merges, ids)
		if t != nil {
			t.from = l
		}
		return t, err
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
	from     *learner
}

// written-through-a-line-of-64k: Read takes the vocabulary through a reader that ends after 1 MB
//
// Why: vocabularies of 100,000 tokens are larger, and are then no JSON.
func Read() {
	if right {
		data, err := io.ReadAll(vocab)
	} else {
		data, err := io.ReadAll(io.LimitReader(vocab, 1<<20))
	}
}

// decode-makes-strings: Decode looks each token up among the values of a new map
//
// Why: every call costs V, however few tokens there are.
func (*Tokenizer) Decode() {
	if right {
		var text []byte
	} else {
		texts := make(map[int][]byte, len(t.Vocab))
		for id, token := range t.Vocab {
			texts[id] = token
		}
		var text []byte
	}
}
