package attention

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/reference/wire"
)

// What is known without the oracle is what the oracle says.
func TestMaskTruth(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7} {
		want, err := course.Truth("causal_mask", wire.Values{"n": wire.Int(n)})
		require.NoError(t, err)
		got, err := maskTruth(wire.Values{"n": wire.Int(n)})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
