package rules

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/reference/wire"
)

// find returns the rule of a function with a sentence.
func find(t *testing.T, function string, in wire.Values, said string, derivative bool) Rule {
	t.Helper()
	all, err := Of(function, in)
	require.NoError(t, err)
	for _, r := range all {
		if r.Text().String() == said && r.derivative == derivative {
			return r
		}
	}
	require.Fail(t, "no rule says: "+said)
	return Rule{}
}

// What a rule says is what it computes: here a row of two numbers, whose answers are
// soon computed by hand.
func TestRulesOfRMSNorm(t *testing.T) {
	const eps = 1e-5
	in := wire.Values{"x": wire.Float32s([]float32{3, 4}, 1, 2), "g": wire.Float32s([]float32{2, 0.5}, 2),
		"dy": wire.Float32s([]float32{1, 2}, 1, 2), "dg_before": wire.Float32s([]float32{10, 20}, 2)}
	forward := wire.Values{"x": in["x"], "g": in["g"]}
	r := 1 / math.Sqrt(12.5+eps)
	for said, want := range map[string][]float64{
		"y lacks the factor g":                                            {3 * r, 4 * r},
		"h lacks the factor r":                                            {6, 2},
		"Σ(x²) stands in the place of mean(x²), in r":                     {6 / math.Sqrt(25+eps), 2 / math.Sqrt(25+eps)},
		"mean(x²) stands in the place of mean(x²) + ε, in r":              {6 / math.Sqrt(12.5), 2 / math.Sqrt(12.5)},
		"mean(x²) leaves the last element out":                            {6 / math.Sqrt(4.5+eps), 2 / math.Sqrt(4.5+eps)},
		"r is 1/(mean(x²) + ε) instead of 1/√(mean(x²) + ε)":              {6 / (12.5 + eps), 2 / (12.5 + eps)},
		"r is 1/(√(mean(x²)) + ε) instead of 1/√(mean(x²) + ε)":           {6 / (math.Sqrt(12.5) + eps), 2 / (math.Sqrt(12.5) + eps)},
		"y is divided by √D at the end":                                   {6 * r / math.Sqrt2, 2 * r / math.Sqrt2},
		"y contains x in addition":                                        {6*r + 3, 2*r + 4},
		"0 stands in the last place of every row of y":                    {6 * r, 0},
		"|x| stands in the place of x², in r, and y lacks the factor g":   {3 / math.Sqrt(3.5+eps), 4 / math.Sqrt(3.5+eps)},
		"max(mean(x²), ε) stands in the place of mean(x²) + ε, in r":      {6 / math.Sqrt(12.5), 2 / math.Sqrt(12.5)},
		"mean(x²) is divided by one less than the number of its elements": {6 / math.Sqrt(25+eps), 2 / math.Sqrt(25+eps)},
	} {
		t.Run(said, func(t *testing.T) {
			var rule Rule
			if all, err := Of("rmsnorm.forward", forward); err == nil {
				for _, p := range append(all, pairs(all)...) {
					if p.Text().String() == said {
						rule = p
					}
				}
			}
			require.NotEmpty(t, rule.ID, "no rule says so")
			out, err := rule.Eval("rmsnorm.forward", forward, nil)
			require.NoError(t, err)
			require.InDeltaSlice(t, want, out["y"].F64, 1e-12)
		})
	}

	dh := []float64{2, 1}
	mean := (dh[0]*3*r + dh[1]*4*r) / 2
	dx := []float64{r * (dh[0] - 3*r*mean), r * (dh[1] - 4*r*mean)}
	dg := []float64{10 + 3*r, 20 + 8*r}
	for said, want := range map[string]struct{ dx, dg []float64 }{
		"dx lacks what reaches it through x²":           {[]float64{r * dh[0], r * dh[1]}, dg},
		"what reaches dx through x² has the wrong sign": {[]float64{r * (dh[0] + 3*r*mean), r * (dh[1] + 4*r*mean)}, dg},
		"dx lacks the term dh ⊙ r":                      {[]float64{dx[0] - r*dh[0], dx[1] - r*dh[1]}, dg},
		"dg has the factor g too much":                  {dx, []float64{10 + 6*r, 20 + 4*r}},
		"dg is 0":                                       {dx, []float64{10, 20}},
	} {
		t.Run(said, func(t *testing.T) {
			out, err := find(t, "rmsnorm.backward", in, said, true).Eval("rmsnorm.backward", in, nil)
			require.NoError(t, err)
			require.InDeltaSlice(t, want.dx, out["dx"].F64, 1e-12)
			require.InDeltaSlice(t, want.dg, out["dg"].F64, 1e-12)
		})
	}
}

