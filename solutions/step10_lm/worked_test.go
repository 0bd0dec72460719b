//go:build overlay

package lm

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSampling holds the table of the lesson, steps/step10_lm/README.md.
// It stands on step 07: go test -tags overlay with the overlay of `grade bench overlay`.
func TestSampling(t *testing.T) {
	var logits []float32
	for _, p := range []float64{0.5, 0.3, 0.15, 0.05} {
		logits = append(logits, float32(math.Log(p)))
	}
	for _, c := range []struct {
		temperature, topP float64
		want              string
	}{
		{1, 1, "[0.500 0.300 0.150 0.050]"},
		{2, 1, "[0.379 0.294 0.208 0.120]"},
		{0.5, 1, "[0.685 0.247 0.062 0.007]"},
		{1, 0.9, "[0.526 0.316 0.158 0.000]"},
		{1, 0.7, "[0.625 0.375 0.000 0.000]"},
		{0.5, 0.7, "[0.735 0.265 0.000 0.000]"},
		{2, 0.9, "[0.379 0.294 0.208 0.120]"},
	} {
		require.Equal(t, c.want, fmt.Sprintf("%.3f", Distribution(logits, c.temperature, c.topP)), "T = %g, p = %g",
			c.temperature, c.topP)
	}
}
