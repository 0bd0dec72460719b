package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// ulps is |got - want| in units of the distance between neighbouring float32 numbers at want. +Inf counts as 2^128, and
// is right for everything that rounds to it.
func ulps(got float32, want float64) float64 {
	if float64(got) == want || (got != got && want != want) {
		return 0
	}
	value := float64(got)
	if value == math.Inf(1) {
		if want >= 0x1.ffffffp127 {
			return 0
		}
		value = 0x1p128
	}
	exponent := -126
	if want != 0 {
		exponent = min(max(math.Ilogb(want), -126), 127)
	}
	return math.Abs(value-want) / math.Ldexp(1, exponent-23)
}

// worstUlps evaluates f at every stride-th float32 between the two bit patterns, in blocks.
func worstUlps(f func(dst, x []float32), want func(float64) float64, from, to, stride uint32) (worst float64, at float32) {
	x, got := make([]float32, 1000), make([]float32, 1000)
	for bits := uint64(from); bits <= uint64(to); {
		n := 0
		for ; n < len(x) && bits <= uint64(to); n++ {
			x[n] = math.Float32frombits(uint32(bits))
			bits += uint64(stride)
		}
		f(got[:n], x[:n])
		for i := range n {
			if u := ulps(got[i], want(float64(x[i]))); !(u <= worst) {
				worst, at = u, x[i]
			}
		}
	}
	return worst, at
}

// The whole float32 range in steps of a prime number of neighbours; every single one takes minutes.
func TestExpAndSigmoidAccuracy(t *testing.T) {
	stride := uint32(1009)
	if testing.Short() {
		stride = 100003
	}
	const negative = 1 << 31
	infinity := math.Float32bits(float32(math.Inf(1)))
	sigmoid64 := func(x float64) float64 {
		if x < 0 {
			return math.Exp(x) / (1 + math.Exp(x))
		}
		return 1 / (1 + math.Exp(-x))
	}
	for _, s := range supported() {
		for _, c := range []struct {
			name  string
			f     func(dst, x []float32)
			want  func(float64) float64
			limit float64
		}{
			{"exp", func(dst, x []float32) { exp(s, dst, x) }, math.Exp, 1},
			{"sigmoid", func(dst, x []float32) { sigmoid(s, dst, x) }, sigmoid64, 3},
		} {
			t.Run(fmt.Sprintf("%s/impl=%s", c.name, s), func(t *testing.T) {
				for _, half := range []uint32{0, negative} {
					worst, at := worstUlps(c.f, c.want, half, half|infinity, stride)
					t.Logf("worst error %.4f ulp at x = %v", worst, at)
					require.LessOrEqual(t, worst, c.limit, "at x = %v", at)
				}
			})
		}
	}
}

func TestExpAndSigmoidSpecial(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	denormal := float32(math.Exp(-100))
	x := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, nan, 88.73, 1e30, -1e30, -104, -100}
	wantExp := []float32{1, 1, inf, 0, nan, inf, inf, 0, 0, denormal}
	wantSigmoid := []float32{0.5, 0.5, 1, 0, nan, 1, 1, 0, 0, denormal}
	for _, s := range supported() {
		for _, c := range []struct {
			name string
			f    func(s isa, dst, x []float32)
			want []float32
		}{{"exp", exp, wantExp}, {"sigmoid", sigmoid, wantSigmoid}} {
			for i := range x { // alone, as the tail of a vector, and within one; in place
				for _, n := range []int{1, 9, 40} {
					v := make([]float32, n)
					v[n/2] = x[i]
					c.f(s, v, v)
					if c.want[i] != c.want[i] {
						require.True(t, math.IsNaN(float64(v[n/2])), "%s %s(%v) = %v", s, c.name, x[i], v[n/2])
						continue
					}
					require.InDelta(t, 0, ulps(v[n/2], float64(c.want[i])), 1, "%s %s(%v) = %v", s, c.name, x[i], v[n/2])
				}
			}
		}
	}
}

