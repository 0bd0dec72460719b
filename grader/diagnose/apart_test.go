package diagnose

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// some are cases with random sizes, of which those are wrong that a rule says.
func some(seed uint64, n int, wrong func(axis, t, d int) bool) []Tried {
	rng := rand.New(rand.NewPCG(seed, 1))
	var cases []Tried
	for i := range n {
		axis, t, d := rng.IntN(6)-3, 1+rng.IntN(12), 1+rng.IntN(40)
		cases = append(cases, Tried{Source: i, Wrong: wrong(axis, t, d), Traits: []Trait{
			{Name: "axis", Value: float64(axis)}, {Name: "axis", Phrase: AxisFromEnd, Value: float64((axis+3)%3 - 3)},
			{Name: "T", Value: float64(t)}, {Name: "D", Value: float64(d)}}})
	}
	return cases
}

// TestApart says what the wrong cases have in common and the right ones have not.
func TestApart(t *testing.T) {
	chance := rand.New(rand.NewPCG(9, 9))
	for name, c := range map[string]struct {
		wrong func(axis, t, d int) bool
		want  string
	}{
		"one axis":          {func(axis, _, _ int) bool { return axis == -3 }, `^It is wrong only where axis is -3, and right where it is -2, -1, 0, 1 or 2\. So it is in 40 calls, of which \d are wrong\.$`},
		"all axes but one":  {func(axis, _, _ int) bool { return axis != 2 }, `^It is right only where axis is 2, and wrong where it is -3, -2, -1, 0 or 1\.`},
		"all but the last":  {func(axis, _, _ int) bool { return axis != 2 && axis != -1 }, `^It is right only where the axis, counted from the end, is -1, and wrong where it is -3 or -2\.`},
		"long rows":         {func(_, t, _ int) bool { return t > 8 }, `^It is wrong where T is 9 or more, and right where it is 8 or less\.`},
		"short rows":        {func(_, t, _ int) bool { return t < 4 }, `^It is wrong where T is 3 or less, and right where it is 4 or more\.`},
		"one token":         {func(_, t, _ int) bool { return t == 1 }, `^It is wrong only where T is 1, and right where it is 2 to 12\.`},
		"odd widths":        {func(_, _, d int) bool { return d%2 == 1 }, `^It is wrong only where D is no multiple of 2\.`},
		"widths of fours":   {func(_, _, d int) bool { return d%4 == 0 }, `^It is wrong only where D is a multiple of 4\.`},
		"nothing":           {func(int, int, int) bool { return false }, `^$`},
		"everything":        {func(int, int, int) bool { return true }, `^$`},
		"two sizes":         {func(_, t, d int) bool { return t > 8 || d > 30 }, `^$`},
		"by chance":         {func(int, int, int) bool { return chance.IntN(2) == 0 }, `^$`},
		"products of sizes": {func(_, t, d int) bool { return t*d > 100 }, `^$`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Regexp(t, c.want, Apart(some(3, 40, c.wrong)).String())
		})
	}
}

// TestApartNeedsCases tells nothing from too few cases, from cases of one source, from
// traits that are one, and where the same case is now wrong and now right.
func TestApartNeedsCases(t *testing.T) {
	long := func(_, t, _ int) bool { return t > 8 }
	require.Empty(t, Apart(nil).String())
	require.Empty(t, Apart(some(3, 5, long)).String())
	require.NotEmpty(t, Apart(some(3, 20, long)).String())

	alike := some(3, 20, long)
	for i := range alike {
		if alike[i].Wrong {
			alike[i].Source = 0
		}
	}
	require.Empty(t, Apart(alike).String())

	twice := some(3, 20, long)
	for i := range twice {
		twice[i].Traits = append(twice[i].Traits, Trait{Name: "N", Value: twice[i].Traits[2].Value})
	}
	require.Empty(t, Apart(twice).String(), "T or N")

	torn := some(3, 20, long)
	torn = append(torn, Tried{Traits: torn[0].Traits, Wrong: !torn[0].Wrong, Source: 99})
	require.Empty(t, Apart(torn).String())

	repeated := some(3, 6, long)
	for range 5 {
		repeated = append(repeated, repeated[:6]...)
	}
	require.Empty(t, Apart(repeated).String(), "six cases, six times")
}

// TestApartByChance counts how often random verdicts are taken for a rule.
func TestApartByChance(t *testing.T) {
	rng, said := rand.New(rand.NewPCG(4, 4)), 0
	const trials = 3000
	for i := range uint64(trials) {
		cases := some(i, 12, func(int, int, int) bool { return rng.IntN(4) == 0 })
		if !Apart(cases).Empty() {
			said++
		}
	}
	require.LessOrEqual(t, said, int(trials*byAccident))
}

// TestApartPositions speaks of positions that are counted, which is no number.
func TestApartPositions(t *testing.T) {
	var cases []Tried
	for i := range 12 {
		counted := float64(i % 2)
		cases = append(cases, Tried{Source: i, Wrong: counted == 0, Traits: []Trait{
			{Phrase: PositionsCounted, Value: counted}, {Name: "T", Value: float64(i)}, {Phrase: NumberOfDimensions, Value: float64(i % 3)}}})
	}
	cases[2].Traits[1].Value = 3 // T tells even from odd as well
	require.Equal(t, "It is right only where the positions of every row are 0, 1, 2, …. So it is in 12 calls, of which 6 are wrong.", Apart(cases).String())
	for i := range cases {
		cases[i].Wrong = !cases[i].Wrong
	}
	require.Contains(t, Apart(cases).String(), "It is wrong only where the positions of every row are 0, 1, 2, …")
}
