package diagnose

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFormatAndParse(t *testing.T) {
	marks := answered(map[string]float64{"y": 2.12345678901, "dx": 1})
	s := Store{
		Words:   map[string]Words{"a": {"x < 0 & \"y\"", "why", "hint"}, "b": {"σ′", "why", "hint"}},
		Answers: Known{"a": Of(marks, []string{"forward"}), "a/too": Of(marks, nil)},
	}
	require.Equal(t, map[string]Sketch{"y": sketch(2.12345679)}, s.Answers["a"].Answers)
	again, err := Parse(s.Format())
	require.NoError(t, err)
	require.Equal(t, s, again)
	require.Contains(t, string(s.Format()), `"title":"x < 0 & \"y\""`, "it can be read")

	empty := Store{Words: map[string]Words{}, Answers: Known{}}
	again, err = Parse(empty.Format())
	require.NoError(t, err)
	require.Equal(t, empty, again)
}

// A store that says less than it should is not taken for one that knows little.
func TestDamagedStores(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"cut off":            {`{"words": {`, "fixtures/step05_swiglu/mistakes.json is damaged: the store of the known mistakes cannot be read"},
		"empty":              {``, "cannot be read"},
		"of an older kit":    {`{"a": {"checks": [], "answers": {}}}`, "lacks the words or the answers"},
		"no answers":         {`{"words": {}}`, "lacks the words or the answers"},
		"answers, not words": {`{"words": {"b": {"title": "t", "hint": "h"}}, "answers": {"b/too": {}, "a/too": {}}}`, "has no words for a/too"},
		"an empty entry":     {`{"words": {"a": {"title": "t", "hint": "h"}}, "answers": {"a/too": {}}}`, "is damaged at a/too: it has no answers"},
		"a sum is missing": {`{"words": {"a": {"title": "t", "hint": "h"}}, "answers": {"a": {"answers": {"y": {"sums": [1, 2, 3, 4, 5]}}}}}`,
			"is damaged at a: y has 5 sums, want 6"},
		"no hint": {`{"words": {"a": {"title": "t"}}, "answers": {"a": {}}}`, "has no words for a"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(func(string) ([]byte, error) { return []byte(c.text), nil }, "step05_swiglu")
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := Load(func(string) ([]byte, error) { return nil, fs.ErrNotExist }, "step05_swiglu")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "fixtures/step05_swiglu: the store of the known mistakes is missing")
}
