package course

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A number that a message has to name is there as a whole, and not as a part of another.
func TestSays(t *testing.T) {
	for _, c := range []struct {
		message, word string
		want          bool
	}{
		{"ids[2]: index 260, want 0 ≤ i < 260", "2", true},
		{"index 260, want 0 ≤ i < 260", "2", false},
		{"index 260, want 0 ≤ i < 260", "26", false},
		{"the id -1 is not in 0 ≤ id < 260", "-1", true},
		{"the id -1 is not in 0 ≤ id < 260", "1", false},
		{"the id 1 is not there", "-1", false},
		{"ids-2 is too large", "2", true},
		{"rows 3-5 are missing", "5", true},
		{"the rate 2.5 is too large", "2", false},
		{"there are 2.", "2", true},
		{"x has shape (2, 13)", "13", true},
		{"x has shape (2, 13)", "3", false},
		{"shape=[2 13]", "2", true},
		{"T2 of 13", "2", true},
		{"a window needs 501 tokens", "500|501", true},
		{"a window needs 50 tokens", "500|501", false},
		{"<|a|> is there twice", "<|a|>", true},
		{"a is there twice", "<|a|>", false},
		{"there is no format \"f8\"", "f8", true},
	} {
		require.Equal(t, c.want, says(c.message, c.word), "%q in %q", c.word, c.message)
	}
}
