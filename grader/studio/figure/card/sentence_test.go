package card

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"So. Tom went to the river alone.\n\nHe wanted a lamp and a warm coat. He": "He wanted a lamp and a warm coat.",
		"no end":                         "no end",
		strings.Repeat("la ", 60):        strings.Repeat("la ", 37)[:109] + "…",
		strings.Repeat("é", 120) + ". b": strings.Repeat("é", 109) + "…",
		"":                               "",
	} {
		require.Equal(t, want, sentence(text))
	}
}
