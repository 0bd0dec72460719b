package rmsnorm

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/wire"
)

// A row of two numbers whose dy lies along x leaves of dx what rounding leaves.
func TestTermsCancel(t *testing.T) {
	in := func(dy ...float32) wire.Values {
		return wire.Values{"x": wire.Float32s([]float32{0.01, 0.02}, 1, 2), "g": wire.Float32s([]float32{1, 1}, 2), "dy": wire.Float32s(dy, 1, 2)}
	}
	require.True(t, termsCancel(in(1, 2.001)))
	require.False(t, termsCancel(in(2, -1)))
	require.False(t, termsCancel(in(1, 1)))
}
