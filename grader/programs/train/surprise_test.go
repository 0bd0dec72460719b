package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSurprise(t *testing.T) {
	require.InDelta(t, math.Log(4), surprise([]float32{2, 2, 2, 2}, 1), 1e-12)
	require.InDelta(t, -math.Log(0.9), surprise([]float32{0, float32(math.Log(9))}, 1), 1e-6)
	require.InDelta(t, 2000, surprise([]float32{1000, -1000}, 1), 1e-9)
}

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