// lengths meet every tail of every unrolled loop.
func lengths() []int {
	var n []int
	for i := range 140 {
		n = append(n, i)
	}
	return append(n, 1000, 4099)
}

func randomVector(rng *rand.Rand, n int) []float32 { return newMatrix(rng, 1, n, 0).x }

// requireNear compares with a bound of so many roundings: |got - want| ≤ roundings·2⁻²⁴·scale.
func requireNear(t *testing.T, got float32, want, scale, roundings float64, format string, args ...any) {
	t.Helper()
	if tolerance := roundings * 0x1p-24 * scale; !(math.Abs(float64(got)-want) <= tolerance) {
		t.Fatalf("%s: got %v, want %v: |difference| > %.3g", fmt.Sprintf(format, args...), got, want, tolerance)
	}
}

func TestReductions(t *testing.T) {
	for _, s := range supported() {
		rng := rand.New(rand.NewPCG(6, uint64(s)))
		for _, n := range lengths() {
			x, y := randomVector(rng, n), randomVector(rng, n)
			var wantDot, absDot, wantSum, absSum float64
			wantMax := math.Inf(-1)
			for i := range x {
				product := float64(x[i]) * float64(y[i])
				wantDot, absDot = wantDot+product, absDot+math.Abs(product)
				wantSum, absSum = wantSum+float64(x[i]), absSum+math.Abs(float64(x[i]))
				wantMax = max(wantMax, float64(x[i]))
			}
			requireNear(t, dot(s, x, y), wantDot, absDot, float64(n+1), "%s dot of %d", s, n)
			requireNear(t, sum(s, x), wantSum, absSum, float64(n+1), "%s sum of %d", s, n)
			require.Equal(t, float32(wantMax), maximum(s, x), "%s max of %d", s, n)
			if n > 0 {
				at := rng.IntN(n)
				x[at] = float32(math.NaN())
				require.True(t, math.IsNaN(float64(maximum(s, x))), "%s max with NaN at %d of %d", s, at, n)
				x[at] = float32(math.Inf(1))
				require.Equal(t, x[at], maximum(s, x), "%s max with +Inf at %d of %d", s, at, n)
			}
		}
	}
}

// Every function of two vectors on every instruction set: what it writes, the terms that may be rounded, how many
// roundings that takes, and that the result may stand where an operand stood.
func TestElementwise(t *testing.T) {
	const a, b = float32(-1.7), float32(0.3)
	const a64, b64 = float64(a), float64(b)
	for _, c := range []struct {
		name      string
		call      func(s isa, dst, x, y []float32) // dst is y before the call
		want      func(x, y float64) (value, scale float64)
		roundings float64
	}{
		{"add", func(s isa, dst, x, y []float32) { add(s, dst, x, y) }, sumOf(1, 1, 0), 1},
		{"mul", func(s isa, dst, x, y []float32) { mul(s, dst, x, y) }, func(x, y float64) (float64, float64) {
			return x * y, math.Abs(x * y)
		}, 1},
		{"div", func(s isa, dst, x, y []float32) { div(s, dst, x, y) }, func(x, y float64) (float64, float64) {
			return x / y, math.Abs(x / y)
		}, 1},
		{"mulAdd", func(s isa, dst, x, y []float32) { mulAdd(s, dst, x, y) }, func(x, y float64) (float64, float64) {
			return y + x*y, math.Abs(y) + math.Abs(x*y)
		}, 2},
		{"axpy", func(s isa, dst, x, _ []float32) { axpy(s, a, x, dst) }, sumOf(a64, 1, 0), 2},
		{"axpby", func(s isa, dst, x, _ []float32) { axpby(s, a, x, b, dst) }, sumOf(a64, b64, 0), 3},
		{"scaleTo", func(s isa, dst, x, _ []float32) { scaleTo(s, dst, a, x) }, sumOf(a64, 0, 0), 1},
		{"addConst", func(s isa, dst, x, _ []float32) { addConst(s, dst, a, x) }, sumOf(1, 0, a64), 1},
		{"sqrt", func(s isa, dst, x, _ []float32) {
			mul(s, dst, x, x)
			sqrt(s, dst, dst)
		}, func(x, _ float64) (float64, float64) { return math.Abs(x), math.Abs(x) }, 2},
	} {
		for _, s := range supported() {
			rng := rand.New(rand.NewPCG(7, uint64(s)))
			for _, n := range lengths() {
				x, y := randomVector(rng, n), randomVector(rng, n)
				dst := append([]float32{}, y...)
				c.call(s, dst, x, y)
				for i := range n {
					want, scale := c.want(float64(x[i]), float64(y[i]))
					requireNear(t, dst[i], want, scale, c.roundings, "%s %s, %d of %d", s, c.name, i, n)
				}
				copy(dst, x) // and with all operands in one place
				c.call(s, dst, x, append([]float32{}, x...))
				c.call(s, x, x, x)
				require.Equal(t, dst, append([]float32{}, x...), "%s %s in place", s, c.name)
			}
		}
	}
}

