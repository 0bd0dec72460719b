package verdict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stubformer/stubformer/reference/wire"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

func random(seed uint64, shape ...int) wire.Value {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := wire.Value{DType: wire.F32, Shape: shape}
	for range v.Len() {
		v.F32 = append(v.F32, float32(rng.NormFloat64()))
	}
	return v
}

// edit returns a copy of v (f32) with every element replaced by f(i, x).
func edit(v wire.Value, f func(i int, x float32) float32) wire.Value {
	w := wire.Value{DType: wire.F32, Shape: v.Shape, F32: make([]float32, len(v.F32))}
	for i, x := range v.F32 {
		w.F32[i] = f(i, x)
	}
	return w
}

func vector(x ...float64) wire.Value { return wire.Floats(x, len(x)) }

func TestCompareAgrees(t *testing.T) {
	x := random(1, 2, 3, 5)
	wide := wire.Floats(Numbers(x), 2, 3, 5)
	tests := map[string]struct{ got, want wire.Value }{
		"itself":           {x, x},
		"f32 against f64":  {x, wide},
		"f64 against f32":  {wide, x},
		"scalar":           {wire.Float(0.5), wire.Float(0.5)},
		"integers":         {wire.Ints([]int64{1, 2}, 2), wire.Ints([]int64{1, 2}, 2)},
		"booleans":         {wire.Bools([]bool{true}, 1), wire.Bools([]bool{true}, 1)},
		"texts":            {wire.String("a"), wire.String("a")},
		"nothing":          {random(1, 0, 3), random(2, 0, 3)},
		"NaN meets NaN":    {vector(nan, 1), vector(nan, 1)},
		"Inf meets Inf":    {vector(inf, -inf, 1), vector(inf, -inf, 1)},
		"zeros, absolute":  {vector(1e-7, -1e-7), vector(0, 0)},
		"far above 1e154":  {vector(1e200, -1e200), vector(1e200, -1e200)},
		"zero of any sign": {vector(math.Copysign(0, -1), 1), vector(0, 1)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { require.Nil(t, Compare("y", tt.got, tt.want, 1e-6)) })
	}
}

func TestCompareDiffers(t *testing.T) {
	tests := map[string]struct {
		got, want wire.Value
		kind      Kind
		first     []int
		wrong     int
	}{
		"one value":            {vector(1, 2.1, 3), vector(1, 2, 3), WrongValues, []int{1}, 1},
		"NaN for a number":     {vector(1, nan, 4), vector(1, 2, 3), NotFinite, []int{1}, 2},
		"a number, then NaN":   {vector(2, nan), vector(1, 2), WrongValues, []int{0}, 2},
		"Inf for a number":     {vector(-inf, 2), vector(1, 2), NotFinite, []int{0}, 1},
		"the other infinity":   {vector(inf, 2), vector(-inf, 2), WrongValues, []int{0}, 1},
		"a number for NaN":     {vector(1, 2), vector(nan, 2), WrongValues, []int{0}, 1},
		"a number for -Inf":    {vector(-1e4, 2), vector(-inf, 2), WrongValues, []int{0}, 1},
		"NaN for -Inf":         {vector(nan, 2), vector(-inf, 2), WrongValues, []int{0}, 1},
		"tiny against tiny":    {vector(1e-200, 2e-200), vector(2e-200, 1e-200), WrongValues, []int{0}, 2},
		"scalar":               {wire.Float(1), wire.Float(2), WrongValues, []int{}, 1},
		"integers":             {wire.Ints([]int64{1, 3}, 2), wire.Ints([]int64{1, 2}, 2), WrongValues, []int{1}, 1},
		"integers beyond 2^53": {wire.Ints([]int64{1<<53 + 1}, 1), wire.Ints([]int64{1 << 53}, 1), WrongValues, []int{0}, 1},
		"booleans":             {wire.Bools([]bool{true}, 1), wire.Bools([]bool{false}, 1), WrongValues, []int{0}, 1},
		"texts":                {wire.String("a"), wire.String("ab"), WrongValues, nil, 1},
		"shape":                {random(1, 2, 3), random(1, 3, 2), WrongShape, nil, 0},
		"rank":                 {random(1, 6), random(1, 6, 1), WrongShape, nil, 0},
		"integers for numbers": {wire.Ints([]int64{1}, 1), vector(1), WrongShape, nil, 0},
		"numbers for integers": {vector(1), wire.Ints([]int64{1}, 1), WrongShape, nil, 0},
		"missing":              {wire.Value{}, vector(1), WrongShape, nil, 0},
		"damaged":              {wire.Float32s([]float32{1, 2}, 3), vector(1, 2, 3), WrongShape, nil, 0},
		"damaged, right shape": {wire.Float32s([]float32{1, 2}, 2, 2), random(1, 2, 2), WrongShape, nil, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Compare("y", tt.got, tt.want, 1e-6)
			require.NotNil(t, d)
			require.Equal(t, tt.kind, d.Kind)
			require.Equal(t, tt.first, d.First)
			require.Equal(t, tt.wrong, d.Wrong)
			require.NotEmpty(t, d.String())
		})
	}
}

// An error just inside the bound passes and one just outside does not, for any
// size of the values and at any place.
func TestCompareBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		tolerance := math.Pow(10, -1-7*rng.Float64())
		scale := math.Pow(10, 60*rng.Float64()-30)
		want := make([]float64, 1+rng.IntN(40))
		squares := 0.0
		for i := range want {
			want[i] = scale * rng.NormFloat64()
			squares += want[i] * want[i]
		}
		at := rng.IntN(len(want))
		bound := tolerance * (math.Abs(want[at]) + math.Sqrt(squares/float64(len(want))))
		for _, sign := range []float64{1, -1} {
			got := append([]float64{}, want...)
			got[at] = want[at] + sign*bound*(1-1e-6)
			require.Nil(t, Compare("y", vector(got...), vector(want...), tolerance))
			got[at] = want[at] + sign*bound*(1+1e-6)
			d := Compare("y", vector(got...), vector(want...), tolerance)
			require.NotNil(t, d)
			require.Equal(t, []int{at}, d.First)
			require.Equal(t, []int{at}, d.WorstAt)
			require.InEpsilon(t, 1, d.Worst, 1e-5)
			require.InEpsilon(t, bound, d.Bound, 1e-9)
		}
	}
}

func TestCompareCounts(t *testing.T) {
	d := Compare("y", vector(1, 9, 3, nan, inf, 4), vector(1, 2, 3, 4, 5, 8), 1e-6)
	require.Equal(t, []bool{false, true, false, true, true, true}, d.Mask())
	require.Equal(t, 4, d.Wrong)
	require.Equal(t, 6, d.Total)
	require.Equal(t, 1, d.NaN)
	require.Equal(t, 1, d.Inf)
	require.Equal(t, []int{1}, d.WorstAt)
	require.Equal(t, 7.0, d.Error)
}

func TestRatios(t *testing.T) {
	want := vector(3, 0, nan, inf, -3)
	got := vector(3, 3, nan, 1, nan)
	d := Compare("y", got, want, 0.5)
	require.Equal(t, []bool{false, true, false, true, true}, d.Mask())
	ratios := d.Ratios()
	require.InDelta(t, 3/(0.5*math.Sqrt(6)), ratios[1], 1e-12, "the bound at 0 is tolerance · rms(3, 0, −3)")
	ratios[1] = 1
	require.Equal(t, []float64{0, 1, 0, inf, inf}, ratios)
	require.Nil(t, Compare("y", vector(1), want, 0.5).Ratios(), "the shape is wrong")
}