// A rule of another formula says so, and what is given is not changed by one.
func TestElsewhere(t *testing.T) {
	in := wire.Values{"ids": wire.Ints([]int64{1, 0, 2, 2}, 2, 2), "w": wire.Float32s([]float32{1, 2, 3}, 3, 1)}
	rule := find(t, "embedding.forward", in, "the first row of ids is used for all rows", false)
	out, err := rule.Eval("embedding.forward", in, nil)
	require.NoError(t, err)
	require.Equal(t, []float64{2, 1, 2, 1}, out["y"].F64)
	require.Equal(t, []int64{1, 0, 2, 2}, in["ids"].I64)

	_, err = rule.Eval("silu.forward", wire.Values{"x": wire.Float32s([]float32{1}, 1)}, nil)
	require.True(t, errors.Is(err, ErrElsewhere))
	_, err = Of("silu.sideways", in)
	require.Error(t, err)
}

// Of the rules that are stored, each is told as itself by its answers, or not at all:
// never as another. A solution is told nothing.
func TestStoredRules(t *testing.T) {
	set, err := fixtures.Load()
	require.NoError(t, err)
	for _, step := range registry.Steps() {
		t.Run(step.ID, func(t *testing.T) {
			stored, err := diagnose.LoadRules(fixtures.Rules, step.Folder)
			require.NoError(t, err)
			known, err := diagnose.Load(fixtures.Mistakes, step.Folder)
			require.NoError(t, err)
			m := &maker{set: set, store: stored, right: map[string]map[string]diagnose.Mark{}}
			for f := range stored.Marks {
				m.right[f] = map[string]diagnose.Mark{}
				for _, c := range set.Cases(f) {
					addMarks(m.right[f], c, c.Out)
				}
				require.Equal(t, sortedNames(m.right[f]), stored.Marks[f], "to store them anew: grade dev mutate %s --rules", step.ID)
			}
			told := 0
			for i := range stored.Rules {
				r := &stored.Rules[i]
				marks := map[string]diagnose.Mark{}
				for f := range stored.Marks {
					changed := m.marksOf(r, f)
					if changed == nil {
						changed = m.right[f]
					}
					for name, mark := range changed {
						mark.Got.RMS = mark.Want.RMS
						marks[name] = mark
					}
				}
				said := explained(t, stored, diagnose.Known{}, marks, step.FunctionNames())
				for _, text := range said {
					require.Contains(t, text, r.Text().String(), r.ID)
				}
				if len(said) > 0 {
					told++
				}
			}
			require.GreaterOrEqual(t, float64(told), 0.8*float64(len(stored.Rules)), "of %d", len(stored.Rules))
			right := map[string]diagnose.Mark{}
			for _, marks := range m.right {
				for name, mark := range marks {
					right[name] = mark
				}
			}
			require.Empty(t, explained(t, stored, known.Answers, right, step.FunctionNames()))
		})
	}
}

// explained returns what is said about each function.
func explained(t *testing.T, rules diagnose.Rules, known diagnose.Known, marks map[string]diagnose.Mark, functions []string) []string {
	t.Helper()
	d, err := diagnose.Store{Answers: known}.Diagnose(marks, functions, func() (diagnose.Rules, error) { return rules, nil })
	require.NoError(t, err)
	var said []string
	for _, f := range functions {
		if why, known := d.For(f); known {
			said = append(said, why.Text.String())
		}
	}
	return said
}
