package own

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/cmd/teach/quiz"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/mutant"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/workspace"
)

const code = `package p

func (l *Layer) Forward(x int) int {
	l.x = x
	show(x)
	if x < 3 {
		return -x
	}
	return l.x
}
`

// A question shows the line, and asks what such a line is to be asked.
func TestAsk(t *testing.T) {
	step, folder := registry.Steps()[1], &workspace.Folder{Files: map[string][]byte{"f.go": []byte(code)}}
	mutants, err := mutant.Of("f.go", folder.Files["f.go"], nil)
	require.NoError(t, err)
	wrong := []report.Check{{ID: "a", Title: "one", Message: "y is wrong\n  at [0]"}, {ID: "b", Title: "two", Message: "more"}}
	asked := map[int]string{}
	for _, m := range mutants {
		q := ask(step, folder, m, wrong)
		asked[m.Line] += q.Text + "\n"
		sum := 0
		for _, c := range q.Rubric {
			sum += c.Points
		}
		require.Equal(t, q.Points, sum)
		require.Equal(t, quiz.Own, q.Kind)
		require.Contains(t, q.Title, "step02_linear/f.go, line ")
		require.Contains(t, q.Answer, " the grader finds:\n\n```\ny is wrong\n  at [0]\n```\n\nThese fail:\n\n- one (`a`)\n- two (`b`)\n")
	}
	require.Contains(t, asked[4], "```go\n    1  package p\n    2  \n    3  func (l *Layer) Forward(x int) int {\n>   4      l.x = x\n    5      show(x)\n    6      if x < 3 {\n    7          return -x\n```\n\nWhat does this line keep")
	require.Contains(t, asked[5], "What is this line for")
	require.Contains(t, asked[6], "Suppose that `<` were `<=` in this line (column 7).")
	require.Contains(t, asked[7], "Suppose that `-` were left out of this line (column 10).")
}

// The solutions are asked about, the same for the same seed, each line once; what is
// wrong is not.
func TestQuestions(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	for _, step := range registry.Steps()[1:3] {
		folder, err := workspace.ReadFolder(filepath.Join(kit.Root, "solutions", step.Folder), step.Folder)
		require.NoError(t, err)
		a := Asker{Kit: kit, Seed: 7}
		questions, err := a.Questions(t.Context(), step, folder, 3)
		require.NoError(t, err)
		require.Len(t, questions, 3)
		titles := map[string]bool{}
		for _, q := range questions {
			titles[q.Title] = true
			require.NotContains(t, q.Answer, "does not compile")
		}
		require.Len(t, titles, 3)
		again, err := a.Questions(t.Context(), step, folder, 3)
		require.NoError(t, err)
		for i, q := range again {
			require.Equal(t, questions[i].Text, q.Text)
		}
		a.Seed = 8
		others, err := a.Questions(t.Context(), step, folder, 3)
		require.NoError(t, err)
		require.NotEqual(t, questions, others)

		for name, text := range folder.Files {
			folder.Files[name] = []byte(strings.NewReplacer("return l.y", "return l.dx", "return e.y", "return nil").Replace(string(text)))
		}
		_, err = a.Questions(t.Context(), step, folder, 3)
		var wrong *NotPassedError
		require.ErrorAs(t, err, &wrong)
		require.Contains(t, wrong.Error(), "nothing is asked about "+step.ID)
	}
}
