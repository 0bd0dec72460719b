//go:build overlay

package classic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
)

// These tests stand on earlier steps: go test -tags overlay with the overlay of
// `grade bench overlay`. They hold the numbers of the lesson, steps/step19_classic/README.md.

func param(shape []int, data ...float32) *tensor.Param {
	return tensor.NewParam("", tensor.From(data, shape...))
}

func show(x []float32) string { return fmt.Sprintf("%.3f", x) }

func TestWorkedLayerNorm(t *testing.T) {
	l := NewLayerNorm(param([]int{3}, 1, 2, -1), param([]int{3}, 0, 1, 0.5))
	y := l.Forward(tensor.From([]float32{1, 2, 6}, 1, 3))
	require.Equal(t, "3.000 0.4629", fmt.Sprintf("%.3f %.4f", l.mean[0], l.r[0]))
	require.Equal(t, "[-0.926 0.074 -0.889]", show(y.Data))
	dx := l.Backward(tensor.From([]float32{1, 1, 1}, 1, 3))
	require.Equal(t, "[-0.309 0.386 -0.077]", show(dx.Data))
	require.Equal(t, "[-0.926 -0.463 1.389]", show(l.Gain.Grad.Data))
	require.Equal(t, "[1.000 1.000 1.000]", show(l.Bias.Grad.Data))
}

// TestBatchNormLooksAtNeighbours holds the small computation of why the norm is not that of
// a batch.
func TestBatchNormLooksAtNeighbours(t *testing.T) {
	column := func(a, b float32) string { // what BatchNorm makes of a beside b, in one column
		mean, variance := moments([]float32{a, b})
		return fmt.Sprintf("%.0f", (float64(a)-mean)/math.Sqrt(variance+Eps))
	}
	require.Equal(t, "-1 1", column(1, 5)+" "+column(3, 1))
	require.Equal(t, "0 1", column(1, 1)+" "+column(3, -1))
	l := NewLayerNorm(param([]int{2}, 1, 1), nil)
	require.Equal(t, "[-1.000 1.000 1.000 -1.000]", show(l.Forward(tensor.From([]float32{1, 3, 5, 1}, 2, 2)).Data))
	require.Equal(t, "[-1.000 1.000 1.000 -1.000]", show(l.Forward(tensor.From([]float32{1, 3, 1, -1}, 2, 2)).Data))
}

func TestWorkedActivations(t *testing.T) {
	x := []float32{-8, -3, -1, -0.752, 0, 1, 3}
	y, slope, ones := make([]float32, len(x)), make([]float32, len(x)), make([]float32, len(x))
	for i := range ones {
		ones[i] = 1
	}
	GELU(y, x)
	GELUBackward(slope, x, ones)
	require.Equal(t, "[-0.0000 -0.0040 -0.1587 -0.1700 0.0000 0.8413 2.9960]", fmt.Sprintf("%.4f", y))
	require.Equal(t, "-4.98e-15", fmt.Sprintf("%.2e", y[0]))
	require.Equal(t, "[-0.0000 -0.0119 -0.0833 -0.0001 0.5000 1.0833 1.0119]", fmt.Sprintf("%.4f", slope))
	v := -2.699
	form := v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
	require.Equal(t, "0.00047", fmt.Sprintf("%.5f", form-v*below(v)))
}

func TestWorkedPositions(t *testing.T) {
	table := Sinusoids(4, 4)
	require.Equal(t, "[0.000 1.000 0.000 1.000]", show(table.Row(0)))
	require.Equal(t, "[0.841 0.540 0.010 1.000]", show(table.Row(1)))
	require.Equal(t, "[0.141 -0.990 0.030 1.000]", show(table.Row(3)))
}

// A step of k along the text turns every pair of the table by an angle of its own: what
// RoPE does to queries and keys.
func TestStepsTurn(t *testing.T) {
	const k = 5
	table := Sinusoids(40, 6)
	for p := range 30 {
		here, there := table.Row(p), table.Row(p+k)
		for i := range 3 {
			sin, cos := math.Sincos(k / math.Pow(10000, float64(2*i)/6))
			s, c := float64(here[2*i]), float64(here[2*i+1])
			require.InDelta(t, s*cos+c*sin, there[2*i], 1e-6)
			require.InDelta(t, c*cos-s*sin, there[2*i+1], 1e-6)
		}
	}
}

// given is a generator of numbers that are given.
type given []float64

func (g *given) Uint64() uint64 {
	u := (*g)[0]
	*g = (*g)[1:]
	return uint64(u * (1 << 53))
}

