package verdict

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stubformer/stubformer/reference/wire"
)

// What has no explanation, or more than one, gets none.
func TestExplainRefuses(t *testing.T) {
	a, b := random(21, 4, 6), random(22, 4, 6)
	except := func(v wire.Value, at int) wire.Value {
		return edit(v, func(i int, x float32) float32 {
			if i == at {
				return x + 0.01
			}
			return x
		})
	}
	fill := func(x float64) wire.Value {
		return edit(a, func(int, float32) float32 { return float32(x) })
	}
	alternating := scale(fill(1), func(i int) float64 { return float64(1 - i%2*2) })
	rank1 := edit(a, func(i int, _ float32) float32 { return float32(1+i/6) * float32(1+i%6) })
	tests := map[string]struct{ got, want wire.Value }{
		"noise":                              {b, a},
		"equal":                              {a, a},
		"too few elements":                   {vector(2, 4, 6), vector(1, 2, 3)},
		"too few wrong elements":             {edit(a, func(i int, x float32) float32 { return x * float32(1+(23-i)/21) }), a},
		"a factor, but for one element":      {except(scale(a, times1(2)), 7), a},
		"an offset, but for one":             {except(edit(a, func(_ int, x float32) float32 { return x + 1 }), 7), a},
		"reversed, but for one":              {except(rearrange(a, func(i int) int { return 23 - i }), 7), a},
		"factor and offset":                  {edit(a, func(_ int, x float32) float32 { return 2*x + 1 }), a},
		"all equal: factor or offset":        {fill(2), fill(1)},
		"alternating: sign, shift, …":        {scale(alternating, times1(-1)), alternating},
		"row and column factors":             {scale(a, func(i int) float64 { return float64(2+i/6) * (1.5 + float64(i%6)) }), a},
		"rows of two are too short":          {scale(random(23, 9, 2), func(i int) float64 { return 2 + float64(i/2) }), random(23, 9, 2)},
		"only three values tell":             {edit(a, func(i int, x float32) float32 { return fewTelling(i, x, 3) }), edit(a, func(i int, x float32) float32 { return fewTelling(i, x, 1) })},
		"a row twice":                        {rearrange(a, func(i int) int { return []int{1, 1, 0, 3}[i/6]*6 + i%6 }), a},
		"damaged":                            {wire.Float32s(a.F32[:20], 4, 6), a},
		"the transpose of yet another shape": {wire.Float32s(rearrange(a, func(i int) int { return i%4*6 + i/4 }).F32, 8, 3), a},
		"rounded, and 4 % wrong":             {edit(a, func(_ int, x float32) float32 { return bf16(x*1.04, 16) }), a},
		"another rank":                       {random(24, 6, 4), random(25, 2, 3, 4)},
		"shifted, three elements":            {vector(9, 1, 5, 2), vector(1, 5, 2, 7)},
		"NaN":                                {scale(a, func(i int) float64 { return nan }), a},
		"another shape, other values":        {random(24, 6, 4), a},
		"another number of elements":         {random(25, 5, 4), a},
		"another type":                       {wire.Int(1), a},
		"texts":                              {wire.String("abcde"), wire.String("vwxyz")},
		"a causal mask without diagonal":     {triangle(5, -1), triangle(5, 0)},
		"named sizes only":                   {edit(rank1, func(i int, x float32) float32 { return x + float32(i%5) }), rank1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			require.Nil(t, Explain(tt.got, tt.want, tolerance, Given{}))
		})
	}
}

// fewTelling returns an array in which a factor can be seen in row 1 only, and
// there in three elements; the rest of the row is tiny.
func fewTelling(i int, x, factor float32) float32 {
	switch {
	case i/6 != 1:
		return x
	case i%6 >= 3:
		return x * 1e-3 * factor
	}
	return (1 + x*x) * factor
}

// triangle returns an (n, n) mask that is true where column ≤ row + k.
func triangle(n, k int) wire.Value {
	mask := make([]bool, n*n)
	for i := range mask {
		mask[i] = i%n <= i/n+k
	}
	return wire.Bools(mask, n, n)
}

// A factor whose value several quantities share is given as a number only.
func TestExplainNamesNoDoubtfulFactor(t *testing.T) {
	a := random(26, 5, 25) // √25 is the size of axis 0
	s := Explain(scale(a, times1(5)), a, tolerance, Given{})
	require.Equal(t, "Your output is 5 times what is expected everywhere.", s.Text.String())
	s = Explain(scale(a, times1(7)), a, tolerance, Given{Named: map[string]float64{"K": 7, "F": 49}})
	require.Equal(t, "Your output is 7 times what is expected everywhere.", s.Text.String())
	s = Explain(scale(a, times1(7)), a, tolerance, Given{Named: map[string]float64{"B": 7, "K": 7}})
	require.Equal(t, "Your output is 7 times what is expected everywhere.", s.Text.String())
	s = Explain(scale(a, times1(7)), a, tolerance, Given{Named: map[string]float64{"K": 7.001}})
	require.Equal(t, "Your output is 7 times what is expected everywhere.", s.Text.String())
}

// No noise earns an explanation, whatever the shape and the tolerance.
func TestExplainRefusesNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 1))
	shapes := [][]int{{4}, {2, 2}, {9}, {3, 4}, {4, 4}, {2, 3, 4}, {2, 2, 2, 3}}
	for n := range uint64(3000) {
		shape := shapes[n%uint64(len(shapes))]
		want, other := random(1000+n, shape...), random(9000+n, shape...)
		got := other
		if n%2 == 1 { // a few wrong elements among right ones
			got = edit(want, func(i int, x float32) float32 {
				if rng.Float64() < 0.5 {
					return other.F32[i]
				}
				return x
			})
		}
		before := random(5000+n, shape...)
		for _, tolerance := range []float64{1e-6, 1e-4, 5e-2} {
			require.Nil(t, Explain(got, want, tolerance, Given{Before: &Before{Value: before, Gradient: n%3 > 0, Replaced: n%3 == 2}, Named: map[string]float64{"d_model": 48}}), "case %d", n)
		}
	}
}

// An explanation may leave an error of twice the tolerance, and no more.
func TestExplainBound(t *testing.T) {
	want := random(28, 6, 8)
	m := newMeasure(Numbers(want), tolerance, nil)
	off := func(part float64) wire.Value {
		return edit(want, func(i int, x float32) float32 {
			if i == 17 {
				x += float32(part * m.bound(float64(x)))
			}
			return 2 * x
		})
	}
	require.NotNil(t, Explain(off(1.8), want, tolerance, Given{}))
	require.Nil(t, Explain(off(2.2), want, tolerance, Given{}))
}
