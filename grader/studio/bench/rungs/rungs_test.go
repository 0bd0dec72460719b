package rungs_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/studio/bench/rungs"
)

// TestRungs compares every rung with sums in float64.
func TestRungs(t *testing.T) {
	const n = 2 * rungs.Block
	rng := rand.New(rand.NewPCG(1, 1))
	a, b, want := make([]float32, n*n), make([]float32, n*n), make([]float64, n*n)
	for i := range a {
		a[i], b[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
	}
	for i := range n {
		for j := range n {
			for p := range n {
				want[i*n+j] += float64(a[i*n+p]) * float64(b[p*n+j])
			}
		}
	}
	for _, name := range []string{"naive", "reordered", "blocked", "packed"} {
		c := make([]float32, n*n)
		for i := range c {
			c[i] = 7 // whatever it held
		}
		rungs.Named(name)(n, a, b, c)
		for i := range c {
			require.InDelta(t, want[i], c[i], 1e-4, "%s, element %d", name, i)
		}
	}
	require.Nil(t, rungs.Named("other"))
}
