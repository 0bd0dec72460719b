package verdict

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// sized is a case of a function that is asked with B batches of T rows of D.
func sized(seed uint64, b, t, d int, wrong func(want wire.Value, b, t, d int) wire.Value) Case {
	want := random(seed, b, t, d)
	return Case{lang.Raw("another case"), wrong(want, b, t, d), want, tolerance, Given{Named: map[string]float64{"B": float64(b), "T": float64(t), "D": float64(d)}}}
}

// What is said of a case is held against others before it is said as a rule.
func TestConfirm(t *testing.T) {
	by := func(f func(b, t, d int) float64) func(wire.Value, int, int, int) wire.Value {
		return func(want wire.Value, b, t, d int) wire.Value { return scale(want, times1(f(b, t, d))) }
	}
	right := func(want wire.Value, _, _, _ int) wire.Value { return want }
	backwards := func(want wire.Value, _, _, d int) wire.Value {
		return rearrange(want, func(i int) int { return i/d*d + d - 1 - i%d })
	}
	rolled := func(want wire.Value, _, _, d int) wire.Value {
		return rearrange(want, func(i int) int { return i/d*d + (i%d+d-1)%d })
	}
	rows := func(least int) func(want wire.Value, _, _, d int) wire.Value {
		return func(want wire.Value, _, _, d int) wire.Value {
			return scale(want, func(i int) float64 { return float64(least + i/d) })
		}
	}
	zeros := by(func(int, int, int) float64 { return 0 })
	infinite := func(sign int) func(wire.Value, int, int, int) wire.Value {
		return func(want wire.Value, _, _, _ int) wire.Value {
			got := want
			got.F32 = slices.Repeat([]float32{float32(math.Inf(sign))}, want.Len())
			return got
		}
	}
	for _, c := range []struct {
		name        string
		wrong, then func(want wire.Value, b, t, d int) wire.Value
		sizes       [][3]int // of the first case, and of the others
		want        string
	}{
		{"one case alone", by(func(b, _, _ int) float64 { return 1 / math.Sqrt(float64(b)) }), nil, [][3]int{{2, 3, 5}},
			"Your output is 0.7071 times what is expected everywhere."},
		{"a size that is the same", by(func(b, _, _ int) float64 { return 1 / math.Sqrt(float64(b)) }), nil, [][3]int{{2, 3, 5}, {2, 4, 6}},
			"Your output is 0.7071 times what is expected everywhere."},
		{"1/√B", by(func(b, _, _ int) float64 { return 1 / math.Sqrt(float64(b)) }), nil, [][3]int{{2, 3, 5}, {2, 4, 6}, {3, 3, 5}},
			"Your output is 0.7071 (1/√B) times what is expected everywhere."},
		{"0.7071, and not 1/√B", by(func(int, int, int) float64 { return math.Sqrt(0.5) }), nil, [][3]int{{2, 3, 5}, {3, 4, 7}},
			"Your output is 0.7071 times what is expected everywhere."},
		{"2, and not B", by(func(int, int, int) float64 { return 2 }), nil, [][3]int{{2, 3, 5}, {3, 4, 7}},
			"Your output is 2 times what is expected everywhere."},
		{"B, and not 2", by(func(b, _, _ int) float64 { return float64(b) }), nil, [][3]int{{2, 3, 5}, {3, 4, 7}},
			"Your output is 2 (B) times what is expected everywhere."},
		{"B or T", by(func(b, _, _ int) float64 { return float64(b) }), nil, [][3]int{{5, 5, 7}, {6, 6, 9}},
			"Your output is 5 times what is expected everywhere. With other sizes it is another factor."},
		{"another factor", by(func(b, _, d int) float64 { return float64(b + d) }), nil, [][3]int{{2, 3, 5}, {3, 4, 7}},
			"Your output is 7 times what is expected everywhere. In another case it is otherwise. With another case: Your output is 10 times what is expected everywhere."},
		{"twice, and right in another", by(func(int, int, int) float64 { return 2 }), right, [][3]int{{2, 3, 5}, {3, 4, 7}},
			"Your output is 2 times what is expected everywhere."},
		{"twice, then backwards", by(func(int, int, int) float64 { return 2 }), backwards, [][3]int{{2, 3, 5}, {3, 4, 7}},
			"Your output is 2 times what is expected everywhere. In another case it is otherwise. With another case: Your output is what is expected in reverse order along axis 2."},
		{"twice, then anything", by(func(int, int, int) float64 { return 2 }), func(want wire.Value, b, t, d int) wire.Value { return random(99, b, t, d) }, [][3]int{{2, 3, 5}, {3, 4, 7}},
			"Your output is 2 times what is expected everywhere. That is so in this case alone; it is not with another case."},
		{"backwards", backwards, nil, [][3]int{{2, 3, 5}, {3, 4, 7}}, "Your output is what is expected in reverse order along axis 2."},
		{"two columns, backwards or rolled", rolled, nil, [][3]int{{2, 3, 2}, {3, 4, 7}},
			"Your output is what is expected in reverse order along axis 2. In another case it is otherwise. With another case: Your output is rolled by one along axis 2: index i holds what is expected at i − 1, and the first what is expected at the last."},
		{"rolled, and two columns", rolled, nil, [][3]int{{2, 3, 5}, {3, 4, 2}}, "Your output is rolled by one along axis 2: index i holds what is expected at i − 1, and the first what is expected at the last."},
		{"rows", rows(2), nil, [][3]int{{2, 3, 5}, {3, 4, 2}}, "Each row (along the last axis) of your output has a factor of its own, from 2 to 7" + rowAdvice().String()},
		{"rows, then columns", rows(2), backwards, [][3]int{{2, 3, 5}, {3, 4, 6}}, "Each row (along the last axis) of your output has a factor of its own, from 2 to 7" + rowAdvice().String() + " In another case it is otherwise. With another case: Your output is what is expected in reverse order along axis 2."},
		{"zero", zeros, nil, [][3]int{{2, 3, 5}, {3, 4, 7}}, "Your output is 0 everywhere."},
		{"−∞", infinite(-1), nil, [][3]int{{2, 3, 5}, {3, 4, 7}}, "Your output is -Inf everywhere."},
		{"−∞, then ∞", infinite(-1), infinite(1), [][3]int{{2, 3, 5}, {3, 4, 7}},
			"Your output is -Inf everywhere. In another case it is otherwise. With another case: Your output is +Inf everywhere."},
	} {
		t.Run(c.name, func(t *testing.T) {
			then := c.then
			if then == nil {
				then = c.wrong
			}
			first := sized(1, c.sizes[0][0], c.sizes[0][1], c.sizes[0][2], c.wrong)
			var others []Case
			for i, s := range c.sizes[1:] {
				others = append(others, sized(uint64(2+i), s[0], s[1], s[2], then))
			}
			f := Wrong(lang.Raw("f"), Compare("y", first.Got, first.Want, tolerance), first.Given)
			f.Confirm(slices.Values(others))
			require.Equal(t, c.want, f.Diagnosis.Text.String())
			require.Equal(t, ByStructure, f.Diagnosis.Kind)
		})
	}
}

