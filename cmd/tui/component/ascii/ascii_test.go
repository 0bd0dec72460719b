package ascii

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	require.Len(t, []rune(signs), len(plain), "each sign becomes one character")
	for from, to := range map[string]string{
		"▸ ✗ wrong": "> x wrong", "│██░░": "|##..", "⠉⣀⡇ ": "'.: ", "词元 e\u0301": "词元 e\u0301", "\x1b[1ma\x1b[0m": "\x1b[1ma\x1b[0m",
	} {
		require.Equal(t, to, Of(from))
	}
}
