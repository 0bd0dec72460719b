package bpe

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// learnt learns from a text and returns the tokens beyond the bytes.
func learnt(t *testing.T, text string, more int, special ...string) (*Tokenizer, []string) {
	t.Helper()
	tok, err := Train(strings.NewReader(text), 256+more+len(special), special...)
	require.NoError(t, err)
	var tokens []string
	for _, token := range tok.Vocab[256:] {
		tokens = append(tokens, string(token))
	}
	return tok, tokens
}

// shown returns the bytes of every token of a text.
func shown(tok *Tokenizer, text string) []string {
	var tokens []string
	for _, id := range tok.Encode([]byte(text)) {
		tokens = append(tokens, string(tok.Vocab[id]))
	}
	return tokens
}

// TestWorkedExample holds what the lesson, steps/step14_bpe/README.md, works out by hand.
func TestWorkedExample(t *testing.T) {
	tok, tokens := learnt(t, "no now know known", 6)
	require.Equal(t, []string{"no", "now", "know", " know", " known", " now"}, tokens)
	require.Equal(t, [][2]int{{'n', 'o'}, {256, 'w'}, {'k', 257}, {' ', 258}, {259, 'n'}, {' ', 257}}, tok.Merges)
	require.Equal(t, []string{" know", "s"}, shown(tok, " knows"))
	require.Equal(t, []string{"u", "n", "know", "n"}, shown(tok, "unknown"))
	require.Equal(t, []string{"w", "o", "n"}, shown(tok, "won"))
	require.Equal(t, []int{195, 169}, tok.Encode([]byte("é")))

	runs, tokens := learnt(t, "aaa", 2)
	require.Equal(t, []string{"aa", "aaa"}, tokens)
	require.Equal(t, []string{"aa", "aaa"}, shown(runs, "aaaaa"))
}

// TestPreTokens holds the table of the lesson.
func TestPreTokens(t *testing.T) {
	for text, want := range map[string][]string{
		"I've   12 dogs.": {"I", "'ve", "  ", " 12", " dogs", "."},
		"DON'T":           {"DON", "'", "T"},
		"a\n\n b  ":       {"a", "\n\n", " b", "  "},
		"a\n\nb":          {"a", "\n", "\n", "b"},
		"x² = ½":          {"x", "²", " =", " ½"},
		"e\u0301":         {"e", "\u0301"},
	} {
		var got []string
		for rest := []byte(text); len(rest) > 0; rest = rest[PreToken(rest):] {
			got = append(got, string(rest[:PreToken(rest)]))
		}
		require.Equal(t, want, got, "%q", text)
	}
}

// FuzzRoundTrip holds that decoding gives back every text, that a reader gives the same
// tokens in whatever pieces it gives its bytes, and that the two files say it all.
func FuzzRoundTrip(f *testing.F) {
	for _, text := range []string{"", "no now know known", "a  b\n\n c<|end|>", "\x00\xff\xc3", "ទន្លេ 世界 🙂",
		"aaaaaaa '''s", "<|end|<|end|>"} {
		f.Add([]byte(text), []byte(text), uint8(20))
	}
	f.Fuzz(func(t *testing.T, corpus, text []byte, more uint8) {
		const end = "<|end|>"
		tok, err := Train(bytes.NewReader(corpus), 257+int(more), end)
		require.NoError(t, err)
		ids := tok.Encode(text)
		back, err := tok.Decode(ids)
		require.NoError(t, err)
		require.True(t, bytes.Equal(text, back), "%q became %q", text, back)

		collected := []int{}
		err = tok.EncodeReader(iotest.OneByteReader(bytes.NewReader(text)), func(more []int) error {
			collected = append(collected, more...)
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, ids, collected)

		var vocab, merges bytes.Buffer
		require.NoError(t, tok.Write(&vocab, &merges))
		read, err := Read(&vocab, &merges, end)
		require.NoError(t, err)
		require.Equal(t, ids, read.Encode(text))
	})
}

// TestEveryTokenIsItself holds what the lesson proves: no token is learnt twice, and the
// bytes of a learnt token are encoded as this token.
func TestEveryTokenIsItself(t *testing.T) {
	tok, err := Train(bytes.NewReader(prose(t, 60_000)), 1500)
	require.NoError(t, err)
	require.Len(t, tok.Vocab, 1500)
	for id, token := range tok.Vocab {
		require.Equal(t, []int{id}, tok.Encode(token), "%q", token)
	}
}
