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

func TestElementwise(t *testing.T) {
	const alpha = float32(-1.7)
	for _, s := range supported() {
		rng := rand.New(rand.NewPCG(7, uint64(s)))
		for _, n := range lengths() {
			x, y := randomVector(rng, n), randomVector(rng, n)
			sums, products := make([]float32, n), make([]float32, n)
			add(s, sums, x, y)
			mul(s, products, x, y)
			scaled, moved := append([]float32(nil), x...), append([]float32(nil), y...)
			scale(s, alpha, scaled)
			axpy(s, alpha, x, moved)
			grads, dy := make([]float32, n), randomVector(rng, n)
			siluGrad(s, grads, x, y, dy)
			for i := range n {
				xi, si, dyi := float64(x[i]), float64(y[i]), float64(dy[i])
				requireNear(t, grads[i], dyi*si*(1+xi*(1-si)), math.Abs(dyi*si)*(1+math.Abs(xi)*(1+math.Abs(si))), 6, "%s siluGrad, %d of %d", s, i, n)
				require.Equal(t, x[i]+y[i], sums[i], "%s add, %d of %d", s, i, n)
				require.Equal(t, x[i]*y[i], products[i], "%s mul, %d of %d", s, i, n)
				require.Equal(t, alpha*x[i], scaled[i], "%s scale, %d of %d", s, i, n)
				ax, yi := float64(alpha)*float64(x[i]), float64(y[i])
				requireNear(t, moved[i], ax+yi, math.Abs(ax)+math.Abs(yi), 2, "%s axpy, %d of %d", s, i, n)
			}
			own := append([]float32{}, y...) // in place
			siluGrad(s, own, x, own, dy)
			require.Equal(t, grads, own)
			add(s, x, x, y)
			require.Equal(t, sums, x)
		}
	}
}

// Sums and products in float64 are good to a few of its roundings; what is stored is rounded to float32 once.
func TestDoublePrecision(t *testing.T) {
	const a, b, roundings = 1.7e-3, -0.3, 0x1p-50
	for _, s := range supported() {
		rng := rand.New(rand.NewPCG(9, uint64(s)))
		for _, n := range lengths() {
			x, y, z := randomVector(rng, n), randomVector(rng, n), randomVector(rng, n)
			if n > 0 {
				x[rng.IntN(n)] = 3e38 // its square is no float32
			}
			products, sums := make([]float32, n), make([]float32, n)
			scaledMul(s, products, a, x, y)
			scaledMulAdd(s, sums, a, x, y, b, z)
			var squares, dot, absDot float64
			for i := range n {
				xi, yi, zi := float64(x[i]), float64(y[i]), float64(z[i])
				squares, dot, absDot = squares+xi*xi, dot+xi*yi*zi, absDot+math.Abs(xi*yi*zi)
				axy, bz := a*xi*yi, b*zi
				require.InDelta(t, 0, ulps(products[i], axy), 0.5001, "%s scaledMul, %d of %d", s, i, n)
				tolerance := 0.5001*math.Abs(float64(sums[i]))*0x1p-23 + roundings*(math.Abs(axy)+math.Abs(bz))
				require.InDelta(t, axy+bz, float64(sums[i]), tolerance, "%s scaledMulAdd, %d of %d", s, i, n)
			}
			require.InDelta(t, squares, sumSquares(s, x), float64(n)*roundings*squares, "%s sumSquares of %d", s, n)
			require.InDelta(t, dot, dot3(s, x, y, z), float64(n)*roundings*absDot, "%s dot3 of %d", s, n)
			scaledMulAdd(s, z, a, x, y, b, z) // in place
			require.Equal(t, sums, z)
			scaledMul(s, x, a, x, y)
			require.Equal(t, products, x)
		}
	}
}

// Where the terms cancel, what is left is still right to float32.
func TestScaledMulAddCancels(t *testing.T) {
	for _, s := range supported() {
		x, y, z, got := []float32{1 + 0x1p-23}, []float32{1 - 0x1p-24}, []float32{1}, []float32{0}
		scaledMulAdd(s, got, 1, x, y, -1, z)
		require.Equal(t, float32(0x1p-24-0x1p-47), got[0], s)
	}
}

func TestAdamW(t *testing.T) {
	const lr, beta1, beta2, eps, decay, bias1, bias2 = 0.01, 0.9, 0.999, 1e-8, 0.1, 0.19, 0.001999
	for _, s := range supported() {
		rng := rand.New(rand.NewPCG(8, uint64(s)))
		for _, n := range lengths() {
			p, g, m, v := randomVector(rng, n), randomVector(rng, n), randomVector(rng, n), randomVector(rng, n)
			mul(portable, v, v, v) // second moments are not negative
			p0, m0, v0 := append([]float32(nil), p...), append([]float32(nil), m...), append([]float32(nil), v...)
			rates := adamRates{beta1: beta1, rest1: 1 - beta1, beta2: beta2, rest2: 1 - beta2, lr: lr, eps: eps,
				shrink: lr * decay, bias1: bias1, bias2: bias2}
			adamW(s, p, g, m, v, &rates)
			for i := range n {
				gi, pi := float64(g[i]), float64(p0[i])
				wantM := beta1*float64(m0[i]) + (1-beta1)*gi
				wantV := beta2*float64(v0[i]) + (1-beta2)*gi*gi
				step := lr * (wantM / bias1) / (math.Sqrt(wantV/bias2) + eps)
				scaleM := math.Abs(float64(m0[i])) + math.Abs(gi)
				requireNear(t, m[i], wantM, scaleM, 4, "%s m, %d of %d", s, i, n)
				requireNear(t, v[i], wantV, wantV, 4, "%s v, %d of %d", s, i, n)
				scaleStep := lr * (scaleM / bias1) / (math.Sqrt(wantV/bias2) + eps)
				requireNear(t, p[i], pi-lr*decay*pi-step, 1.1*math.Abs(pi)+scaleStep, 10, "%s p, %d of %d", s, i, n)
			}
		}
	}
}

func TestVectorPanics(t *testing.T) {
	x, y := make([]float32, 3), make([]float32, 4)
	for name, call := range map[string]func(){
		"Exp":          func() { Exp(x, y) },
		"Sigmoid":      func() { Sigmoid(x, y) },
		"Dot":          func() { Dot(x, y) },
		"Axpy":         func() { Axpy(1, x, y) },
		"ExpShifted":   func() { ExpShifted(x, y, 0) },
		"Add":          func() { Add(x, x, y) },
		"Mul":          func() { Mul(x, y, x) },
		"SiLUGrad":     func() { SiLUGrad(x, x, x, y) },
		"Dot3":         func() { Dot3(x, x, y) },
		"ScaledMul":    func() { ScaledMul(x, 1, x, y) },
		"ScaledMulAdd": func() { ScaledMulAdd(x, 1, x, x, 1, y) },
		"AdamW":        func() { AdamW(x, x, x, y, 1, 1, 1, 1, 1, 1, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			require.PanicsWithValue(t, "kernel: "+name+": slices of different lengths: 3 and 4", call)
		})
	}
}
