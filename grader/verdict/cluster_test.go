package verdict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// cluster is a set of wrong elements and the words for it.
type cluster struct {
	shape []int
	wrong func(at []int) bool
	words string
}

func TestWhereGrids(t *testing.T) {
	testWhere(t, map[string]cluster{
		"a row":                     {[]int{6, 5}, func(at []int) bool { return at[0] == 3 }, "only in row 3"},
		"the first row":             {[]int{6, 5}, func(at []int) bool { return at[0] == 0 }, "only in row 0 (the first)"},
		"the last row":              {[]int{6, 5}, func(at []int) bool { return at[0] == 5 }, "only in row 5 (the last)"},
		"the last column, a tail":   {[]int{3, 17}, func(at []int) bool { return at[1] == 16 }, "only in column 16 (the last; left over after tiles of 4, 8 or 16)"},
		"some rows":                 {[]int{9, 5}, func(at []int) bool { return at[0] == 1 || at[0] == 4 || at[0] == 6 }, "only in rows 1, 4 and 6"},
		"a row of two":              {[]int{5, 2}, func(at []int) bool { return at[0] == 3 }, "only in row 3"},
		"one row of two":            {[]int{2, 5}, func(at []int) bool { return at[0] == 0 }, "only in row 0 (the first)"},
		"four rows":                 {[]int{12, 3}, func(at []int) bool { return at[0] == 1 || at[0] == 4 || at[0] == 6 || at[0] == 9 }, "only in rows 1, 4, 6 and 9"},
		"the outer rows of four":    {[]int{4, 3}, func(at []int) bool { return at[0]%3 == 0 }, "only in rows 0 and 3"},
		"even rows of four":         {[]int{4, 3}, func(at []int) bool { return at[0]%2 == 0 }, "only in even rows"},
		"odd rows of four":          {[]int{4, 3}, func(at []int) bool { return at[0]%2 == 1 }, "only in odd rows"},
		"all rows but the last":     {[]int{6, 5}, func(at []int) bool { return at[0] < 5 }, "everywhere except in row 5 (the last)"},
		"one batch but position 0":  {[]int{2, 5, 6}, func(at []int) bool { return at[0] == 1 && at[1] > 0 }, "only where axis 0 = 1 (the last) and axis 1 = 1 to 4"},
		"all rows but the first":    {[]int{6, 5}, func(at []int) bool { return at[0] > 0 }, "everywhere except in row 0 (the first)"},
		"all rows but one":          {[]int{6, 5}, func(at []int) bool { return at[0] != 2 }, "everywhere except in row 2"},
		"even columns":              {[]int{3, 8}, func(at []int) bool { return at[1]%2 == 0 }, "only in even columns"},
		"odd columns of nine":       {[]int{3, 9}, func(at []int) bool { return at[1]%2 == 1 }, "only in odd columns"},
		"the first half":            {[]int{3, 8}, func(at []int) bool { return at[1] < 4 }, "only in columns 0 to 3 (the first half)"},
		"the second half":           {[]int{3, 8}, func(at []int) bool { return at[1] >= 4 }, "only in columns 4 to 7 (the second half)"},
		"a tail":                    {[]int{3, 19}, func(at []int) bool { return at[1] >= 16 }, "only in columns 16 to 18 (left over after tiles of 4, 8 or 16)"},
		"a tail of 14":              {[]int{31, 3}, func(at []int) bool { return at[0] >= 28 }, "only in rows 28 to 30 (left over after tiles of 4 or 14)"},
		"a short tail":              {[]int{3, 7}, func(at []int) bool { return at[1] >= 5 }, "only in columns 5 to 6"},
		"a corner":                  {[]int{10, 11}, func(at []int) bool { return at[0] >= 8 && at[1] >= 8 }, "only in rows 8 to 9 (left over after tiles of 4 or 8), columns 8 to 10 (left over after tiles of 4 or 8)"},
		"position 0":                {[]int{2, 3, 4}, func(at []int) bool { return at[1] == 0 }, "only where axis 1 = 0 (the first)"},
		"all but position 0":        {[]int{2, 3, 4}, func(at []int) bool { return at[1] > 0 }, "everywhere except where axis 1 = 0 (the first)"},
		"one batch, one head":       {[]int{2, 3, 4, 5}, func(at []int) bool { return at[0] == 1 && at[1] == 2 }, "only where axis 0 = 1 (the last) and axis 1 = 2 (the last)"},
		"even, of three axes":       {[]int{2, 3, 6}, func(at []int) bool { return at[2]%2 == 0 }, "only where axis 2 is even"},
		"one axis but one index":    {[]int{2, 5, 6}, func(at []int) bool { return at[0] == 1 && at[1] != 2 }, "only where axis 0 = 1 (the last) and axis 1 ≠ 2"},
		"a row but one column":      {[]int{4, 9}, func(at []int) bool { return at[0] == 1 && at[1] != 2 }, "only in row 1, every column but 2"},
		"positions of a vector":     {[]int{12}, func(at []int) bool { return at[0]%2 == 1 }, "only at odd positions"},
		"the end of a vector":       {[]int{12}, func(at []int) bool { return at[0] >= 8 }, "only at positions 8 to 11 (left over after tiles of 8)"},
		"all but the start":         {[]int{12}, func(at []int) bool { return at[0] > 0 }, "everywhere except at position 0 (the first)"},
		"on and below":              {[]int{5, 5}, func(at []int) bool { return at[1] <= at[0] }, "only on and below the diagonal (column ≤ row)"},
		"on and above":              {[]int{5, 5}, func(at []int) bool { return at[1] >= at[0] }, "only on and above the diagonal (column ≥ row)"},
		"a row, one value by luck":  {[]int{4, 9}, func(at []int) bool { return at[0] == 2 && at[1] != 8 }, "only in row 2, columns 0 to 7"},
		"the upper part of a 2 × 2": {[]int{4, 2, 2}, func(at []int) bool { return at[1] == 0 && at[2] == 1 }, "only where axis 1 = 0 (the first) and axis 2 = 1 (the last)"},
	})
}

