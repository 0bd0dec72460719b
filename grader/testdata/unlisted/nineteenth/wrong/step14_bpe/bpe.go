//go:build unlisted

package bpe

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"github.com/stubformer/stubformer/reference/tensor"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// batched-emit: batched emit
//
// Why: EncodeReader gathers some thousand ids before it calls emit, and gives out what is left at the end in any case. What is emitted is right as long as nothing fails. If r fails, emit is called once more with the ids that were waiting, after the error; if emit itself fails, it is called again with the same ids. The contract: "An error of r or emit is returned as it is, and nothing is emitted after it."
func (t *Tokenizer) EncodeReader(r io.Reader, emit func(ids []int) error) error {
	known, w := cache{}, word{t: t}
	waiting := make([]int, 0, batch)
	err := t.specials.cut(r, func(piece []byte, id int) error {
		if id >= 0 {
			waiting = append(waiting, id)
		} else {
			ids, ok := known[string(piece)]
			if !ok {
				ids = w.merge(piece)
				known.keep(piece, ids)
			}
			waiting = append(waiting, ids...)
		}
		if len(waiting) < batch {
			return nil
		}
		if err := emit(waiting); err != nil {
			return err
		}
		waiting = waiting[:0]
		return nil
	})
	if len(waiting) > 0 {
		if last := emit(waiting); err == nil {
			err = last
		}
	}
	return err
}

const batch = 1 << 12

// cache-between-calls: cache between calls
//
// Why: The ids of the pre-tokens that were seen are kept in the Tokenizer, under a lock, so that the next Encode finds them. All ids are right and there is no race, but the tokenizer holds thousands of strings and slices of ids for as long as it lives, long ones too (there is no limit to a remembered pre-token's length), and goroutines wait for each other at every word. The contract: "It keeps nothing between two calls of Encode or EncodeReader".
type Tokenizer struct {
	Vocab   [][]byte // (V): the bytes of every token, by id
	Merges  [][2]int // pairs of ids; the place in the list is the rank
	Special []int    // ids of the special tokens

	ids      map[string]int      // of the tokens, by their bytes
	bytes    [256]int32          // ids of the single bytes
	merges   map[[2]int32]merged // by pair of ids: a map finds a key of eight bytes fast
	specials specials

	mutex sync.Mutex
	known cache
}

func New(vocab [][]byte, merges [][2]int, special []int) (*Tokenizer, error) {
	t := &Tokenizer{Vocab: vocab, Merges: merges, Special: special, ids: map[string]int{},
		merges: map[[2]int32]merged{}, known: cache{}}
	for id, token := range vocab {
		if other, twice := t.ids[string(token)]; twice || len(token) == 0 {
			return nil, fmt.Errorf("bpe: token %d is %q, which is empty or token %d too", id, token, other)
		}
		t.ids[string(token)] = id
	}
	if err := t.rank(); err != nil {
		return nil, err
	}
	for _, id := range special {
		if id < 0 || id >= len(vocab) {
			return nil, tensor.IndexError{Op: "bpe: special token", Got: id, Limit: len(vocab)}
		}
		t.specials.add(vocab[id], id)
	}
	return t, nil
}

func (t *Tokenizer) EncodeReader(r io.Reader, emit func(ids []int) error) error {
	w := word{t: t}
	return t.specials.cut(r, func(piece []byte, id int) error {
		if id >= 0 {
			return emit([]int{id})
		}
		ids, ok := t.recall(piece)
		if !ok {
			ids = w.merge(piece)
			t.remember(piece, ids)
		}
		return emit(ids)
	})
}

func (t *Tokenizer) recall(piece []byte) (ids []int, ok bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	ids, ok = t.known[string(piece)]
	return ids, ok
}

func (t *Tokenizer) remember(piece []byte, ids []int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.known.keep(piece, ids)
}

const cached = 1 << 13

func (c cache) keep(piece []byte, ids []int) {
	if len(c) == cached {
		clear(c)
	}
	c[string(piece)] = ids
}

// lazy-tables: lazy tables
//
// Why: New checks everything, but the table of merges that Encode looks into is filled by the first Encode, if it is still nil, without a lock. One goroutine sees nothing of it; if the first calls come from several, they fill and read one map together: a data race, wrong ids where another goroutine finds it half full, or "fatal error: concurrent map read and map write". The contract: "several goroutines may use it at the same time."
func New(vocab [][]byte, merges [][2]int, special []int) (*Tokenizer, error) {
	t := &Tokenizer{Vocab: vocab, Merges: merges, Special: special, ids: map[string]int{}}
	for id, token := range vocab {
		if other, twice := t.ids[string(token)]; twice || len(token) == 0 {
			return nil, fmt.Errorf("bpe: token %d is %q, which is empty or token %d too", id, token, other)
		}
		t.ids[string(token)] = id
	}
	if err := t.rank(); err != nil {
		return nil, err
	}
	for _, id := range special {
		if id < 0 || id >= len(vocab) {
			return nil, tensor.IndexError{Op: "bpe: special token", Got: id, Limit: len(vocab)}
		}
		t.specials.add(vocab[id], id)
	}
	return t, nil
}

