package sweep

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTurn(t *testing.T) {
	seen := map[int]int{}
	for k := range 3 {
		var turn Turn
		require.NoError(t, turn.Set(fmt.Sprintf("%d/3", k)))
		for i := range 10 {
			if turn.Takes(i) {
				seen[i]++
			}
		}
	}
	for i := range 10 {
		require.Equal(t, 1, seen[i], "each has one turn of three")
		require.True(t, Turn{}.Next(2).Takes(i))
	}
	require.Equal(t, Turn{1, 3}, Turn{2, 3}.Next(2))
	for _, wrong := range []string{"", "1", "3/3", "-1/3", "0/0", "1/3x", "1", "+1/3"} {
		turn := Turn{1, 2}
		require.Error(t, turn.Set(wrong), wrong)
		require.Equal(t, Turn{1, 2}, turn)
	}
}