// A mistake that has a name is not a structure, and neither is a panic.
func TestConfirmLeavesOtherDiagnoses(t *testing.T) {
	others := func(func(Case) bool) { t.Error("asked for other cases") }
	x := random(1, 2, 3)
	f := Wrong(lang.Raw("f"), Compare("y", scale(x, times1(2)), x, tolerance), Given{})
	f.Diagnosis = Diagnosis{Kind: Mistake, Text: lang.Raw("as without √K")}
	f.Confirm(others)
	require.Equal(t, "as without √K", f.Diagnosis.Text.String())
	(&Failure{Kind: Panic}).Confirm(others)
	Wrong(lang.Raw("f"), Compare("y", random(2, 2, 3), x, tolerance), Given{}).Confirm(others)
}

// Whatever noise another case is, it never makes a sentence about the first.
func TestConfirmInAnotherShape(t *testing.T) {
	x, y := random(1, 2, 3, 4), random(2, 3, 5, 6)
	f := Wrong(lang.Raw("f"), Compare("y", wire.Float32s(x.F32, 6, 4), x, tolerance), Given{})
	f.Confirm(slices.Values([]Case{{lang.Raw("y (3, 5, 6)"), wire.Float32s(y.F32, 15, 6), y, tolerance, Given{}}}))
	require.Equal(t, "The values are right and in the right order, the shape is not.", f.Diagnosis.Text.String())
	f.Confirm(slices.Values([]Case{{lang.Raw("y (3, 5, 6)"), random(3, 15, 6), y, tolerance, Given{}}}))
	require.Equal(t, "The values are right and in the right order, the shape is not. That is so in this case alone; it is not with y (3, 5, 6).", f.Diagnosis.Text.String())
}
