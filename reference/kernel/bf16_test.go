package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// nearestBF16 rounds by its definition: of the two bfloat16s around x the nearer one, or the one whose last bit is 0.
func nearestBF16(x float32) float32 {
	if x != x || math.IsInf(float64(x), 0) {
		return x
	}
	low := math.Float32frombits(math.Float32bits(x) >> 16 << 16) // towards 0
	high := math.Float32frombits((math.Float32bits(x)>>16 + 1) << 16)
	below, above := math.Abs(float64(x)-float64(low)), math.Abs(float64(high)-float64(x))
	if math.IsInf(float64(high), 0) { // as far away as the next number would be
		above = math.Ldexp(1, 127-7) - below
	}
	if below < above || below == above && math.Float32bits(low)>>16&1 == 0 {
		return low
	}
	return high
}

// halves are the two numbers of a pair.
func halves(pair float32) (first, second float32) {
	bits := math.Float32bits(pair)
	return math.Float32frombits(bits << 16), math.Float32frombits(bits >> 16 << 16)
}

func TestBF16Rounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 16))
	x := []float32{0, 1, -1, 1 + 1.0/256, 1 + 3.0/256, 1 + 1.0/128, math.MaxFloat32, -math.MaxFloat32, 3.3961776e38, 3.3961775e38,
		float32(math.Inf(1)), float32(math.Inf(-1)), 1.1754944e-38}
	for len(x) < 1000 {
		if v := math.Float32frombits(rng.Uint32()); math.Abs(float64(v)) >= 0x1p-126 { // the processor takes smaller ones for 0
			x = append(x, v)
		}
	}
	row := make([]float32, 500)
	pairRow(row, x)
	rows := make([]float32, 500)
	pairRows(rows, x[:500], x[500:])
	for i, v := range x {
		want := nearestBF16(v)
		require.Equal(t, want, math.Float32frombits(bf16Bits(v)<<16), "%g", v)
		first, second := halves(row[i/2])
		require.Equal(t, want, []float32{first, second}[i%2], "%g in a row", v)
		first, second = halves(rows[i%500])
		require.Equal(t, want, []float32{first, second}[i/500], "%g in two rows", v)
	}
	require.True(t, math.IsNaN(float64(math.Float32frombits(bf16Bits(math.Float32frombits(0x7f800001))<<16))), "a NaN whose bits are all in the lower half")
}

// TestGemmBF16 compares with the float64 product of what was rounded before, by the bound of a float32 product.
func TestGemmBF16(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 17))
	sizes := []int{1, 2, 3, 13, 14, 15, 16, 17, 31, 32, 33, 65, 130, 300}
	for range 200 {
		m, n, k := sizes[rng.IntN(len(sizes))], sizes[rng.IntN(len(sizes))], []int{1, 2, 3, 31, 32, 33, 64, 100, 770, 1601}[rng.IntN(10)]
		transA, transB, accumulate, inPairs := rng.IntN(2) == 1, rng.IntN(2) == 1, rng.IntN(2) == 1, rng.IntN(2) == 1
		if inPairs && !hasBF16() {
			continue
		}
		a, b := operand(rng, m, k, transA), operand(rng, k, n, transB)
		c := newMatrix(rng, m, n, rng.IntN(3))
		exactA, exactB := a, b
		exactA.x, exactB.x = nearest(a.x), nearest(b.x)
		want, scale := product64(exactA, exactB, c, transA, transB, k, accumulate)
		gemmBF16(inPairs, c.view(false), a.view(transA), b.view(transB), accumulate)
		t.Run(fmt.Sprintf("%d×%d×%d %v %v %v %v", m, n, k, transA, transB, accumulate, inPairs), func(t *testing.T) {
			requireProduct(t, c, k, want, scale)
		})
	}
}

// operand is a matrix of rows×cols, or its transpose, with gaps.
func operand(rng *rand.Rand, rows, cols int, trans bool) matrix {
	if trans {
		rows, cols = cols, rows
	}
	return newMatrix(rng, rows, cols, rng.IntN(3))
}

func nearest(x []float32) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = nearestBF16(v)
	}
	return out
}
