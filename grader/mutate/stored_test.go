package mutate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/workspace"
)

// TestStoredMistakes holds every stored mistake against all others: a program
// that answers as it does is told so, and is not told anything else. What dev
// mutate finds out by grading every mistake, this sees from the stored answers.
func TestStoredMistakes(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	var right map[string]diagnose.Mark
	for _, step := range registry.Steps() {
		t.Run(step.ID, func(t *testing.T) {
			stored, err := diagnose.Load(fixtures.Mistakes, step.Folder)
			require.NoError(t, err)
			mistakes, err := mistake.Load(kit.Root, step.Folder)
			require.NoError(t, err)
			require.Equal(t, Words(mistakes), stored.Words, "to store the words: grade dev mutate %s --words", step.ID)
			known := stored.Answers
			_, err = grader.Grade(t.Context(), grader.Request{Kit: kit, Steps: []*course.Step{step}, Impl: grader.Solutions, Seed: 2, Limits: probe.DefaultLimits(),
				Marks: func(_ *course.Step, marks map[string]diagnose.Mark) { right = marks }}, nil)
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
				found := known.Explain(marks)
				require.Len(t, found, 1, id)
				require.Equal(t, named, found[0].ID)
			}
		})
	}
}
