package mutate

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/workspace"
)

// TestAttentionBugs grades the six bugs that the attention tests of TinyTorch, a
// course in building a framework, let pass when they were planted there. Ours
// catch each and call it by its name.
func TestAttentionBugs(t *testing.T) {
	sweep.Only(t)
	bugs := map[string]string{
		"no 1/√d":                               "no-scale",
		"1/d":                                   "scale-by-k",
		"1/√(2d)":                               "scale-by-root-2k",
		"heads reshaped without transpose":      "split-without-transpose",
		"heads merged without transposing back": "merge-without-transpose",
		"mask never applied in multi-head":      "multi-head-not-causal",
	}
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	step, err := course.Find(registry.Steps(), "attention")
	require.NoError(t, err)
	all, err := Catalogue(kit, []*course.Step{step}, 6)
	require.NoError(t, err)
	jobs := slices.DeleteFunc(all, func(r Result) bool {
		for _, id := range bugs {
			if r.Version == id {
				return false
			}
		}
		return true
	})
	graded := map[string]Result{}
	require.NoError(t, Run(t.Context(), kit, jobs, func(r Result) { graded[r.Version] = r }))
	for bug, id := range bugs {
		t.Run(bug, func(t *testing.T) {
			r := graded[id]
			require.NotEmpty(t, r.Caught)
			require.GreaterOrEqual(t, r.Margin, float64(minMargin))
			require.Equal(t, id, r.Named)
			require.Empty(t, r.Problem)
		})
	}
}

// What would fail the course is a problem, and nothing else is.
func TestJudge(t *testing.T) {
	caught, wrong := []string{"check"}, map[string]diagnose.Mark{"y": {Got: diagnose.Sketch{RMS: 2, Sums: []float64{2}}, Want: diagnose.Sketch{RMS: 1, Sums: []float64{1}}}}
	known := mistake.Mistake{ID: "a"}
	outcome := wrong["y"]
	outcome.Outcome = true
	tests := map[string]struct {
		result Result
		want   string
	}{
		"caught and named":           {Result{Mistake: known, Caught: caught, Named: "a", Margin: 50, Marks: wrong}, ""},
		"caught without an answer":   {Result{Mistake: known, Caught: caught}, ""},
		"survived":                   {Result{Mistake: known}, "survived"},
		"too close":                  {Result{Mistake: known, Caught: caught, Named: "a", Margin: 9, Marks: wrong}, "only 9.0 times outside the tolerance"},
		"taken for another":          {Result{Mistake: known, Caught: caught, Named: "b", Marks: wrong}, "named as b"},
		"taken for two":              {Result{Mistake: known, Caught: caught, Named: "a, b", Marks: wrong}, "named as a, b"},
		"silence":                    {Result{Mistake: known, Caught: caught, Marks: wrong}, "not named: its answers are not stored, or not its alone"},
		"to be stored, and no name":  {Result{Mistake: known, Caught: caught, Marks: wrong, Storing: true}, ""},
		"to be stored, and survived": {Result{Mistake: known, Storing: true}, "survived"},
		"to be stored, too close":    {Result{Mistake: known, Caught: caught, Margin: 9, Marks: wrong, Storing: true}, "only 9.0 times outside the tolerance"},
		"only how checks end":        {Result{Mistake: known, Caught: caught, Marks: map[string]diagnose.Mark{"kept": outcome}}, ""},
		"invisible":                  {Result{Mistake: mistake.Mistake{ID: "a", Invisible: "proof"}}, ""},
		"not so invisible":           {Result{Mistake: mistake.Mistake{ID: "a", Invisible: "proof"}, Caught: caught}, "said to be invisible, but caught"},
		"a mutant that survived":     {Result{Mistake: known, mechanical: true}, "survived"},
		"a mutant without a name":    {Result{Mistake: known, mechanical: true, Caught: caught, Marks: wrong}, ""},
		"a mutant known to be equal": {Result{Mistake: mistake.Mistake{ID: "a", Invisible: "reason"}, mechanical: true}, ""},
		"a mutant that is not":       {Result{Mistake: mistake.Mistake{ID: "a", Invisible: "reason"}, mechanical: true, Caught: caught}, "said to be equivalent, but caught by check"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, tt.result.judge()) })
	}
}

func TestTable(t *testing.T) {
	one, two := &course.Step{ID: "step01", Name: "one"}, &course.Step{ID: "step02", Name: "two"}
	result := func(s *course.Step, id, version string, margin float64, caught, named bool) Result {
		r := Result{Step: s, Mistake: mistake.Mistake{ID: id}, Version: version, Margin: margin}
		if caught {
			r.Caught = []string{"check"}
		}
		if named {
			r.Named = id
		}
		return r
	}
	hidden := Result{Step: two, Mistake: mistake.Mistake{ID: "h", Invisible: "proof"}, Version: "h"}
	require.Equal(t, `| step | mistakes | ways to make them | invisible | caught | named | smallest margin |
|:--|--:|--:|--:|--:|--:|--:|
| 01 one | 1 | 2 | 0 | 2 of 2 | 2 | 40× |
| 02 two | 3 | 3 | 1 | 1 of 2 | 0 | – |
| all | 4 | 5 | 1 | 3 of 4 | 2 | 40× |
`, Table([]Result{
		result(one, "a", "a", 70, true, true), result(one, "a", "a/too", 40, true, true),
		result(two, "b", "b", 0, true, false), result(two, "c", "c", 0, false, false), hidden,
	}))
}

// What is stored is what the diagnosis goes by: the words of every mistake, and
// the answers of those that give wrong ones.
func TestStores(t *testing.T) {
	step := &course.Step{Folder: "step01_one"}
	wrong := diagnose.Mark{Got: diagnose.Sketch{RMS: 2, Sums: []float64{2}}, Want: diagnose.Sketch{RMS: 1, Sums: []float64{1}}}
	a, b := mistake.Mistake{ID: "a", Title: "one", Why: "why", Hint: "hint"}, mistake.Mistake{ID: "b", Title: "two"}
	stores := Stores([]Result{
		{Step: step, Mistake: a, Version: "a", Caught: []string{"check"}, Marks: map[string]diagnose.Mark{"y": wrong}},
		{Step: step, Mistake: a, Version: "a/too", Caught: []string{"check"}, Marks: map[string]diagnose.Mark{"y": wrong}},
		{Step: step, Mistake: b, Version: "b", Caught: []string{"refusal"}},
	})
	entry := diagnose.Entry{Checks: []string{"check"}, Answers: map[string]diagnose.Sketch{"y": wrong.Got}}
	words := map[string]diagnose.Words{"a": {Title: "one", Why: "why", Hint: "hint"}, "b": {Title: "two"}}
	require.Equal(t, map[string]diagnose.Store{"step01_one": {Words: words, Answers: diagnose.Known{"a": entry, "a/too": entry}}}, stores)

	a.Title = "another title"
	reworded := Reword(stores["step01_one"], []mistake.Mistake{a})
	require.Equal(t, map[string]diagnose.Words{"a": {Title: "another title", Why: "why", Hint: "hint"}}, reworded.Words)
	require.Equal(t, stores["step01_one"].Answers, reworded.Answers)
	require.Empty(t, Reword(stores["step01_one"], []mistake.Mistake{b}).Answers, "of a mistake that is gone nothing is left")
	require.Len(t, stores["step01_one"].Answers, 2)
}
