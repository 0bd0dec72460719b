package diagnose

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/verdict"
)

// A mistake is told in full once; its other checks only say that it is the same,
// and a check that it does not make fail says nothing of it.
func TestDiagnosisFor(t *testing.T) {
	s := Store{
		Words:   map[string]Words{"a": {Title: "a is forgotten", Hint: "Remember a."}},
		Answers: Known{"a": Of(answered(map[string]float64{"y": 2}), []string{"forward", "backward"})},
	}
	none := func() (Rules, error) { return Rules{}, nil }
	d, err := s.Diagnose(answered(map[string]float64{"y": 2}), nil, none)
	require.NoError(t, err)
	first, known := d.For("forward")
	require.True(t, known)
	require.Equal(t, verdict.Mistake, first.Kind)
	require.Equal(t, "a", first.ID)
	require.Equal(t, "Your output matches exactly what you get when a is forgotten.\nFix: Remember a.", first.Text.String())
	require.Equal(t, []verdict.Known{{ID: "a", Title: lang.Of("a is forgotten"), Advice: lang.Of("Remember a.")}}, first.Known)

	second, known := d.For("backward")
	require.True(t, known)
	require.Equal(t, "The mistake named above makes this check fail too: a is forgotten.", second.Text.String())
	require.Equal(t, first.Known, second.Known)

	_, known = d.For("another")
	require.False(t, known)
	d, err = s.Diagnose(answered(map[string]float64{"y": 3}), nil, none)
	require.NoError(t, err)
	_, known = d.For("forward")
	require.False(t, known, "no known mistake answers 3")
}

// How closely the answers agree is said in words that fit it.
func TestWordsTell(t *testing.T) {
	for name, tt := range map[string]struct {
		found Found
		want  string
	}{
		"exactly":      {Found{}, "Your output matches exactly what you get when t.\nFix: h"},
		"by its shape": {Found{Shape: true}, "Your output has the shape that it has when t.\nFix: h"},
		"by float32":   {Found{Agreement: 3e-7}, "Your output matches (to 3e-07) what you get when t.\nFix: h"},
		"by chance":    {Found{Agreement: 0.01}, "Your output matches, within what chance allows, what you get when t.\nFix: h"},
		"by a curve":   {Found{Agreement: 0.01, Curve: true}, "Your loss curve has the shape (to 1e-02) that it has when t.\nFix: h"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, tell(tt.found, lang.Raw("t"), lang.Raw("h"), false).String())
		})
	}
}

// What a title rests on is said with it, where that is not the answers themselves.
func TestSure(t *testing.T) {
	for name, tt := range map[string]struct {
		found Found
		want  string
	}{
		"exactly":    {Found{}, "t"},
		"by float32": {Found{Agreement: 3e-7}, "t"},
		"by chance":  {Found{Agreement: 0.01}, "within what chance allows, t"},
		"by a curve": {Found{Agreement: 0.01, Curve: true}, "by the shape of the loss curve, t"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, tt.found.sure(lang.Raw("t")).String()) })
	}
}

// A version is told as what it is, if it is the only one, and not by a name that
// speaks of what answers otherwise.
func TestTitles(t *testing.T) {
	s := Store{Words: map[string]Words{"a": {Title: "a is forgotten"}, "a/half": {Title: "half of a is forgotten"}}}
	for name, tt := range map[string]struct {
		found Found
		want  string
	}{
		"the mistake itself":       {Found{ID: "a", Version: "a"}, "a is forgotten"},
		"one of several versions":  {Found{ID: "a"}, "a is forgotten"},
		"a version with a title":   {Found{ID: "a", Version: "a/half"}, "half of a is forgotten"},
		"in one of its functions":  {Found{ID: "a", Version: "a/half", Partly: true}, "half of a is forgotten"},
		"a version by its name":    {Found{ID: "a", Version: "a/forward-only"}, "a is forgotten, in the forward pass alone"},
		"which is not all of it":   {Found{ID: "a", Version: "a/derivative-too", Partly: true}, "a is forgotten"},
		"in the derivative alone":  {Found{ID: "a", Version: "a/backward-only"}, "a is forgotten, in the derivative alone"},
		"in the derivative":        {Found{ID: "a", Version: "a/in-the-gradient-too"}, "a is forgotten, in the derivative as well"},
		"in one function of a few": {Found{ID: "a", Version: "a/in-softmax-only"}, "a is forgotten, in softmax alone"},
		"another precision":        {Found{ID: "a", Version: "a/float64"}, "a is forgotten, in float64"},
		"a tile":                   {Found{ID: "a", Version: "a/tile-4x32"}, "a is forgotten, with tiles of 4x32"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, s.title(tt.found).String()) })
	}
}
