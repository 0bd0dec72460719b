// Package bpe is byte-pair encoding from its definition: the counts are made anew
// for every merge, and a word is searched from its beginning after every join.
package bpe

import (
	"bytes"
	"fmt"
	"slices"
)

// Tokenizer is a vocabulary and how it came about.
type Tokenizer struct {
	Vocab   [][]byte // the bytes of every token, by id
	Merges  [][2]int // pairs of ids, the first has the lowest rank
	Special []int    // ids of the special tokens
}

// Train learns a vocabulary of at most size tokens: the bytes, what is learnt, the
// special tokens. The pair with the highest count becomes a token; of pairs with the
// same count it is the greatest pair of byte strings.
func Train(text []byte, size int, special [][]byte) Tokenizer {
	var t Tokenizer
	for b := range 256 {
		t.Vocab = append(t.Vocab, []byte{byte(b)})
	}
	words := wordsOf(text, special)
	for len(t.Vocab)+len(special) < size {
		best, found := t.mostFrequent(words)
		if !found {
			break
		}
		joined := slices.Concat(t.Vocab[best[0]], t.Vocab[best[1]])
		t.Merges, t.Vocab = append(t.Merges, best), append(t.Vocab, joined)
		for i := range words {
			words[i] = join(words[i], best, len(t.Vocab)-1)
		}
	}
	for _, s := range special {
		t.Special = append(t.Special, len(t.Vocab))
		t.Vocab = append(t.Vocab, s)
	}
	return t
}

// wordsOf returns the pre-tokens of a text, as often as they occur, as bytes.
func wordsOf(text []byte, special [][]byte) [][]int {
	var words [][]int
	for _, p := range Parts(text, special) {
		if p.Special {
			continue
		}
		for _, pre := range PreTokens(p.Text) {
			word := make([]int, len(pre))
			for i, b := range pre {
				word[i] = int(b)
			}
			words = append(words, word)
		}
	}
	return words
}

func (t Tokenizer) mostFrequent(words [][]int) (best [2]int, found bool) {
	counts := map[[2]int]int{}
	for _, word := range words {
		for i := 1; i < len(word); i++ {
			counts[[2]int{word[i-1], word[i]}]++
		}
	}
	for pair, n := range counts {
		if !found || n > counts[best] || n == counts[best] && t.compare(pair, best) > 0 {
			best, found = pair, true
		}
	}
	return best, found
}

// compare compares two pairs of byte strings.
func (t Tokenizer) compare(a, b [2]int) int {
	if c := bytes.Compare(t.Vocab[a[0]], t.Vocab[b[0]]); c != 0 {
		return c
	}
	return bytes.Compare(t.Vocab[a[1]], t.Vocab[b[1]])
}

// join puts an id in the place of every occurrence of a pair, from the left.
func join(word []int, pair [2]int, id int) []int {
	var out []int
	for i := 0; i < len(word); i++ {
		if i+1 < len(word) && word[i] == pair[0] && word[i+1] == pair[1] {
			out = append(out, id)
			i++
		} else {
			out = append(out, word[i])
		}
	}
	return out
}

// Encode returns the ids of a text. It is an error if a byte, or what a merge makes,
// is no token.
func (t Tokenizer) Encode(text []byte) ([]int, error) {
	ids, ranks := map[string]int{}, map[[2]int]int{}
	for id, token := range t.Vocab {
		ids[string(token)] = id
	}
	for rank, pair := range t.Merges {
		ranks[pair] = rank
	}
	var special [][]byte
	for _, id := range t.Special {
		special = append(special, t.Vocab[id])
	}
	out := []int{}
	for _, p := range Parts(text, special) {
		if p.Special {
			out = append(out, ids[string(p.Text)])
			continue
		}
		for _, pre := range PreTokens(p.Text) {
			word, err := t.word(pre, ids, ranks)
			if err != nil {
				return nil, err
			}
			out = append(out, word...)
		}
	}
	return out, nil
}

// word merges a pre-token: the pair of the lowest rank, the leftmost of these, until
// there is none.
func (t Tokenizer) word(pre []byte, ids map[string]int, ranks map[[2]int]int) ([]int, error) {
	var word []int
	for _, b := range pre {
		id, ok := ids[string([]byte{b})]
		if !ok {
			return nil, fmt.Errorf("the byte %d is no token", b)
		}
		word = append(word, id)
	}
	for {
		lowest, at := len(t.Merges), -1
		for i := 1; i < len(word); i++ {
			if rank, ok := ranks[[2]int{word[i-1], word[i]}]; ok && rank < lowest {
				lowest, at = rank, i-1
			}
		}
		if at < 0 {
			return word, nil
		}
		made := slices.Concat(t.Vocab[word[at]], t.Vocab[word[at+1]])
		id, ok := ids[string(made)]
		if !ok {
			return nil, fmt.Errorf("merge %d makes %q, which is no token", lowest, made)
		}
		word = slices.Replace(word, at, at+2, id)
	}
}

// Decode returns the bytes of ids.
func (t Tokenizer) Decode(ids []int) []byte {
	out := []byte{}
	for _, id := range ids {
		out = append(out, t.Vocab[id]...)
	}
	return out
}

// Part is a special token, or the text between two.
type Part struct {
	Text    []byte
	Special bool
}

// Parts cuts the special tokens out of a text: the leftmost, the longest of those
// that begin there.
func Parts(text []byte, special [][]byte) []Part {
	var parts []Part
	rest := text
	for at := 0; at < len(rest); at++ {
		longest := 0
		for _, s := range special {
			if bytes.HasPrefix(rest[at:], s) {
				longest = max(longest, len(s))
			}
		}
		if longest == 0 {
			continue
		}
		if at > 0 {
			parts = append(parts, Part{rest[:at], false})
		}
		parts = append(parts, Part{rest[at : at+longest], true})
		rest, at = rest[at+longest:], -1
	}
	if len(rest) > 0 {
		parts = append(parts, Part{rest, false})
	}
	return parts
}
