//go:build overlay

package classic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step01_init"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// deep is a model of the experiment in the lesson before its first update: D = 32, and twelve
// blocks with LayerNorms, behind the sums or in front of the branches.
type deep struct {
	attentions []*attending
	networks   []*swiglu.SwiGLU
	halves     []Layer // two a block
	norm       *LayerNorm
	head       *linear.Linear
}

func newDeep(postNorm bool, seed uint64) *deep {
	const d, f, vocabulary = 32, 96, 64
	weight := func(name string, out, in int) *tensor.Param {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
	}
	norm := func() *LayerNorm { return NewLayerNorm(tensor.NewParam("", initializers.Gain(d)), nil) }
	m := &deep{norm: norm(), head: linear.New(weight("head", vocabulary, d))}
	turns := rope.New(10000, d/2, 32)
	for l := range 12 {
		qkv := tensor.NewParam("", tensor.New(3*d, d))
		for i := range 3 { // each with the deviation of a (D, D)
			part := weight(fmt.Sprintf("%d.qkv.%d", l, i), d, d)
			copy(qkv.Value.Slice(i*d, (i+1)*d).Data, part.Value.Data)
		}
		output := weight(fmt.Sprintf("%d.output", l), d, d)
		attend := &attending{MultiHead: attention.NewMultiHead(qkv, output, 2, turns)}
		ffn := swiglu.New(weight(fmt.Sprintf("%d.w1", l), f, d), weight(fmt.Sprintf("%d.w2", l), d, f),
			weight(fmt.Sprintf("%d.w3", l), f, d))
		m.attentions, m.networks = append(m.attentions, attend), append(m.networks, ffn)
		for _, branch := range []Layer{attend, ffn} {
			if postNorm {
				m.halves = append(m.halves, NewPostNorm(branch, norm()))
			} else {
				m.halves = append(m.halves, &preNorm{F: branch, Norm: norm()})
			}
		}
	}
	return m
}

// gradients are the lengths of the gradients of each block's w2, for a batch of random tokens.
func (m *deep) gradients(t *testing.T, seed uint64) []float64 {
	const batch, length = 8, 32
	rng := rand.New(rand.NewPCG(seed, 19))
	x := tensor.New(batch, length, m.head.Weight.Value.Dim(1))
	for i := range x.Data {
		x.Data[i] = float32(rng.NormFloat64())
	}
	targets, positions := make([][]int, batch), make([][]int, 1)
	for b := range targets {
		for p := range length {
			targets[b] = append(targets[b], rng.IntN(m.head.Weight.Value.Dim(0)))
			if b == 0 {
				positions[0] = append(positions[0], p)
			}
		}
	}
	for i, half := range m.halves {
		m.attentions[i/2].positions = positions
		x = half.Forward(x)
	}
	var loss softmax.CrossEntropy
	_, err := loss.Forward(m.head.Forward(m.norm.Forward(x)), targets)
	require.NoError(t, err)
	dx := m.norm.Backward(m.head.Backward(loss.Backward()))
	for i := len(m.halves) - 1; i >= 0; i-- {
		dx = m.halves[i].Backward(dx)
	}
	lengths := make([]float64, len(m.networks))
	for l, network := range m.networks {
		grad := network.W2.Weight.Grad.Data
		lengths[l] = math.Sqrt(float64(kernel.Dot(grad, grad)))
	}
	return lengths
}

// TestGradientsByLayer holds the lesson's table: before the first update, the mean over three
// seeds of the lengths of the gradients by layer, times 1000.
func TestGradientsByLayer(t *testing.T) {
	mean := func(postNorm bool) string {
		sums := make([]float64, 12)
		for seed := range uint64(3) {
			for l, length := range newDeep(postNorm, seed).gradients(t, seed) {
				sums[l] += 1000 * length / 3
			}
		}
		return fmt.Sprintf("%.1f", sums)
	}
	require.Equal(t, "[145.8 118.3 98.3 87.9 82.6 74.4 67.2 63.1 62.1 60.6 56.4 54.4]", mean(false))
	require.Equal(t, "[298.0 283.6 251.6 202.1 205.4 181.1 165.0 138.0 161.5 150.5 142.2 149.5]", mean(true))
}