// sumOf returns the function a·x + b·y + c, and the sum of the sizes of its terms.
func sumOf(a, b, c float64) func(x, y float64) (value, scale float64) {
	return func(x, y float64) (float64, float64) {
		return a*x + b*y + c, math.Abs(a*x) + math.Abs(b*y) + math.Abs(c)
	}
}

func TestSqrtAndDivSpecial(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, s := range supported() {
		got := []float32{0, inf, 4, 0x1p-149, 2}
		sqrt(s, got, got)
		require.Equal(t, []float32{0, inf, 2, float32(math.Sqrt(0x1p-149)), math.Sqrt2}, got, s)
		div(s, got, []float32{1, -1, 0, 1, 1}, []float32{0, 0, 1, inf, 3})
		require.Equal(t, []float32{inf, -inf, 0, 0, 1. / 3}, got, s)
		sqrt(s, got, []float32{-1, float32(math.NaN()), 1, 1, 1})
		require.True(t, got[0] != got[0] && got[1] != got[1] && got[2] == 1, "%s sqrt: %v", s, got)
	}
}

// A sum in float64 is good to a few of its roundings, and no square of a float32 overflows it.
func TestSumSquares(t *testing.T) {
	for _, s := range supported() {
		rng := rand.New(rand.NewPCG(9, uint64(s)))
		for _, n := range lengths() {
			x := randomVector(rng, n)
			if n > 0 {
				x[rng.IntN(n)] = 3e38 // its square is no float32
			}
			var want float64
			for _, v := range x {
				want += float64(v) * float64(v)
			}
			require.InDelta(t, want, sumSquares(s, x), float64(n)*0x1p-50*want, "%s sumSquares of %d", s, n)
		}
	}
}

func TestVectorPanics(t *testing.T) {
	x, y := make([]float32, 3), make([]float32, 4)
	for name, call := range map[string]func(){
		"Exp":      func() { Exp(x, y) },
		"Sigmoid":  func() { Sigmoid(x, y) },
		"Dot":      func() { Dot(x, y) },
		"Axpy":     func() { Axpy(1, x, y) },
		"Axpby":    func() { Axpby(1, x, 1, y) },
		"ScaleTo":  func() { ScaleTo(x, 1, y) },
		"AddConst": func() { AddConst(x, 1, y) },
		"Sqrt":     func() { Sqrt(x, y) },
		"Add":      func() { Add(x, x, y) },
		"Mul":      func() { Mul(x, y, x) },
		"Div":      func() { Div(x, x, y) },
		"MulAdd":   func() { MulAdd(x, y, x) },
	} {
		t.Run(name, func(t *testing.T) {
			require.PanicsWithValue(t, "kernel: "+name+": slices of different lengths: 3 and 4", call)
		})
	}
}