func (t *Tokenizer) rank() error {
	made := map[int]bool{} // what is there before a merge: at first the bytes
	for b := range 256 {
		id, ok := t.ids[string([]byte{byte(b)})]
		if !ok {
			return fmt.Errorf("bpe: the byte %d is no token", b)
		}
		made[id], t.bytes[b] = true, int32(id)
	}
	for rank, pair := range t.Merges {
		for _, id := range pair {
			if !made[id] {
				return fmt.Errorf("bpe: merge %d joins token %d, which is no byte, and no merge before it makes it",
					rank, id)
			}
		}
		joined := string(t.Vocab[pair[0]]) + string(t.Vocab[pair[1]])
		id, ok := t.ids[joined]
		if !ok || made[id] {
			return fmt.Errorf("bpe: merge %d makes %q, which is no token, or is there already", rank, joined)
		}
		made[id] = true
	}
	return nil
}

func (t *Tokenizer) prepare() {
	if t.merges != nil {
		return
	}
	t.merges = make(map[[2]int32]merged, len(t.Merges))
	for rank, pair := range t.Merges {
		id := t.ids[string(t.Vocab[pair[0]])+string(t.Vocab[pair[1]])]
		t.merges[[2]int32{int32(pair[0]), int32(pair[1])}] = merged{int32(rank), int32(id)}
	}
}

func (t *Tokenizer) EncodeReader(r io.Reader, emit func(ids []int) error) error {
	t.prepare()
	known, w := cache{}, word{t: t}
	return t.specials.cut(r, func(piece []byte, id int) error {
		if id >= 0 {
			return emit([]int{id})
		}
		ids, ok := known[string(piece)]
		if !ok {
			ids = w.merge(piece)
			known.keep(piece, ids)
		}
		return emit(ids)
	})
}

// margin-four: margin four
//
// Why: At the end of the buffer a pre-token counts as certain once four bytes follow it, "since a character has at most four". A run of spaces needs two characters: its own last one, which may have three bytes (U+3000, U+2003), and the one behind. If the buffer ends one or two bytes into a third wide space, these look like broken bytes, which are no spaces, and the run is cut there. It shows once in 64 kilobytes, and only between wide spaces. The lesson: "All the pattern ever looks at beyond the pre-token are two characters, and a character has at most four bytes, so: eight bytes behind its end, a pre-token is certain"; the contract: the ids of EncodeReader "are what Encode returns", and pre-tokens are those of the pattern.
const (
	// bufferSize is how many bytes are read at first. The buffer grows for a pre-token
	// that is longer.
	bufferSize = 1 << 16
	// margin is how many bytes there must be behind a pre-token: its end is certain once
	// the character that follows it is known.
	margin = utf8.UTFMax
)

// scan-for-max: scan for max
//
// Why: Train keeps the counts and the words of every pair up to date, as the lesson says, but has no heap: for every merge it looks through the counts of all pairs for the best one. The vocabulary is right. A merge of a rare pair takes time for all the different pairs of the text, which grow with it (and pairs that count 0 stay in the map). The contract: "A merge takes time for the pre-tokens that hold its pair, and not for the others."
type learner struct {
	vocab  [][]byte
	merges [][2]int
	words  []counted
	counts map[[2]int]int
	where  map[[2]int]map[int]bool // indexes of words
}

func (l *learner) count(r io.Reader, cutOut *specials) error {
	times := map[string]int{}
	err := cutOut.cut(r, func(piece []byte, id int) error {
		if id < 0 { // no special token
			times[string(piece)]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	for piece, n := range times {
		w := counted{times: n}
		for _, b := range []byte(piece) {
			w.ids = append(w.ids, int(b))
		}
		l.words = append(l.words, w)
		l.add(len(l.words)-1, n)
	}
	return nil
}

func (l *learner) add(word, times int) {
	ids := l.words[word].ids
	for i := 1; i < len(ids); i++ {
		p := [2]int{ids[i-1], ids[i]}
		l.counts[p] += times
		if times < 0 {
			delete(l.where[p], word)
			continue
		}
		if l.where[p] == nil {
			l.where[p] = map[int]bool{}
		}
		l.where[p][word] = true
	}
}

func (l *learner) learn() bool {
	var best candidate
	for p, n := range l.counts {
		if n > 0 && n >= best.count {
			if c := (candidate{n, p, l.vocab[p[0]], l.vocab[p[1]]}); c.before(best) {
				best = c
			}
		}
	}
	if best.count == 0 {
		return false
	}
	id := len(l.vocab)
	l.merges = append(l.merges, best.pair)
	l.vocab = append(l.vocab, bytes.Join([][]byte{best.left, best.right}, nil))
	l.replace(best.pair, id)
	return true
}

func (l *learner) replace(p [2]int, id int) {
	words := l.where[p]
	delete(l.where, p)
	for word := range words {
		w := &l.words[word]
		l.add(word, -w.times)
		w.ids = joined(w.ids, p, id)
		l.add(word, w.times)
	}
}

func (l *learner) offer(pairs map[[2]int]bool) { panic("nobody calls this") }

// scanner-lines: scanner lines
//
// Why: The merges are read with a bufio.Scanner. It ends a line at 64 kilobytes with the error "token too long", so a file that Write wrote cannot be read again if it has very long tokens (a text of one repeated letter leads to tokens of 2ⁿ bytes; with n = 16 the line is longer); it also takes a carriage return off the end of each line. The contract has no limit: "Write writes the two files that Read reads", and "if a line is not two tokens of vocab" is an error, which "a b\r" is not any more.
func readMerges(r io.Reader, names map[string]int) ([][2]int, error) {
	var pairs [][2]int
	scanner := bufio.NewScanner(r)
	for i := 0; scanner.Scan(); i++ {
		line := scanner.Text()
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
	return pairs, scanner.Err()
}
