package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A character has the surprise of the token with which it begins, however many bytes
// or characters a token has.
func TestByCharacter(t *testing.T) {
	pieces := []string{"T", "om ", "\xe8", "\xaf\x8d", "\x8d!"}
	decode := func(ids []int) (text string, err error) {
		for _, id := range ids {
			text += pieces[id]
		}
		return text, nil
	}
	ids := []int{0, 1, 2, 3}
	said, _ := decode(ids)
	require.Equal(t, "Tom 词", said)
	nats, err := byCharacter(said, ids, []float64{1, 2.504, 3, 4}, decode)
	require.NoError(t, err)
	require.Equal(t, []float64{1, 2.5, 2.5, 2.5, 3}, nats)
}
