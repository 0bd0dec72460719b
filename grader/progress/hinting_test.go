package progress

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
)

func layer() *course.Step {
	return &course.Step{ID: "step02", Checks: []course.Check{{ID: "f"}, {ID: "f.fresh"}, {ID: "f.bad_input"}, {ID: "g"}}, Hints: []course.Hint{
		{For: "f", Text: "formula"}, {For: "f.bad_input", Text: "check first"}, {For: "g", Text: "derivative"}, {For: "g", Text: "code"},
	}}
}

// Hints belong to the check that failed: not to one that was left out of the points,
// and not to one that is not written yet as long as another is wrong.
func TestFirstFailed(t *testing.T) {
	for _, c := range []struct {
		name   string
		checks map[string]string // none: no attempt
		want   string
	}{
		{"no attempt", nil, "f"},
		{"all passed", map[string]string{"f": "passed", "f.fresh": "passed", "f.bad_input": "passed", "g": "passed"}, "f"},
		{"left out", map[string]string{"f": "passed", "f.bad_input": "wrong_values", "g": "wrong_values"}, "f.bad_input"},
		{"left out, the others passed", map[string]string{"f": "passed", "g": "passed"}, "f"},
		{"first of two", map[string]string{"f": "passed", "f.fresh": "not_finite", "g": "panic"}, "f.fresh"},
		{"not written", map[string]string{"f": "not_implemented", "f.fresh": "not_implemented", "f.bad_input": "not_implemented", "g": "wrong_values"}, "g"},
		{"nothing written", map[string]string{"f": "passed", "f.fresh": "not_implemented", "g": "not_implemented"}, "f.fresh"},
	} {
		t.Run(c.name, func(t *testing.T) {
			attempts := []Attempt{{Step: "step02", Checks: map[string]string{"g": "panic"}}, {Step: "step02", Checks: c.checks}, {Step: "step03", Checks: map[string]string{"g": "panic"}}}
			if c.checks == nil {
				attempts = attempts[2:]
			}
			require.Equal(t, c.want, FirstFailed(layer(), attempts))
		})
	}
}

// A way of failing has hints of its own, which come first and are counted on their
// own; what was shown keeps its number.
func TestHintsOnTheWayOfFailing(t *testing.T) {
	h, step := newHistory(t), layer()
	fail := func(kind string) {
		require.NoError(t, h.Append(Attempt{Step: "step02", Checks: map[string]string{"f": "passed", "f.fresh": "passed", "f.bad_input": "passed", "g": kind}}))
	}
	reveal := func() Hint {
		hint, err := h.RevealHint(step)
		require.NoError(t, err)
		return hint
	}
	fail("wrong_values")
	require.Equal(t, Hint{"g", 1, 2, "derivative"}, reveal())
	fail("not_finite")
	nan := reveal()
	require.Equal(t, 2, nan.N)
	require.Equal(t, 3, nan.Of)
	require.Contains(t, nan.Text, "NaN and Inf come from few operations")
	require.Equal(t, Hint{"g", 3, 3, "code"}, reveal())
	require.Equal(t, Hint{"g", 3, 3, "code"}, reveal(), "the last one again")
	fail("wrong_values")
	attempts, err := h.Attempts()
	require.NoError(t, err)
	require.Equal(t, 2, HintingAt(step, attempts).Seen)
	require.Len(t, HintingAt(step, attempts).Hints, 2)
}

// Where the mistake has been named, nothing general is said first.
func TestHintsOnANamedMistake(t *testing.T) {
	h, step := newHistory(t), layer()
	require.NoError(t, h.Append(Attempt{Step: "step02", Named: []string{"g"},
		Checks: map[string]string{"f": "blocked", "f.fresh": "passed", "f.bad_input": "passed", "g": "not_finite"}}))
	hint, err := h.RevealHint(step)
	require.NoError(t, err)
	require.Equal(t, Hint{"g", 1, 2, "derivative"}, hint)
}
