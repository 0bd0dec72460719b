package tokenizer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/corpus"
)

// piece is an entry of a tokenizer.bin.
type piece struct {
	text  string
	score float32
}

// pieces returns the 259 tokens that every llama2.c tokenizer begins with, and
// more after them.
func pieces(more ...piece) []piece {
	all := []piece{{"<unk>", 0}, {"\n<s>\n", 0}, {"\n</s>\n", 0}}
	for b := range 256 {
		all = append(all, piece{fmt.Sprintf("<0x%02X>", b), 0})
	}
	return append(all, more...)
}

// file writes a tokenizer.bin.
func file(all []piece) []byte {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, int32(16))
	for _, p := range all {
		binary.Write(&b, binary.LittleEndian, p.score)
		binary.Write(&b, binary.LittleEndian, int32(len(p.text)))
		b.WriteString(p.text)
	}
	return b.Bytes()
}

// Ids from 259 on: ' ' a b ab ba aba é, and the better score wins.
func small() []piece {
	return pieces(piece{" ", -9}, piece{"a", -9}, piece{"b", -9}, piece{"ab", -2}, piece{"ba", -1}, piece{"aba", -3}, piece{"é", -9}, piece{" a", -8})
}

func read(t *testing.T, all []piece) *Pieces {
	t.Helper()
	p, err := ReadPieces(bytes.NewReader(file(all)), len(all))
	require.NoError(t, err)
	return p
}

func TestPieces(t *testing.T) {
	const space, a, b, ab, ba, aba, e, spaceA = 259, 260, 261, 262, 263, 264, 265, 266
	p := read(t, small())
	for _, c := range []struct {
		text string
		ids  []int
	}{
		{"", []int{begin}},
		{"b", []int{begin, space, b}},
		{"a", []int{begin, spaceA}},                    // a space comes first, and merges
		{"bab", []int{begin, space, ba, b}},            // ba has a better score than ab
		{"baba", []int{begin, space, ba, ba}},          // both of them, the left one first
		{"ab", []int{begin, space, ab}},                // the better of " a" and "ab"
		{"aab", []int{begin, spaceA, ab}},              // both, one after the other
		{"é", []int{begin, space, e}},                  // one character, two bytes
		{"ö", []int{begin, space, 3 + 0xC3, 3 + 0xB6}}, // no piece: its bytes
		{"\xff", []int{begin, space, 3 + 0xFF}},        // not even UTF-8
	} {
		ids, err := p.Prompt(c.text)
		require.NoError(t, err)
		require.Equal(t, c.ids, ids, c.text)
		text, err := p.Decode(ids)
		require.NoError(t, err)
		require.Equal(t, c.text, text)
	}
	text, err := p.Decode([]int{space, ab, 2, begin, spaceA, space, 0, aba})
	require.NoError(t, err)
	require.Equal(t, " aba aba", text, "the space after the beginning is left out, and what is no text")
	_, err = p.Decode([]int{a, 267})
	require.ErrorContains(t, err, "token 267 at position 1 is outside the vocabulary of 267")
	require.Equal(t, begin, p.Stop())
	require.Equal(t, 267, p.VocabSize())
}

func TestPiecesRefuses(t *testing.T) {
	good := file(small())
	nan, long := bytes.Clone(good), bytes.Clone(good)
	binary.LittleEndian.PutUint32(nan[4:], 0x7fc00000)
	binary.LittleEndian.PutUint32(long[8:], 17)
	for name, c := range map[string]struct {
		data  []byte
		vocab int
		want  string
	}{
		"vocabulary too small": {good, 258, "at least 259 tokens; the model has 258"},
		"empty":                {nil, 267, "too short"},
		"a text":               {[]byte("some text that is no tokenizer"), 267, "not a llama2.c tokenizer"},
		"of a larger model":    {good, 266, "goes on after 266 tokens"},
		"of a smaller model":   {good, 268, "token 267 of 268: the file ends before it"},
		"truncated":            {good[:len(good)-1], 267, "token 266 of 267: the file ends inside it"},
		"longer than longest":  {long, 267, "token 0 of 267: has 17 bytes"},
		"no score":             {nan, 267, "token 0 of 267: has 5 bytes and the score NaN"},
	} {
		_, err := ReadPieces(bytes.NewReader(c.data), c.vocab)
		require.ErrorContains(t, err, c.want, name)
	}
}

func FuzzPieces(f *testing.F) {
	f.Add(file(small()), "abba é\n")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		p, err := ReadPieces(bytes.NewReader(data), 267)
		if err != nil {
			return
		}
		ids, err := p.Prompt(text)
		require.NoError(t, err)
		_, err = p.Decode(ids)
		require.NoError(t, err)
	})
}

func TestCharacters(t *testing.T) {
	c := Characters{corpus.NewTokenizer("ab\n")}
	ids, err := c.Prompt("ba")
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, ids)
	ids, err = c.Prompt("")
	require.NoError(t, err)
	require.Equal(t, []int{0}, ids, "a line end")
	ids, err = Characters{corpus.NewTokenizer("ab")}.Prompt("")
	require.NoError(t, err)
	require.Equal(t, []int{0}, ids, "there is no line end: the first character")
	_, err = c.Prompt("bad")
	require.ErrorContains(t, err, "the model has never seen 'd'")
	require.Equal(t, -1, c.Stop())
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir, 3)
	require.ErrorContains(t, err, "holds no tokenizer: neither alphabet.txt nor tokens.json nor tokenizer.bin is there")
	require.NoError(t, os.WriteFile(filepath.Join(dir, PiecesFile), file(small()), 0o600))
	tok, err := Open(dir, 267)
	require.NoError(t, err)
	require.Equal(t, 267, tok.VocabSize())
	_, err = Open(dir, 300)
	require.ErrorContains(t, err, "tokenizer.bin: token 267 of 300: the file ends before it")
	require.NoError(t, os.WriteFile(filepath.Join(dir, AlphabetFile), []byte("abc"), 0o600))
	_, err = Open(dir, 4)
	require.ErrorContains(t, err, "alphabet.txt has 3 tokens, but the model has 4")
	_, err = Open(dir, 3)
	require.NoError(t, err)
}

func TestLearned(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, TokensFile), []byte(`["YQ==", "Cg==", "5rA="]`), 0o600))
	_, err := Open(dir, 4)
	require.ErrorContains(t, err, "tokens.json has 3 tokens, but the model has 4")
	tok, err := Open(dir, 3)
	require.NoError(t, err)
	text, err := tok.Decode([]int{0, 2, 1})
	require.NoError(t, err)
	require.Equal(t, "a\xe6\xb0\n", text)
	_, err = tok.Decode([]int{0, 3})
	require.ErrorContains(t, err, "token 3 at position 1 is outside the vocabulary of 3")
	ids, err := tok.Prompt("")
	require.NoError(t, err)
	require.Equal(t, []int{1}, ids, "a line end")
	_, err = tok.Prompt("a")
	require.ErrorContains(t, err, "whose code cannot be asked here")
	require.NoError(t, os.WriteFile(filepath.Join(dir, TokensFile), []byte(`{}`), 0o600))
	_, err = Open(dir, 3)
	require.ErrorContains(t, err, "not a list of tokens")
}

func TestSpecial(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, VocabFile), []byte(`{"<|b|>": 1, "<|a|>": 0, "<|>": 2, "a<|c|>": 3, "<||>": 4}`), 0o600))
	found, err := Special(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"<|a|>", "<|b|>"}, found)
}
