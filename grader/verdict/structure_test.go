package verdict

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stubformer/stubformer/reference/wire"
)

const tolerance = 2e-6

// rearrange returns want with element i taken from element from(i).
func rearrange(v wire.Value, from func(i int) int) wire.Value {
	return edit(v, func(i int, _ float32) float32 { return v.F32[from(i)] })
}

func scale(v wire.Value, f func(i int) float64) wire.Value {
	return edit(v, func(i int, x float32) float32 { return float32(float64(x) * f(i)) })
}

func times1(c float64) func(i int) float64 { return func(int) float64 { return c } }

func bf16(x float32, bits uint) float32 {
	return math.Float32frombits((math.Float32bits(x) + 1<<(bits-1)) >> bits << bits)
}

// explained is a pair of arrays and the structure that explains it.
type explained struct {
	got, want wire.Value
	id, text  string
}

func testExplain(t *testing.T, tests map[string]explained) {
	named := map[string]float64{"d_model": 48, "√d_k": math.Sqrt(7), "F": 13}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := Explain(tt.got, tt.want, tolerance, Given{Named: named})
			require.NotNil(t, s)
			require.Equal(t, tt.id, s.ID)
			require.Equal(t, tt.text, s.Text.String())
		})
	}
}

func TestExplainScale(t *testing.T) {
	a := random(1, 3, 5, 4) // (B, T, D)
	m := random(2, 6, 7)
	half := edit(a, func(i int, x float32) float32 { return max(x, 0) })
	masked := edit(m, func(i int, x float32) float32 {
		if i%7 > 4 {
			return float32(-inf)
		}
		return x
	})
	testExplain(t, map[string]explained{
		"zero":               {scale(a, times1(0)), a, "zero", "Your output is 0 everywhere."},
		"zero where wrong":   {half, a, "zero", "Where it is wrong, your output is 0."},
		"constant":           {edit(m, func(int, float32) float32 { return 0.25 }), m, "constant", "Your output is 0.25 everywhere."},
		"twice":              {scale(a, times1(2)), a, "factor", "Your output is 2 times what is expected everywhere."},
		"half":               {scale(a, times1(0.5)), a, "factor", "Your output is 0.5 (1/2) times what is expected everywhere."},
		"a third":            {scale(a, times1(1./3)), a, "factor", "Your output is 0.3333 (1/3) times what is expected everywhere."},
		"minus three":        {scale(a, times1(-3)), a, "factor", "Your output is -3 times what is expected everywhere."},
		"sign":               {scale(a, times1(-1)), a, "sign", "Your output has the opposite sign everywhere."},
		"√d_model":           {scale(a, times1(math.Sqrt(48))), a, "factor", "Your output is 6.928 times what is expected everywhere."},
		"1/√d_k":             {scale(a, times1(1/math.Sqrt(7))), a, "factor", "Your output is 0.378 times what is expected everywhere."},
		"-F":                 {scale(a, times1(-13)), a, "factor", "Your output is -13 times what is expected everywhere."},
		"a size":             {scale(a, times1(5)), a, "factor", "Your output is 5 times what is expected everywhere."},
		"1 / rows":           {scale(a, times1(1./15)), a, "factor", "Your output is 0.06667 times what is expected everywhere."},
		"some factor":        {scale(a, times1(1.37)), a, "factor", "Your output is 1.37 times what is expected everywhere."},
		"a factor in places": {scale(m, func(i int) float64 { return float64(1 + i%2) }), m, "factor", "Where it is wrong, your output is 2 times what is expected."},
		"a sign in places":   {scale(m, func(i int) float64 { return float64(1 - i%2*2) }), m, "sign", "Where it is wrong, your output has the opposite sign."},
		"offset":             {edit(a, func(_ int, x float32) float32 { return x + 0.512345 }), a, "offset", "Your output is 0.5123 more than what is expected everywhere."},
		"negative offset":    {edit(a, func(_ int, x float32) float32 { return x - 1 }), a, "offset", "Your output is 1 less than what is expected everywhere."},
		"masked, twice":      {scale(masked, times1(2)), masked, "factor", "Your output is 2 times what is expected everywhere."},
		"masked, rows":       {scale(masked, func(i int) float64 { return 1.1 + float64(i/7) }), masked, "row-factor", "Each row of your output has a factor of its own, from 1.1 to 6.1" + rowAdvice().String()},
		"almost one":         {scale(a, times1(1.00004)), a, "factor", "Your output is 1.00004 times what is expected everywhere."},
		"bfloat16":           {edit(m, func(_ int, x float32) float32 { return bf16(x, 16) }), m, "rounded", "Your output is right but rounded: it looks like bfloat16, where float32 is expected."},
		"float16":            {edit(m, func(_ int, x float32) float32 { return bf16(x, 13) }), m, "rounded", "Your output is right but rounded: it looks like half precision (float16), where float32 is expected."},
		"rows":               {scale(m, func(i int) float64 { return 1.1 + float64(i/7) }), m, "row-factor", "Each row of your output has a factor of its own, from 1.1 to 6.1" + rowAdvice().String()},
		"rows of three axes": {scale(a, func(i int) float64 { return 1.1 + float64(i/4) }), a, "row-factor", "Each row (along the last axis) of your output has a factor of its own, from 1.1 to 15.1" + rowAdvice().String()},
		"some rows":          {scale(m, func(i int) float64 { return float64(max(1, i/7-1)) }), m, "row-factor", "Each wrong row of your output has a factor of its own, from 2 to 4" + rowAdvice().String()},
		"columns":            {scale(a, func(i int) float64 { return 0.5 + float64(i%4) }), a, "column-factor", "Each column (index of the last axis) of your output has a factor of its own, from 0.5 to 3.5" + ": look at what is applied once to a column, such as a gain."},
		"the middle axis":    {scale(a, func(i int) float64 { return 0.5 + float64(i/4%5) }), a, "axis-factor", "Each index of axis 1 of your output has a factor of its own, from 0.5 to 4.5."},
		"four elements":      {vector(2, 4, 6, 10), vector(1, 2, 3, 5), "factor", "Your output is 2 times what is expected everywhere."},
		"ids, off by one":    {wire.Ints([]int64{4, 2, 9, 1, 6}, 5), wire.Ints([]int64{3, 1, 8, 0, 5}, 5), "offset", "Your output is 1 more than what is expected everywhere."},
	})
}

