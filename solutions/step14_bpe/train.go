package bpe

import (
	"bytes"
	"fmt"
	"io"
)

// Train learns a vocabulary of at most vocabSize tokens from a text: the 256 bytes in
// their order, what is learnt, and at the end the special tokens.
//
// The text is cut as Encode cuts it, and special tokens are not counted. A pair counts
// once for every place in the text where the two are neighbours inside a pre-token: aaa
// holds the pair (a, a) twice. Again and again the pair with the highest count becomes a
// token; of pairs that count the same it is the greatest pair of byte strings, the left
// ones compared first. It becomes one token wherever it occurs, from left to right. If no
// pair is left, the vocabulary is smaller than vocabSize.
//
// A merge takes time for the pre-tokens that hold its pair, and not for the others.
//
// It is an error if vocabSize is too small for the bytes and the special tokens, if a
// special token is empty, a single byte, or there twice, and if r fails.
func Train(r io.Reader, vocabSize int, special ...string) (*Tokenizer, error) {
	if vocabSize < 256+len(special) {
		return nil, fmt.Errorf("bpe: a vocabulary of %d tokens has no room for 256 bytes and %d special tokens",
			vocabSize, len(special))
	}
	var cutOut specials
	seen := map[string]bool{}
	for _, s := range special {
		if len(s) < 2 || seen[s] {
			return nil, fmt.Errorf("bpe: the special token %q is empty, a single byte, or there twice", s)
		}
		seen[s] = true
		cutOut.add([]byte(s), 0)
	}
	l := newLearner()
	if err := l.count(r, &cutOut); err != nil {
		return nil, err
	}
	for len(l.vocab)+len(special) < vocabSize && l.learn() {
	}
	var ids []int
	for _, s := range special {
		ids = append(ids, len(l.vocab))
		l.vocab = append(l.vocab, []byte(s))
	}
	return New(l.vocab, l.merges, ids)
}

// learner knows of every pair how often it occurs and in which words.
type learner struct {
	vocab  [][]byte
	merges [][2]int
	words  []counted
	counts map[[2]int]int
	where  map[[2]int]map[int]bool // indexes of words
	queue  queue[candidate]
}

// counted is a pre-token and how often the text has it.
type counted struct {
	ids   []int
	times int
}

func newLearner() *learner {
	l := &learner{counts: map[[2]int]int{}, where: map[[2]int]map[int]bool{}}
	for b := range 256 {
		l.vocab = append(l.vocab, []byte{byte(b)})
	}
	return l
}

// count reads a text, and counts its pre-tokens and their pairs.
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
	touched := map[[2]int]bool{}
	for piece, n := range times {
		w := counted{times: n}
		for _, b := range []byte(piece) {
			w.ids = append(w.ids, int(b))
		}
		l.words = append(l.words, w)
		l.add(len(l.words)-1, n, touched)
	}
	l.offer(touched)
	return nil
}

// add counts the pairs of a word so many times more, and notes that the word holds them.
// If times is negative, it takes the word's pairs out again. It puts the pairs into touched.
func (l *learner) add(word, times int, touched map[[2]int]bool) {
	ids := l.words[word].ids
	for i := 1; i < len(ids); i++ {
		p := [2]int{ids[i-1], ids[i]}
		l.counts[p] += times
		touched[p] = true
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

// offer puts pairs into the queue with the counts that they have now.
func (l *learner) offer(pairs map[[2]int]bool) {
	for p := range pairs {
		if n := l.counts[p]; n > 0 {
			l.queue.push(candidate{n, p, l.vocab[p[0]], l.vocab[p[1]]})
		}
	}
}

// learn makes a token of the pair that occurs most, and reports whether there is one.
func (l *learner) learn() bool {
	for len(l.queue.items) > 0 {
		best := l.queue.pop()
		if best.count != l.counts[best.pair] {
			continue // its count has changed since, and it was offered again then
		}
		id := len(l.vocab)
		l.merges = append(l.merges, best.pair)
		l.vocab = append(l.vocab, bytes.Join([][]byte{best.left, best.right}, nil))
		l.replace(best.pair, id)
		return true
	}
	return false
}

// replace puts an id in the place of a pair in all words that hold it. All pairs of these
// words leave the counts before and enter them again after: the pair's neighbours have
// other counts then, too.
func (l *learner) replace(p [2]int, id int) {
	words, touched := l.where[p], map[[2]int]bool{}
	delete(l.where, p)
	for word := range words {
		w := &l.words[word]
		l.add(word, -w.times, touched)
		w.ids = joined(w.ids, p, id)
		l.add(word, w.times, touched)
	}
	l.offer(touched)
}

// joined puts an id in the place of every occurrence of a pair, from the left.
func joined(ids []int, p [2]int, id int) []int {
	out := ids[:0]
	for i := 0; i < len(ids); i++ {
		if i+1 < len(ids) && ids[i] == p[0] && ids[i+1] == p[1] {
			out = append(out, id)
			i++
		} else {
			out = append(out, ids[i])
		}
	}
	return out
}

// candidate is a pair with the count that it had when it was offered.
type candidate struct {
	count       int
	pair        [2]int
	left, right []byte
}

// before reports whether a is merged first: it has the higher count, or the same and is
// the greater pair of byte strings.
//
//lint:ignore U1000 queue calls it
func (a candidate) before(b candidate) bool {
	if a.count != b.count {
		return a.count > b.count
	}
	if c := bytes.Compare(a.left, b.left); c != 0 {
		return c > 0
	}
	return bytes.Compare(a.right, b.right) > 0
}
