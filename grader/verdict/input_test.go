package verdict

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// inputTexts are the facts about the inputs of a wrong result.
func inputTexts(got, want wire.Value, inputs ...Array) (texts []string) {
	f := Wrong(lang.Raw("f"), Compare("y", got, want, tolerance), Given{Inputs: inputs})
	_, facts := f.Diff.Facts()
	for _, fact := range facts {
		if fact.Label.String() == "input" {
			texts = append(texts, fact.Text.String())
		}
	}
	return texts
}

// nanAt is an array with NaN where bad says so.
func nanAt(v wire.Value, bad func(i int) bool) wire.Value {
	return edit(v, func(i int, x float32) float32 {
		if bad(i) {
			return float32(nan)
		}
		return x
	})
}

// Where a result is not finite, what is special about the input is what holds there
// and nowhere else; what holds elsewhere too is not said.
func TestSpecialInputs(t *testing.T) {
	want := random(1, 4, 6)
	inRow := func(i int) bool { return i/6 == 2 }
	inColumn := func(i int) bool { return i%6 == 3 }
	at := func(i int) bool { return i == 8 || i == 17 }
	put := func(bad func(i int) bool, number float64) wire.Value {
		return edit(random(2, 4, 6), func(i int, x float32) float32 {
			if bad(i) {
				return float32(number)
			}
			return x
		})
	}
	one := func(i int) bool { return i == 14 } // in row 2
	g := edit(random(3, 6), func(i int, x float32) float32 {
		if i == 3 {
			return 0
		}
		return x
	})
	for _, c := range []struct {
		name string
		bad  func(i int) bool
		x    wire.Value
		want string
	}{
		{"a row with a NaN", inRow, put(one, nan), "where it is not finite, and nowhere else, the row of x holds a NaN"},
		{"a row with an infinity", inRow, put(one, inf), "where it is not finite, and nowhere else, the row of x holds an infinity"},
		{"a masked row", inRow, put(inRow, -inf), "where it is not finite, and nowhere else, x is -Inf"},
		{"a row of zeros", inRow, put(inRow, 0), "where it is not finite, and nowhere else, x is 0"},
		{"large logits", inRow, edit(put(inRow, 90), func(i int, x float32) float32 { return x + float32(i%2) }), "where it is not finite, and nowhere else, x is 90 or more"},
		{"one large logit", inRow, put(one, 800), "where it is not finite, and nowhere else, the row of x holds a number of 800 or more"},
		{"one very negative one", inRow, put(one, -800), "where it is not finite, and nowhere else, the row of x holds a number of -800 or less"},
		{"large elements", at, put(at, 200), "where it is not finite, and nowhere else, x is 200 or more"},
		{"a gain of 0", inColumn, g, "where it is not finite, and nowhere else, x is 0"},
		{"a large number that is elsewhere too", inRow, put(func(i int) bool { return i == 14 || i == 2 }, 800), "the row x[2] goes from "},
		{"a large number beyond the row", inRow, put(func(i int) bool { return i == 2 }, 800), "the row x[2] goes from "},
		{"nothing", inRow, random(2, 4, 6), "the row x[2] goes from "},
		{"everywhere", func(int) bool { return true }, put(func(int) bool { return true }, 800), "the row x[0] goes from 800 to 800"},
		{"NaN between the numbers", inRow, put(func(i int) bool { return i%2 == 1 }, math.NaN()), "with NaN between the numbers"},
		{"no place of its own", inRow, random(2, 5, 7), "x goes from -"},
	} {
		t.Run(c.name, func(t *testing.T) {
			texts := inputTexts(nanAt(want, c.bad), want, Array{"x", c.x})
			require.NotEmpty(t, texts)
			require.Contains(t, texts[0], c.want)
		})
	}
	masked := put(inRow, -inf)
	rows := nanAt(random(4, 4, 5), func(i int) bool { return i/5 == 2 })
	require.Equal(t, "where it is not finite, and nowhere else, the row of x is nothing but -Inf", inputTexts(rows, random(4, 4, 5), Array{"x", masked})[0])
	require.NotContains(t, inputTexts(scale(want, times1(2)), want, Array{"x", masked}), "finite", "where all is finite")
}

func TestSmallInputsArePrinted(t *testing.T) {
	want := random(1, 2, 3)
	got := edit(want, func(i int, x float32) float32 { return x + float32(i/5) })
	x := wire.Float32s([]float32{1, -2.5, 1e20, float32(inf), 0.125, 6}, 2, 3)
	ids := wire.Ints([]int64{3, 0}, 2)
	require.Equal(t, []string{"x = [[1 -2.5 1e+20] [+Inf 0.125 6]]", "ids = [3 0]"},
		inputTexts(got, want, Array{"x", x}, Array{"ids", ids}, Array{"axis", wire.Int(1)}, Array{"w", random(2, 9, 9)}, Array{"none", wire.Float32s(nil, 0, 3)}))
	require.Len(t, inputTexts(got, want, Array{"a", x}, Array{"b", x}, Array{"c", x}, Array{"d", x}), 3)
	model := slices.Repeat([]Array{{"gain", x}}, 7)
	require.Equal(t, []string{"ids = [3 0]"}, inputTexts(got, want, append(model, Array{"ids", ids})...), "one gain of a model explains nothing")
	mask := wire.Bools([]bool{true, false}, 2)
	require.Equal(t, []string{"mask = [true false]"}, inputTexts(got, want, Array{"mask", mask}))

	large := random(3, 4, 5)
	require.Equal(t, []string{"x[3, 0] = " + significant(float64(random(4, 4, 5).F32[15]), 4)},
		inputTexts(edit(large, func(i int, v float32) float32 { return v + float32(i/15) }), large, Array{"x", random(4, 4, 5)}, Array{"axis", wire.Int(1)}))
	require.Empty(t, inputTexts(scale(large, times1(2)), large, Array{"x", random(4, 4, 5)}, Array{"w", random(5, 9, 9)}), "no number of x is that of y")
	require.Empty(t, inputTexts(wire.Float32s(large.F32, 20), large, Array{"x", x}), "of a wrong shape the shapes are all that there is to say")
}
