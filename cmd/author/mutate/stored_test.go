package mutate

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/workspace"
)

// TestStoredMistakes holds every stored mistake against all others: a program
// that answers as it does is told so, and is not told anything else. What dev
// mutate finds out by grading every mistake, this sees from the stored answers.
// Put together with others and with other derivatives, four of five mistakes are
// named at least, and none wrongly. A few steps are looked at, with SWEEP=1 all.
func TestStoredMistakes(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	fared := &Fared{cells: map[*course.Step]map[Scenario]*Count{}}
	for _, step := range sweep.Some(registry.Steps(), 2) {
		t.Run(step.ID, func(t *testing.T) {
			stored, err := diagnose.Load(fixtures.Mistakes, step.Folder)
			require.NoError(t, err)
			mistakes, err := mistake.Load(kit.Root, step.Folder)
			require.NoError(t, err)
			require.Equal(t, Words(mistakes), stored.Words, "to store the words: grade dev mutate %s --words", step.ID)
			known := stored.Answers
			right, err := RightMarks(t.Context(), kit, step, 2)
			require.NoError(t, err)
			for name, m := range right {
				require.True(t, m.Right(), "%s: the solution's answer is not right", name)
			}
			for id, entry := range known {
				named, _, _ := strings.Cut(id, "/")
				marks := map[string]diagnose.Mark{}
				for name, m := range right {
					if s, ok := entry.Answers[name]; ok {
						m.Got = s
					}
					marks[name] = m
				}
				for name := range entry.Answers {
					require.Contains(t, right, name, "%s: stored, but no longer asked for", id)
				}
				require.Empty(t, untouched(stored.Title(id).String(), marks), "%s: the title speaks of answers that are right", id)
				found := known.Explain(marks, step.FunctionNames())
				if !diagnose.Nameable(marks) {
					require.Empty(t, found, id)
					continue
				}
				require.Len(t, found, 1, id)
				require.Equal(t, named, found[0].ID)
			}
			for _, p := range Synthesise(step, known, right, 2) {
				fared.Add(p, known.Explain(p.Marks, step.FunctionNames()))
			}
		})
	}
	t.Log("\n" + fared.Table())
	require.Empty(t, fared.Wrong, "named wrongly")
	if !sweep.On() {
		return
	}
	for _, s := range AllScenarios() {
		require.GreaterOrEqual(t, fared.Of(s).Share(), 0.8, s)
	}
	require.GreaterOrEqual(t, fared.Of(TwoMistakes).of(), 60)
}

// untouched returns the gradients that a title speaks of and that are right.
func untouched(title string, marks map[string]diagnose.Mark) []string {
	right := map[string]bool{}
	for name, m := range marks {
		if output := path.Base(name); strings.Contains(name, ".backward/") {
			before, known := right[output]
			right[output] = m.Right() && (before || !known)
		}
	}
	words := regexp.MustCompile(`[\pL\d]+`).FindAllString(title, -1)
	return slices.DeleteFunc(words, func(word string) bool { return !right[word] })
}
