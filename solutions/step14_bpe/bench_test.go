package bpe

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/corpus"
)

// prose is English prose, n bytes of it at most.
func prose(tb testing.TB, n int) []byte {
	tb.Helper()
	text, err := corpus.Load("opticks")
	require.NoError(tb, err)
	return []byte(text)[:min(n, len(text))]
}

func BenchmarkTrain(b *testing.B) {
	text := prose(b, 130_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, err := Train(bytes.NewReader(text), 500)
		require.NoError(b, err)
	}
}

func BenchmarkEncode(b *testing.B) {
	text := prose(b, 1<<20)
	t, err := Train(bytes.NewReader(text), 500, "<|end|>")
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		t.Encode(text)
	}
}

func BenchmarkEncodeReader(b *testing.B) {
	text := prose(b, 1<<20)
	t, err := Train(bytes.NewReader(text), 500, "<|end|>")
	require.NoError(b, err)
	const copies = 8
	b.SetBytes(int64(copies * len(text)))
	for b.Loop() {
		var readers []io.Reader
		for range copies {
			readers = append(readers, bytes.NewReader(text))
		}
		require.NoError(b, t.EncodeReader(io.MultiReader(readers...), func([]int) error { return nil }))
	}
}

// BenchmarkEncodeLong encodes one pre-token.
func BenchmarkEncodeLong(b *testing.B) {
	text := []byte(strings.Repeat("abba", 1<<18))
	t, err := Train(strings.NewReader(strings.Repeat("abba ", 9)+strings.Repeat("abba", 300)), 300)
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		t.Encode(text)
	}
}
