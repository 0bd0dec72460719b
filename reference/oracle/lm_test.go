package oracle_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/wire"
)

func TestNoTokenSeesTheFuture(t *testing.T) {
	in := forwardCases(rand.New(rand.NewPCG(15, 16)))["lm.forward"]
	in["ids"] = wire.Ints([]int64{3, 1, 4, 1, 5}, 1, 5)
	changed := with(in, wire.Values{"ids": wire.Ints([]int64{3, 1, 4, 9, 2}, 1, 5)})
	a, b := eval(t, "lm.forward", "logits", in).F64, eval(t, "lm.forward", "logits", changed).F64
	const vocab = 11
	require.Equal(t, a[:3*vocab], b[:3*vocab])
	for _, token := range []int{3, 4} {
		require.NotEqual(t, a[token*vocab:(token+1)*vocab], b[token*vocab:(token+1)*vocab])
	}
}

// Rotating queries and keys by the same offset leaves their products, and so
// the output, as they are.
func TestAttentionDependsOnDistancesOnly(t *testing.T) {
	in := forwardCases(rand.New(rand.NewPCG(15, 16)))["multihead.forward"]
	at := func(p ...int64) []float64 {
		return eval(t, "multihead.forward", "y", with(in, wire.Values{"positions": wire.Ints(p, 1, 3)})).F64
	}
	requireClose(t, at(0, 1, 3), at(5, 6, 8))
	require.Greater(t, distance(at(0, 1, 3), at(0, 1, 4)), 1e-6)
}

// distance returns the largest difference between two slices of equal length.
func distance(a, b []float64) float64 {
	largest := 0.0
	for i := range a {
		largest = max(largest, a[i]-b[i], b[i]-a[i])
	}
	return largest
}

func TestGenerateContinuesWithTheLargestLogit(t *testing.T) {
	in := forwardCases(rand.New(rand.NewPCG(17, 18)))["lm.generate"]
	in["max_new"] = wire.Int(20) // 3 + 20 tokens, more than the context of 6
	got := eval(t, "lm.generate", "ids", in).I64
	require.Len(t, got, 20)

	all := append(slices.Clone(in["prompt"].I64), got...)
	model := with(in, nil)
	for _, name := range []string{"prompt", "max_new", "temperature", "top_p", "stop", "seed"} {
		delete(model, name)
	}
	for n := 3; n < len(all); n++ {
		seen := all[max(0, n-6):n]
		logits := eval(t, "lm.forward", "logits", with(model, wire.Values{"ids": wire.Ints(seen, 1, len(seen))})).F64
		last := logits[len(logits)-11:]
		require.Equal(t, slices.Max(last), last[all[n]], "token %d", n)
	}

	stop := slices.Index(got, got[2]) // the first place of the token that stands third
	in["stop"] = wire.Int(int(got[2]))
	require.Equal(t, got[:stop], eval(t, "lm.generate", "ids", in).I64)
}

func TestAccounting(t *testing.T) {
	all := forwardCases(rand.New(rand.NewPCG(19, 20)))
	in := all["lm.accounting"]
	params := 0
	for name, v := range all["lm.forward"] {
		if strings.HasSuffix(name, ".weight") {
			params += v.Len()
		}
	}
	require.EqualValues(t, params, eval(t, "lm.accounting", "params", in).I64[0])

	// B = 2, T = 5, D = 8, F = 6, V = 11, two layers, two heads of K = 4.
	projections := 4 * product(10, 8, 8)
	attention := 2 * 2 * (product(5, 4, 5) + product(5, 5, 4)) // batch × heads × (q kᵀ, weights v)
	ffn := 2*product(10, 8, 6) + product(10, 6, 8)
	want := 2*(projections+attention+ffn) + product(10, 8, 11)
	require.EqualValues(t, want, eval(t, "lm.accounting", "forward_flops", in).I64[0])
}

// product returns the operations of a matrix product (m, k) by (k, n).
func product(m, k, n int) int { return 2 * m * k * n }

// A model of the size that the grader draws: D = 32, two layers, 12 tokens.
func BenchmarkLMBackward(b *testing.B) {
	rng := rand.New(rand.NewPCG(21, 22))
	in := with(state(rng, 65, 32, 64), wire.Values{"num_heads": wire.Int(4), "context_length": wire.Int(16),
		"ids": below(rng, 65, 2, 6), "targets": below(rng, 65, 2, 6)})
	for b.Loop() {
		_, err := oracle.Eval("lm.backward", in)
		require.NoError(b, err)
	}
}