func TestWhereTrianglesAndNothing(t *testing.T) {
	testWhere(t, map[string]cluster{
		"all":                     {[]int{2, 3}, func([]int) bool { return true }, "everywhere"},
		"one":                     {[]int{4, 5}, func(at []int) bool { return at[0] == 1 && at[1] == 2 }, ""},
		"too many rows to list":   {[]int{5, 4}, func(at []int) bool { return at[0] == 0 || at[0] == 2 || at[0] == 3 }, ""},
		"five of twenty rows":     {[]int{20, 4}, func(at []int) bool { return at[0]%4 == 1 }, ""},
		"a column in odd places":  {[]int{9, 8}, func(at []int) bool { return at[1] == 3 && (at[0] == 0 || at[0] == 2 || at[0] == 5 || at[0] == 6) }, ""},
		"a triangle of 3 × 3":     {[]int{3, 3}, func(at []int) bool { return at[1] > at[0] }, "only above the diagonal (column > row)"},
		"no triangle of 2 × 3":    {[]int{2, 3}, func(at []int) bool { return at[1] > at[0] }, ""},
		"above the diagonal":      {[]int{5, 5}, func(at []int) bool { return at[1] > at[0] }, "only above the diagonal (column > row)"},
		"below the diagonal":      {[]int{2, 5, 6}, func(at []int) bool { return at[2] < at[1] }, "only below the diagonal (column < row) of the last two axes"},
		"the diagonal":            {[]int{5, 5}, func(at []int) bool { return at[1] == at[0] }, "only on the diagonal"},
		"all but the diagonal":    {[]int{5, 5}, func(at []int) bool { return at[1] != at[0] }, "everywhere except on the diagonal"},
		"half a row, and no more": {[]int{4, 9}, func(at []int) bool { return at[0] == 2 && (at[1] == 1 || at[1] == 3 || at[1] == 6) }, ""},
		"two far elements":        {[]int{6, 8}, func(at []int) bool { return at[0] == 1 && at[1] == 3 || at[0] == 4 && at[1] == 6 }, ""},
		"two neighbours":          {[]int{6, 8}, func(at []int) bool { return at[0] == 1 && at[1] < 2 }, ""},
		"a row and one more":      {[]int{6, 5}, func(at []int) bool { return at[0] == 3 || at[0] == 0 && at[1] == 0 }, ""},
		"every row but one":       {[]int{2, 3, 6}, func(at []int) bool { return at[0] != 0 || at[1] != 0 }, "in every row but the one at [0, 0]"},
		"two rows are right":      {[]int{2, 3, 6}, func(at []int) bool { return at[0] != at[1] }, "scattered"},
		"sparse, but in one row":  {[]int{2, 3, 6}, func(at []int) bool { return at[0]+at[1] > 0 && at[2] == at[0]+2*at[1] }, ""},
		"a checkerboard":          {[]int{6, 5}, func(at []int) bool { return (at[0]+at[1])%2 == 0 }, "scattered"},
		"a run over two rows":     {[]int{6, 5}, func(at []int) bool { i := at[0]*5 + at[1]; return i >= 13 && i <= 22 }, "only from [2, 3] to [4, 2], row by row"},
		"three of a run":          {[]int{6, 5}, func(at []int) bool { i := at[0]*5 + at[1]; return i >= 13 && i <= 15 }, ""},
		"all but two":             {[]int{6, 5}, func(at []int) bool { return at[0] != at[1] || at[0] > 1 }, "nearly everywhere"},
		"a triangle and one more": {[]int{5, 5}, func(at []int) bool { return at[1] > at[0] || at[0] == 4 && at[1] == 0 }, "scattered"},
	})
}

