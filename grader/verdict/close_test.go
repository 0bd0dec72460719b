package verdict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stubformer/stubformer/reference/wire"
)

// TestExplainClose tells outputs that are wrong by little everywhere, and whether their
// errors lean to one side.
func TestExplainClose(t *testing.T) {
	a, noise := random(1, 9, 8), random(2, 9, 8)
	noisy := func(size float32) wire.Value {
		return edit(a, func(i int, x float32) float32 { return x * (1 + noise.F32[i]*size) })
	}
	near := "Every value is close to what is expected: within "
	for name, c := range map[string]struct {
		got, want    wire.Value
		begins, ends string
	}{
		"almost right":            {scale(a, times1(1+6e-6)), a, near + "4", "in the formula."},
		"an approximation":        {edit(a, func(i int, x float32) float32 { return x - 0.002*x*x*x/(1+x*x) }), a, near + "0.", "it is too small in size at 64 places and too large at 0. Rounding to the nearest errs both ways: look for bits that are cut off, or for a constant or an approximation in the formula."},
		"products of nine bits":   {edit(a, func(_ int, x float32) float32 { return bf16(x, 15) }), a, near + "0.1", "as if numbers had about 9 significant bits: float32 has 24, float16 11, bfloat16 8. A difference of two large numbers loses bits as well."},
		"noise":                   {noisy(1e-3), a, near + "0.", "A difference of two large numbers loses bits as well."},
		"too few to see where to": {vector(1.001, 1.999, 3.001, 3.999, 5), vector(1, 2, 3, 4, 5), near + "0.", " is allowed."},
		"5 % off":                 {noisy(0.05), a, "", ""},
		"one element is far off":  {edit(noisy(1e-3), func(i int, x float32) float32 { return x + float32(1-min(i, 1)) }), a, "", ""},
		"one element is NaN":      {edit(noisy(1e-3), func(i int, x float32) float32 { return x / float32(min(i, 1)) * float32(min(i, 1)) }), a, "", ""},
		"three elements":          {vector(1.001, 1.999, 3.001), vector(1, 2, 3), "", ""},
		"whole numbers":           {wire.Ints([]int64{1001, 2002, 3002, 4001, 5002}, 5), wire.Ints([]int64{1000, 2000, 3000, 4000, 5000}, 5), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := Explain(c.got, c.want, tolerance, Given{})
			if c.begins == "" {
				require.Nil(t, s)
				return
			}
			require.NotNil(t, s)
			require.Equal(t, "close", s.ID)
			require.Regexp(t, "^"+c.begins, s.Text.String())
			require.Regexp(t, c.ends+"$", s.Text.String())
		})
	}
}

// TestCloseToAnInput says nothing of how close an update is whose input is close too.
func TestCloseToAnInput(t *testing.T) {
	want, noise := random(1, 9, 8), random(2, 9, 8)
	got := edit(want, func(i int, x float32) float32 { return x + noise.F32[i]*1e-3 })
	require.NotNil(t, Explain(got, want, tolerance, Given{Inputs: []Array{{"x", noise}}}))
	require.Nil(t, Explain(got, want, tolerance, Given{Inputs: []Array{{"p", scale(want, times1(1.02))}}}))
}

// TestBitsOf rounds numbers to a few bits and reads the bits off their errors.
func TestBitsOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for bits := 4; bits <= 24; bits += 2 {
		var want, got []float64
		for range 500 {
			x := rng.NormFloat64()
			fraction, exponent := math.Frexp(x)
			want = append(want, x)
			got = append(got, math.Ldexp(math.Round(math.Ldexp(fraction, bits)), exponent-bits))
		}
		c := newEvidence(wire.Value{DType: wire.F64, Shape: []int{500}, F64: got}, wire.Value{DType: wire.F64, Shape: []int{500}, F64: want}, 1e-12, Given{})
		_, _, size := c.leans()
		require.Equal(t, bits, bitsOf(size))
	}
}

// TestChance compares with the sums of binomial coefficients written out.
func TestChance(t *testing.T) {
	require.InDelta(t, 2./1024, chance(0, 10), 1e-12)
	require.InDelta(t, 2.*(1+10+45)/1024, chance(2, 10), 1e-12)
	require.InDelta(t, 1, chance(5, 10), 1e-12)
	require.InDelta(t, 1, chance(0, 0), 1e-12)
}
