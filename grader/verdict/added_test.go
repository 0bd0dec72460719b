package verdict

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// plus adds f of the place to every element.
func plus(v wire.Value, f func(i int) float64) wire.Value {
	return edit(v, func(i int, x float32) float32 { return float32(float64(x) + f(i)) })
}

// TestExplainAdded tells what was added to what is expected.
func TestExplainAdded(t *testing.T) {
	want, x, g, c := random(1, 4, 5), random(2, 4, 5), vector(0.5, -1.25, 2, 0.75, 1), vector(3, -0.5, 0.25, 1)
	wide, small := random(5, 3, 4, 6), random(6, 2, 3)
	given := Given{Inputs: []Array{{"x", x}, {"g", g}}}
	of := func(v wire.Value, at func(i int) int, f float64) func(i int) float64 {
		return func(i int) float64 { return f * Numbers(v)[at(i)] }
	}
	same := func(i int) int { return i }
	column, row := func(i int) int { return i % 5 }, func(i int) int { return i / 5 }
	for name, e := range map[string]struct {
		got, want wire.Value
		given     Given
		id, text  string
	}{
		"an input":                 {plus(want, of(x, same, 1)), want, given, "added-input", "Your output is what is expected plus the input x everywhere."},
		"less an input":            {plus(want, of(x, same, -1)), want, given, "added-input", "Your output is what is expected minus the input x everywhere."},
		"a third of an input":      {plus(want, of(x, same, 1./3)), want, given, "added-input", "Your output is what is expected plus 0.3333 (1/3) times the input x everywhere."},
		"an input in places":       {plus(want, func(i int) float64 { return float64(i%2) * float64(x.F32[i]) }), want, given, "added-input", "Where it is wrong, your output is what is expected plus the input x."},
		"an input of columns":      {plus(want, of(g, column, 1)), want, given, "added-input", "Your output is what is expected plus the input g everywhere."},
		"a multiple of an input":   {scale(x, times1(-0.7)), want, given, "multiple-of-input", "Your output is -0.7 times the input x everywhere."},
		"what is no input":         {plus(want, of(random(7, 4, 5), same, 1)), want, given, "", ""},
		"an input, but for one":    {plus(plus(want, of(x, same, 1)), func(i int) float64 { return float64(1 - min(i, 1)) }), want, given, "", ""},
		"seven elements":           {plus(random(8, 7), func(i int) float64 { return float64(i * i) }), random(8, 7), Given{Inputs: []Array{{"x", vector(0, 1, 4, 9, 16, 25, 36)}}}, "", ""},
		"two inputs that are one":  {plus(want, of(x, same, 1)), want, Given{Inputs: []Array{{"x", x}, {"also", x}}}, "", ""},
		"an input of three values": {plus(want, func(i int) float64 { return float64(i % 3) }), want, Given{Inputs: []Array{{"x", plus(scale(x, times1(0)), func(i int) float64 { return float64(i % 3) })}}}, "", ""},
		"numbers for columns":      {plus(want, of(g, column, 1)), want, Given{}, "added-by-column", "Your output is what is expected plus one number for each column (index of the last axis), the same in every row, from -1.25 to 2."},
		"numbers for rows":         {plus(want, of(c, row, 1)), want, Given{}, "added-by-row", "Your output is what is expected plus one number for each row (along the last axis), from -0.5 to 3."},
		"numbers for a plane":      {plus(wide, func(i int) float64 { return float64(i/24*6+i%6) / 7 }), wide, Given{}, "added-along-axis", "The difference between your output and what is expected is the same at every index of axis 1."},
		"multiples of rows":        {plus(want, func(i int) float64 { return float64(1+i/5) / 4 * float64(x.F32[i]) }), want, given, "added-row-multiples", "In every row your output is what is expected plus a multiple of the row of x, from 0.25 to 1 times: look at the term that is a multiple of x, and at the one number of the row that stands before it, such as a mean or a sum."},
		"multiples, but for one":   {plus(want, func(i int) float64 { return float64(1+i/5)/4*float64(x.F32[i]) + float64(1-min(i, 1)) }), want, given, "", ""},
		"too few elements":         {plus(small, func(i int) float64 { return float64(i % 3) }), small, Given{}, "", ""},
		"columns, but for one":     {plus(plus(want, of(g, column, 1)), func(i int) float64 { return float64(1 - min(i, 1)) }), want, Given{}, "", ""},
		"columns, and NaN":         {plus(want, func(i int) float64 { return float64(i%5) / float64(min(i, 1)) }), want, Given{}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := Explain(e.got, e.want, tolerance, e.given)
			if e.id == "" {
				require.Nil(t, s)
				return
			}
			require.NotNil(t, s)
			require.Equal(t, e.id, s.ID)
			require.Equal(t, e.text, s.Text.String())
		})
	}
}

// TestConfirmAdded holds what was added against a case of another size: the factor is a
// size if it changes with it, and the input must be added there too.
func TestConfirmAdded(t *testing.T) {
	made := func(seed uint64, rows, columns int, f float64) Case {
		want, x := random(seed, rows, columns), random(seed+10, rows, columns)
		return Case{lang.Raw("another case"), plus(want, func(i int) float64 { return f * float64(x.F32[i]) }), want, tolerance,
			Given{Inputs: []Array{{"x", x}}, Named: map[string]float64{"D": float64(columns)}}}
	}
	text := func(first Case, others ...Case) string {
		f := Wrong(lang.Raw("f"), Compare("y", first.Got, first.Want, tolerance), first.Given)
		f.Confirm(slices.Values(others))
		return f.Diagnosis.Text.String()
	}
	root := func(n float64) float64 { return 1 / math.Sqrt(n) }
	require.Equal(t, "Your output is what is expected plus 0.378 (1/√D) times the input x everywhere.", text(made(1, 3, 7, root(7)), made(2, 4, 6, root(6))))
	require.Equal(t, "Your output is what is expected plus the input x everywhere.", text(made(1, 3, 7, 1), made(2, 4, 6, 1)))
	require.Contains(t, text(made(1, 3, 7, 1), made(2, 4, 6, -1)), "In another case it is otherwise. With another case: Your output is what is expected minus the input x everywhere.")
	rows := func(seed uint64, f func(i int) float64) Case {
		want := random(seed, 5, 6)
		return Case{lang.Raw("another case"), plus(want, f), want, tolerance, Given{}}
	}
	first := rows(1, func(i int) float64 { return float64(i/6) / 3 })
	require.NotContains(t, text(first, rows(2, func(i int) float64 { return float64(7-i/6) / 9 })), "alone")
	require.Contains(t, text(first, rows(3, func(i int) float64 { return float64(i) / 9 })), "That is so in this case alone")
}
