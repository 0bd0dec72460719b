package ascii

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	require.Len(t, []rune(signs), len(plain), "each sign becomes one character")
	for from, to := range map[string]string{
		"▸ ✗ wrong": "> x wrong", "│██░░": "|##..", "⠉⣀⡇ ": "'.: ", "词元 e\u0301": "词元 e\u0301", "\x1b[1ma\x1b[0m": "\x1b[1ma\x1b[0m",
		"6.3·10⁵ × its": "6.3e+05 x its", "1·10¹² |": "1e+12  |", "2·10⁻⁷ |": "2e-07  |", "q·k": "q.k",
	} {
		require.Equal(t, to, Of(from))
	}
}
