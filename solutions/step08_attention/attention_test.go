package attention

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
)

// TestHeads holds the example of splitting in the lesson.
func TestHeads(t *testing.T) {
	m := &MultiHead{heads: 2, rope: &rope.RoPE{Cos: tensor.New(1, 1)}}
	tokens := tensor.From([]float32{1, 2, 3, 4, 5, 6, 7, 8}, 1, 2, 4)
	heads := m.split(nil, tokens, 0)
	require.Equal(t, []int{1, 2, 2, 2}, heads.Shape)
	require.Equal(t, []float32{1, 2, 5, 6, 3, 4, 7, 8}, heads.Data)
	joined := tensor.New(1, 2, 4)
	join(joined, heads, 0)
	require.Equal(t, tokens.Data, joined.Data)
}

// TestScale prints the lesson's table of what √K does: queries and keys of
// N(0, 1), and the attention of each query over 64 keys.
func TestScale(t *testing.T) {
	const keys, queries = 64, 300
	rng := rand.New(rand.NewPCG(8, 1))
	for _, width := range []int{4, 16, 64, 256, 1024} {
		var squares, raw, scaled float64
		query, scores := make([]float64, width), make([]float64, keys)
		for range queries {
			for i := range query {
				query[i] = rng.NormFloat64()
			}
			for j := range scores {
				scores[j] = 0
				for _, q := range query {
					scores[j] += q * rng.NormFloat64()
				}
				squares += scores[j] * scores[j]
			}
			raw += largestWeight(scores, 1)
			scaled += largestWeight(scores, 1/math.Sqrt(float64(width)))
		}
		deviation := math.Sqrt(squares / (keys * queries))
		t.Logf("K = %-5d standard deviation %5.2f   largest weight %.2f, with the scale %.2f",
			width, deviation, raw/queries, scaled/queries)
		require.InEpsilon(t, math.Sqrt(float64(width)), deviation, 0.05)
	}
}

// largestWeight is the largest entry of the softmax of scores·scale.
func largestWeight(scores []float64, scale float64) float64 {
	sum, largest := 0.0, 0.0
	for _, s := range scores {
		e := math.Exp(s * scale)
		sum, largest = sum+e, max(largest, e)
	}
	return largest / sum
}
