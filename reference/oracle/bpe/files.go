package bpe

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Read reads GPT-2's two files. A special token stands in the vocabulary as it is,
// every other one with a character for each of its bytes.
func Read(vocab, merges []byte, special [][]byte) (Tokenizer, error) {
	names := map[string]int{}
	if err := json.Unmarshal(vocab, &names); err != nil {
		return Tokenizer{}, fmt.Errorf("the vocabulary: %w", err)
	}
	t := Tokenizer{Vocab: make([][]byte, len(names))}
	for _, s := range special {
		id, ok := names[string(s)]
		if !ok {
			return t, fmt.Errorf("the vocabulary has no special token %q", s)
		}
		t.Special = append(t.Special, id)
	}
	for name, id := range names {
		if id < 0 || id >= len(names) || t.Vocab[id] != nil {
			return t, fmt.Errorf("the vocabulary of %d tokens has the id %d for %q", len(names), id, name)
		}
		t.Vocab[id] = []byte(name)
		if !contains(special, name) {
			token, err := unprinted(name)
			if err != nil {
				return t, err
			}
			t.Vocab[id] = token
		}
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(merges), "\n"), "\n") {
		if i == 0 && strings.HasPrefix(line, "#version") || line == "" {
			continue
		}
		left, right, _ := strings.Cut(line, " ")
		a, known := names[left]
		b, both := names[right]
		if !known || !both {
			return t, fmt.Errorf("line %d of the merges, %q, is no pair of tokens", i+1, line)
		}
		t.Merges = append(t.Merges, [2]int{a, b})
	}
	return t, nil
}

func contains(special [][]byte, name string) bool {
	for _, s := range special {
		if string(s) == name {
			return true
		}
	}
	return false
}

// printed returns the character of a byte: itself if it prints, or else one from 256
// on, in order.
func printed() [256]rune {
	var table [256]rune
	next := rune(256)
	for b := range rune(256) {
		if b >= '!' && b <= '~' || b >= '¡' && b <= '¬' || b >= '®' {
			table[b] = b
		} else {
			table[b], next = next, next+1
		}
	}
	return table
}

// unprinted returns the bytes that characters stand for.
func unprinted(name string) ([]byte, error) {
	bytes := []byte{}
	for _, r := range name {
		found := false
		for b, p := range printed() {
			if p == r {
				bytes, found = append(bytes, byte(b)), true
			}
		}
		if !found {
			return nil, fmt.Errorf("%q of %q stands for no byte", r, name)
		}
	}
	return bytes, nil
}
