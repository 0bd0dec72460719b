package train

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBegun cuts texts where a token may end.
func TestBegun(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 0, "水": 0, "\xe6": 1, "a\xe6\xb0": 2, "\xf0\x9f\x98": 3, "😀": 0,
		"\xff": 0, "\x80\x80\x80\x80": 0, "é\xc3": 1, "\xc3a": 0, "a\r": 1, "a\r\n": 0, "\ra": 0} {
		require.Equal(t, want, begun(text), "%q", text)
	}
}