// TestExplainSteps speaks of no norm where the rows are the steps of an optimiser.
func TestExplainSteps(t *testing.T) {
	m := random(2, 6, 7)
	s := Explain(scale(m, func(i int) float64 { return 1.1 + float64(i/7) }), m, tolerance, Given{Steps: true})
	require.Equal(t, "Each row of your output has a factor of its own, from 1.1 to 6.1. A row is what one step leaves behind: look at what every step multiplies by.", s.Text.String())
}

func TestExplainOrder(t *testing.T) {
	m, sq := random(2, 6, 7), random(3, 5, 5)
	four, three := random(4, 4, 3), random(5, 3, 4)
	testExplain(t, map[string]explained{
		"transposed":           {rearrange(sq, func(i int) int { return i%5*5 + i/5 }), sq, "transposed", "Your output is what is expected with axes 0 and 1 exchanged (transposed)."},
		"transposed, reshaped": {rearrange(m, func(i int) int { return i%6*7 + i/6 }), m, "transposed", "Your output holds the expected values in the order of the transpose (axes 0 and 1 exchanged)."},
		"reversed":             {rearrange(m, func(i int) int { return i/7*7 + 6 - i%7 }), m, "reversed", "Your output is what is expected in reverse order along axis 1."},
		"two rows exchanged":   {rearrange(random(4, 2, 7), func(i int) int { return (i + 7) % 14 }), random(4, 2, 7), "reversed", "Your output is what is expected in reverse order along axis 0."},
		"halves":               {rearrange(m, func(i int) int { return (i + 21) % 42 }), m, "halves", "The two halves of your output along axis 0 are exchanged."},
		"neighbours":           {rearrange(m, func(i int) int { return (i/7^1)*7 + i%7 }), m, "neighbours", "The two members of every pair (2k, 2k + 1) along axis 0 are exchanged."},
		"even, then odd":       {rearrange(m, func(i int) int { r := i / 7; return (r%3*2+r/3)*7 + i%7 }), m, "split", "Along axis 0 your output holds the even indexes of what is expected first and then the odd ones."},
		"first, second half":   {rearrange(m, func(i int) int { r := i / 7; return (r/2+r%2*3)*7 + i%7 }), m, "split", "Along axis 0 your output alternates between the first and the second half of what is expected."},
		"rolled":               {rearrange(m, func(i int) int { return (i + 35) % 42 }), m, "rolled", "Your output is rolled by one along axis 0: index i holds what is expected at i − 1, and the first what is expected at the last."},
		"shifted":              {edit(m, func(i int, _ float32) float32 { return slices.Concat(make([]float32, 7), m.F32)[i] }), m, "shifted", "Your output is shifted by one along axis 0: index i holds what is expected at i − 1."},
		"shifted back":         {edit(m, func(i int, _ float32) float32 { return slices.Concat(m.F32[7:], []float32{1, 2, 3, 4, 5, 6, 7})[i] }), m, "shifted", "Your output is shifted by one along axis 0: index i holds what is expected at i + 1."},
		"rolled back":          {rearrange(m, func(i int) int { return (i + 7) % 42 }), m, "rolled", "Your output is rolled by one along axis 0: index i holds what is expected at i + 1, and the last what is expected at the first."},
		"halves of four":       {rearrange(four, func(i int) int { return (i + 6) % 12 }), four, "halves", "The two halves of your output along axis 0 are exchanged."},
		"neighbours of four":   {rearrange(four, func(i int) int { return (i/3^1)*3 + i%3 }), four, "neighbours", "The two members of every pair (2k, 2k + 1) along axis 0 are exchanged."},
		"split of four":        {rearrange(four, func(i int) int { return []int{0, 2, 1, 3}[i/3]*3 + i%3 }), four, "split", "Along axis 0 your output holds the even indexes of what is expected first and then the odd ones."},
		"rolled, of three":     {rearrange(three, func(i int) int { return (i + 8) % 12 }), three, "rolled", "Your output is rolled by one along axis 0: index i holds what is expected at i − 1, and the first what is expected at the last."},
		"two of three":         {rearrange(three, func(i int) int { return []int{1, 0, 2}[i/4]*4 + i%4 }), three, "permuted", "Along axis 0 your output is what is expected in another order: index 0 holds what is expected at 1."},
		"permuted":             {rearrange(m, func(i int) int { return []int{0, 3, 1, 5, 4, 2}[i/7]*7 + i%7 }), m, "permuted", "Along axis 0 your output is what is expected in another order: index 1 holds what is expected at 3."},
		"reordered":            {rearrange(m, func(i int) int { return i * 11 % 42 }), m, "reordered", "Your output holds the expected values, in another order."},
		"permuted, two alike":  {wire.Floats([]float64{5, 6, 1, 2, 1, 2, 3, 9}, 4, 2), wire.Floats([]float64{1, 2, 3, 9, 1, 2, 5, 6}, 4, 2), "permuted", "Along axis 0 your output is what is expected in another order: index 0 holds what is expected at 3."},
		"shifted, five":        {vector(9, 1, 5, 2, 7), vector(1, 5, 2, 7, 3), "shifted", "Your output is shifted by one along axis 0: index i holds what is expected at i − 1."},
		"vector":               {rearrange(random(8, 9), func(i int) int { return []int{2, 0, 1, 5, 3, 4, 8, 6, 7}[i] }), random(8, 9), "permuted", "Along axis 0 your output is what is expected in another order: index 0 holds what is expected at 2."},
		"mask, transposed":     {wire.Bools([]bool{true, true, false, false, false, false, false, true, true, true, true, true, true, false, false, true}, 4, 4), wire.Bools([]bool{true, false, true, true, true, false, true, false, false, false, true, false, false, true, true, true}, 4, 4), "transposed", "Your output is what is expected with axes 0 and 1 exchanged (transposed)."},
		"mask, inverted":       {wire.Bools([]bool{true, false, false, true, true}, 5), wire.Bools([]bool{false, true, true, false, false}, 5), "inverted", "Your output is the opposite of what is expected everywhere: true and false are exchanged."},
		"right order, shape":   {wire.Float32s(m.F32, 42), m, "reshaped", "The values are right and in the right order, the shape is not."},
		"transposed, shape":    {wire.Float32s(rearrange(m, func(i int) int { return i%6*7 + i/6 }).F32, 7, 6), m, "transposed", "The values are right, the shape is not: your output is transposed; its axes are the expected axes 1 and 0."},
	})
}

