package bpe

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Read reads a tokenizer from the two files in which GPT-2's was published.
//
// vocab is a JSON object: from every token to its id. A token is written with one
// printable character for each of its bytes: the bytes 33 to 126, 161 to 172 and 174 to
// 255 as the characters of these numbers, the other 68, in their order, as the characters
// 256 to 323. A special token stands there as it is.
//
// merges has a pair of tokens, written so, in each line with one space between them, in
// the order of their ranks. The first line may say a version instead: it begins with
// "#version". Empty lines are passed over. Every other line is a pair, "# #" as well.
//
// Read returns an error that names the token or the number of the line (from 1)
//
//   - if the ids are not 0, 1, … without gaps,
//   - if a character stands for no byte, or a special token is not in vocab,
//   - if a line is not two tokens of vocab, and
//   - if New refuses what was read.
//
// An error of a reader is returned, too: only io.EOF is the end.
func Read(vocab, merges io.Reader, special ...string) (*Tokenizer, error) {
	data, err := io.ReadAll(vocab)
	if err != nil {
		return nil, err
	}
	var names map[string]int
	if err := json.Unmarshal(data, &names); err != nil {
		return nil, fmt.Errorf("bpe: the vocabulary: %w", err)
	}
	var ids []int
	isSpecial := map[string]bool{}
	for _, s := range special {
		id, ok := names[s]
		if !ok {
			return nil, fmt.Errorf("bpe: the vocabulary has no special token %q", s)
		}
		ids, isSpecial[s] = append(ids, id), true
	}
	tokens, err := tokensOf(names, isSpecial)
	if err != nil {
		return nil, err
	}
	pairs, err := readMerges(merges, names)
	if err != nil {
		return nil, err
	}
	return New(tokens, pairs, ids)
}

// tokensOf returns the bytes of every token by id.
func tokensOf(names map[string]int, isSpecial map[string]bool) ([][]byte, error) {
	tokens, bytes := make([][]byte, len(names)), unprintable()
	for name, id := range names {
		if id < 0 || id >= len(names) || tokens[id] != nil {
			return nil, fmt.Errorf("bpe: the id of %q is %d; want each of the ids 0 to %d once", name, id, len(names)-1)
		}
		if isSpecial[name] {
			tokens[id] = []byte(name)
			continue
		}
		tokens[id] = []byte{}
		for _, r := range name {
			b, ok := bytes[r]
			if !ok {
				return nil, fmt.Errorf("bpe: the character %q of the token %q stands for no byte", r, name)
			}
			tokens[id] = append(tokens[id], b)
		}
	}
	return tokens, nil
}

// readMerges reads the pairs, as ids.
func readMerges(r io.Reader, names map[string]int) ([][2]int, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var pairs [][2]int
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
	return pairs, nil
}

// Write writes the two files that Read reads. If a special token is not UTF-8, or is
// written like another token, it returns an error and writes nothing. An error of a
// writer is returned.
func (t *Tokenizer) Write(vocab, merges io.Writer) error {
	names, err := t.names()
	if err != nil {
		return err
	}
	var object, lines strings.Builder
	for id, name := range names {
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&object, ", %s: %d", key, id)
	}
	lines.WriteString("#version: 0.2\n")
	for _, p := range t.Merges {
		fmt.Fprintln(&lines, names[p[0]], names[p[1]])
	}
	if _, err := fmt.Fprintf(vocab, "{%s}", strings.TrimPrefix(object.String(), ", ")); err != nil {
		return err
	}
	_, err = io.WriteString(merges, lines.String())
	return err
}

// names returns how every token is written.
func (t *Tokenizer) names() ([]string, error) {
	names, chars := make([]string, len(t.Vocab)), printable()
	for id, token := range t.Vocab {
		for _, b := range token {
			names[id] += string(chars[b])
		}
	}
	for _, id := range t.Special {
		names[id] = string(t.Vocab[id])
	}
	taken := map[string]int{}
	for id, name := range names {
		if other, twice := taken[name]; twice || !utf8.ValidString(name) {
			return nil, fmt.Errorf("bpe: token %d is written as %q, which is not UTF-8 or token %d too", id, name,
				other)
		}
		taken[name] = id
	}
	return names, nil
}

// printable returns the character for every byte: its own if it is one that prints,
// and otherwise the next one from 256 on.
func printable() (chars [256]rune) {
	next := rune(256)
	for b := range rune(256) {
		if '!' <= b && b <= '~' || '¡' <= b && b <= '¬' || '®' <= b {
			chars[b] = b
		} else {
			chars[b] = next
			next++
		}
	}
	return chars
}

// unprintable returns the byte for every character of printable.
func unprintable() map[rune]byte {
	bytes := map[rune]byte{}
	for b, r := range printable() {
		bytes[r] = byte(b)
	}
	return bytes
}