func TestWorkedDropout(t *testing.T) {
	d := NewDropout(0.25, rand.New(&given{0.9, 0.1, 0.25, 0.6}))
	x := tensor.From([]float32{2, -1, 4, 3}, 4)
	require.Equal(t, "[2.000 -1.000 4.000 3.000]", show(d.Forward(x).Data))
	d.Training = true
	require.Equal(t, "[2.667 0.000 5.333 4.000]", show(d.Forward(x).Data))
	require.Equal(t, "[1.333 0.000 1.333 1.333]", show(d.Backward(tensor.From([]float32{1, 1, 1, 1}, 4)).Data))
}

// The norm behind the sum: with f = 0 the layer is a norm and not the identity, and what is
// sent back is as large as r, through every block once more.
func TestPostNormHasNoWayAround(t *testing.T) {
	zero := linear.New(tensor.NewParam("", tensor.New(3, 3)))
	p := NewPostNorm(zero, NewLayerNorm(param([]int{3}, 1, 1, 1), nil))
	require.Equal(t, "[-0.926 -0.463 1.389]", show(p.Forward(tensor.From([]float32{1, 2, 6}, 1, 3)).Data))
	dx := p.Backward(tensor.From([]float32{1, 0, 0}, 1, 3))
	require.Equal(t, "[0.176 -0.220 0.044]", show(dx.Data))
}

// Two weights of two thirds as many rows: as many numbers as the three of SwiGLU, with the
// deviation of step 01.
func TestNetworkHasAsManyWeights(t *testing.T) {
	const f, d = 9, 5
	rng := rand.New(rand.NewPCG(19, 1))
	drawn := func(rows, columns int) *tensor.Param {
		p := tensor.NewParam("", tensor.New(rows, columns))
		for i := range p.Value.Data {
			p.Value.Data[i] = float32(rng.NormFloat64())
		}
		return p
	}
	w1, w2, w3 := drawn(f, d), drawn(d, f), drawn(f, d)
	for range 2 { // the second time as a replica
		s := Activated(false)(w1, w2, w3)
		w1, w2, w3 = s.W1.Weight, s.W2.Weight, s.W3.Weight
		require.Equal(t, []int{13, d}, w1.Value.Shape)
		require.Equal(t, []int{d, 13}, w2.Value.Shape)
		require.Equal(t, []int{1, 13 + d}, w3.Value.Shape)
		require.Len(t, s.FeedForward.Params(), 4)
	}
}

// Blocks drop what the seed and the round say, and nothing unless somebody trains.
func TestBlocksDrop(t *testing.T) {
	shared := new(drops)
	b := &Block{drops: shared, generator: rand.NewPCG(0, 0), number: 3}
	drop := NewDropout(0.5, rand.New(b.generator))
	shared.layers = append(shared.layers, drop)
	gain := tensor.New(8)
	gain.Fill(1)
	b.first, b.second = chain{drop, NewLayerNorm(tensor.NewParam("", gain), nil)}, drop
	b.attend = new(attending)
	x := tensor.From([]float32{1, 2, 3, 4, 5, 6, 7, 9}, 1, 1, 8)
	passed := func() string { return show(b.Forward(x, nil).Data) }
	kept := passed()
	b.Drop(7, 1)
	first, second := passed(), passed()
	require.NotEqual(t, kept, first)
	require.NotEqual(t, first, second)
	b.Drop(7, 2)
	require.NotEqual(t, first, passed())
	b.Drop(7, 1)
	require.Equal(t, first, passed())
	b.Drop(8, 1)
	require.NotEqual(t, first, passed())
	b.Keep()
	require.Equal(t, kept, passed())
}

// TestApproximatedGELU holds the form with tanh, which is given, to its definition and to
// the distance from Φ that the lesson names; its slope to differences.
func TestApproximatedGELU(t *testing.T) {
	most := 0.0
	for i := -800; i <= 800; i++ {
		x := float64(i) / 100
		form := 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		y, dx, exact := make([]float32, 1), make([]float32, 1), make([]float32, 1)
		tanhGELU(y, []float32{float32(x)})
		require.InDelta(t, form, y[0], 1e-6)
		GELU(exact, []float32{float32(x)})
		most = max(most, math.Abs(float64(exact[0]-y[0])))

		const step = 1e-4
		above, _ := sigmoidOf2u(x + step)
		below, _ := sigmoidOf2u(x - step)
		tanhGELUBackward(dx, []float32{float32(x)}, []float32{2})
		require.InDelta(t, 2*((x+step)*above-(x-step)*below)/(2*step), dx[0], 1e-5)
	}
	require.Equal(t, "0.00047", fmt.Sprintf("%.5f", most))
}