func TestExplainAccumulation(t *testing.T) {
	before, added := random(11, 4, 6), random(12, 4, 6)
	sum := func(x, y float32) wire.Value {
		return edit(before, func(i int, b float32) float32 { return x*b + y*added.F32[i] })
	}
	want := sum(1, 1)
	tests := map[string]struct {
		got      wire.Value
		id, text string
	}{
		"overwritten": {sum(0, 1), "overwritten", "Your gradient is the new gradient alone: it replaces what was there before the call, where it should be added to it."},
		"unchanged":   {sum(1, 0), "unchanged", "Your gradient is what was there before the call: nothing has been added."},
		"twice":       {sum(2, 1), "before-twice", "Your gradient counts what was there before the call twice."},
		"doubled":     {sum(1, 2), "added-factor", "Your gradient is what was there before plus 2 times the new gradient."},
		"averaged":    {sum(1, 1./24), "added-factor", "Your gradient is what was there before plus 0.04167 times the new gradient."},
		"subtracted":  {sum(1, -1), "added-factor", "Your gradient is what was there before minus the new gradient, where it should be plus."},
		"all doubled": {sum(2, 2), "factor", "Your output is 2 times what is expected everywhere."},
		"in one row": {edit(want, func(i int, w float32) float32 {
			if i/6 == 2 {
				return added.F32[i]
			}
			return w
		}), "overwritten", "Where it is wrong, your gradient is the new gradient alone: it replaces what was there before the call, where it should be added to it."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := Explain(tt.got, want, tolerance, Given{Before: &Before{Value: before, Gradient: true}})
			require.NotNil(t, s)
			require.Equal(t, tt.id, s.ID)
			require.Equal(t, tt.text, s.Text.String())
		})
	}
	// Where there was nothing before, the gradient is any array.
	none := scale(before, times1(0))
	s := Explain(scale(added, times1(2)), added, tolerance, Given{Before: &Before{Value: none, Gradient: true}})
	require.Equal(t, "Your output is 2 times what is expected everywhere.", s.Text.String())
	require.Nil(t, Explain(sum(0, 1), want, tolerance, Given{}), "without what was before there is no telling")
}
