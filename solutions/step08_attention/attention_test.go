package attention

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/oracle"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step06_rope"
)

// TestWorkedExample holds the numbers of the lesson, steps/step08_attention/README.md,
// to the oracle, so that it needs no earlier step.
func TestWorkedExample(t *testing.T) {
	ln9 := float32(math.Log(9))
	in := wire.Values{
		"q":    wire.Float32s([]float32{1, 4, 0, 0, 0, ln9, 0, 0}, 2, 4),
		"k":    wire.Float32s([]float32{1, 0, 0, 0, 0, 1, 0, 0}, 2, 4),
		"v":    wire.Float32s([]float32{4, 0, 0, 8}, 2, 2),
		"mask": wire.Bools(Causal(2).Attend, 2, 2),
		"dy":   wire.Float32s([]float32{1, 0, 1, 1}, 2, 2),
	}
	eval := func(function string, in wire.Values) wire.Values {
		out, err := oracle.Eval(function, in)
		require.NoError(t, err)
		return out
	}
	forward := func() wire.Values {
		return eval("attention.forward", wire.Values{"q": in["q"], "k": in["k"], "v": in["v"], "mask": in["mask"]})
	}
	require.Equal(t, "[1.0000 0.0000 0.2500 0.7500]", fmt.Sprintf("%.4f", forward()["weights"].F64))
	require.Equal(t, "[4.0000 0.0000 1.0000 6.0000]", fmt.Sprintf("%.4f", forward()["y"].F64))

	out := eval("attention.backward", in)
	require.Equal(t, "[1.2500 0.2500 0.7500 0.7500]", fmt.Sprintf("%.4f", out["dv"].F64))
	require.Equal(t, "[0.0000 0.0000 0.0000 0.0000 -0.3750 0.3750 0.0000 0.0000]", fmt.Sprintf("%.4f", out["dq"].F64))
	require.Equal(t, "[0.0000 -0.8240 0.0000 0.0000 0.0000 0.8240 0.0000 0.0000]", fmt.Sprintf("%.4f", out["dk"].F64))

	t.Run("a nudge of q", func(t *testing.T) {
		loss := func(nudge float32) float64 { // a loss whose gradient with respect to y is dy
			in["q"].F32[5] = ln9 + nudge
			y := forward()["y"].F64
			return y[0] + y[2] + y[3]
		}
		require.Equal(t, "10.99625 11.00375", fmt.Sprintf("%.5f %.5f", loss(-0.01), loss(0.01)))
	})
	t.Run("mistakes", func(t *testing.T) {
		softmax := func(x ...float32) []float64 {
			return eval("softmax.forward", wire.Values{"x": wire.Float32s(x, len(x)), "axis": wire.Int(0)})["y"].F64
		}
		require.Equal(t, "[0.1824 0.8176]", fmt.Sprintf("%.4f", softmax(0.5, 2)), "row 0 without a mask")
		require.Equal(t, "[0.1000 0.9000]", fmt.Sprintf("%.4f", softmax(0, ln9)), "row 1 without the scale")
	})
}

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
