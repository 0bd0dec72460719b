package corpus

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Tokenizer gives every character of a text a token id of its own. The ids
// follow the order of the characters in Unicode, so the same set of characters
// always gets the same ids.
type Tokenizer struct {
	chars []rune
	ids   map[rune]int
}

// NewTokenizer returns the tokenizer of all characters that occur in text.
func NewTokenizer(text string) *Tokenizer {
	seen := map[rune]bool{}
	var chars []rune
	for _, c := range text {
		if !seen[c] {
			seen[c] = true
			chars = append(chars, c)
		}
	}
	slices.Sort(chars)
	t := &Tokenizer{chars: chars, ids: make(map[rune]int, len(chars))}
	for id, c := range chars {
		t.ids[c] = id
	}
	return t
}

// VocabSize returns the number of different characters.
func (t *Tokenizer) VocabSize() int { return len(t.chars) }

// Alphabet returns all characters in the order of their ids: what NewTokenizer
// needs to make the same tokenizer again.
func (t *Tokenizer) Alphabet() string { return string(t.chars) }

// Encode returns the token ids of text. It is an error if a character has
// none; the error names every such character.
func (t *Tokenizer) Encode(text string) ([]int, error) {
	ids := make([]int, 0, utf8.RuneCountInString(text))
	var unknown []string
	for _, c := range text {
		id, ok := t.ids[c]
		if !ok {
			if quoted := fmt.Sprintf("%q", c); !slices.Contains(unknown, quoted) {
				unknown = append(unknown, quoted)
			}
			continue
		}
		ids = append(ids, id)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("the model has never seen %s; it knows these characters: %q",
			strings.Join(unknown, ", "), t.Alphabet())
	}
	return ids, nil
}

// Decode returns the text of token ids. It is an error if an id is outside the
// vocabulary.
func (t *Tokenizer) Decode(ids []int) (string, error) {
	var out strings.Builder
	for i, id := range ids {
		if id < 0 || id >= len(t.chars) {
			return "", fmt.Errorf("token %d at position %d is outside the vocabulary of %d", id, i, len(t.chars))
		}
		out.WriteRune(t.chars[id])
	}
	return out.String(), nil
}