func testWhere(t *testing.T, tests map[string]cluster) {
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			mask, want := filledMask(tt.shape, tt.wrong)
			require.Equal(t, tt.words, where(tt.shape, mask, want, true).String())
		})
	}
}

// filledMask returns the mask of a set, with wanted values that single out
// nothing.
func filledMask(shape []int, wrong func(at []int) bool) (mask []bool, want []float64) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	for i := range n {
		mask = append(mask, wrong(index(shape, i)))
		want = append(want, float64(1+i))
	}
	return mask, want
}

func TestWhereByValue(t *testing.T) {
	want := []float64{1, 0, -2, 3, 0, -1, 5, -4, 0, 6, -3, 0}
	pick := func(has func(x float64) bool) []bool {
		var mask []bool
		for _, x := range want {
			mask = append(mask, has(x))
		}
		return mask
	}
	shape := []int{3, 4}
	require.Equal(t, "only where 0 is expected", where(shape, pick(func(x float64) bool { return x == 0 }), want, true).String())
	require.Equal(t, "only where a negative value is expected", where(shape, pick(func(x float64) bool { return x < 0 }), want, true).String())
	require.Equal(t, "only where a positive value is expected", where(shape, pick(func(x float64) bool { return x > 0 }), want, true).String())
	require.Equal(t, "scattered", where(shape, pick(func(x float64) bool { return x == 0 || x == 5 }), want, true).String())
	masked := []float64{1, math.Inf(-1), math.Inf(-1), 2, 1, math.Inf(-1), 3, math.Inf(-1)}
	require.Equal(t, "only where -Inf is expected",
		where([]int{2, 4}, []bool{false, true, true, false, false, true, false, true}, masked, true).String())
}

// Only a product is computed in tiles: the last numbers of a vector may be wrong
// because they are large.
func TestWhereKnowsNoTilesElsewhere(t *testing.T) {
	mask := make([]bool, 13)
	for i := 8; i < 13; i++ {
		mask[i] = true
	}
	require.Equal(t, "only at positions 8 to 12", where([]int{13}, mask, make([]float64, 13), false).String())
	require.Equal(t, "only at positions 8 to 12 (left over after tiles of 8)", where([]int{13}, mask, make([]float64, 13), true).String())
}

// Random noise has no place: the only words for it are that it has none.
func TestWhereRefusesNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, shape := range [][]int{{6, 8}, {3, 5, 7}, {5, 5}} {
		for range 300 {
			part := 0.2 + 0.5*rng.Float64()
			mask, want := filledMask(shape, func([]int) bool { return rng.Float64() < part })
			require.Contains(t, []string{"", "scattered", "nearly everywhere"}, where(shape, mask, want, true).String())
		}
	}
}
