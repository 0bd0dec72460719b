package derive_test

import (
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course/derive"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

const stub = `package swiglu

// Forward computes
//
//	y = x
func (s *SwiGLU) Forward() {}

// Backward takes dy:
//
//	dW[v] += Σ dy[b, t]  over all places    added to Weight.Grad
//	dx    = dy W
//	        − 1
//
// It panics:
//
//	tensor.CheckShape("x = y")
func (s *SwiGLU) Backward() {}

// SiLUBackward is another.
//
//	dx[i] = dy[i]
func SiLUBackward() {}
`

func TestStub(t *testing.T) {
	left, taken := derive.Stub([]byte(stub))
	const how = "//\n// How, is yours to derive; the lesson folds it away, and the last hint has it.\n"
	require.Equal(t, strings.NewReplacer(
		"//	dW[v] += Σ dy[b, t]  over all places    added to Weight.Grad\n//	dx    = dy W\n//	        − 1\n",
		"//	dW[v] += …    added to Weight.Grad\n//	dx    = …\n"+how,
		"//	dx[i] = dy[i]\n", "//	dx[i] = …\n"+how).Replace(stub), string(left))
	require.Equal(t, []derive.Derivative{
		{Of: "swiglu", Package: "swiglu", Func: "SwiGLU.Backward", Text: "dW[v] += Σ dy[b, t]  over all places    added to Weight.Grad\ndx    = dy W\n        − 1"},
		{Of: "silu", Package: "swiglu", Func: "SiLUBackward", Text: "dx[i] = dy[i]"}}, taken)
	again, none := derive.Stub(left)
	require.Equal(t, string(left), string(again), "what is left out stays out")
	for _, d := range none {
		require.Contains(t, d.Text, "…")
	}
	other, none := derive.Stub([]byte("this is no Go"))
	require.Equal(t, "this is no Go", string(other))
	require.Empty(t, none)
}

func TestChecks(t *testing.T) {
	all := []string{"cross_entropy.backward", "cross_entropy.forward", "softmax.backward.fresh", "cross_entropy.backward.fresh", "cross_entropy.backwards"}
	require.Equal(t, []string{all[0], all[3]}, derive.Derivative{Of: "crossentropy", Package: "softmax"}.Checks(all))
	require.Equal(t, []string{all[2]}, derive.Derivative{Of: "multihead", Package: "softmax"}.Checks(all), "none is about its name")
	require.Empty(t, derive.Derivative{Of: "multihead", Package: "gqa"}.Checks(all))
}

func TestLesson(t *testing.T) {
	const lesson = "# Step\n\n## The backward pass, derived\n\n1. one\n\n```\n## no heading\n```\n\n## A worked example\n\nx\n\n## 反向传播的推导\n\n二\n"
	folded := derive.Lesson(lesson)
	require.Equal(t, 2, strings.Count(folded, "<details><summary>"))
	require.Less(t, strings.Index(folded, "no heading"), strings.Index(folded, "</details>"))
	require.Equal(t, folded, derive.Lesson(folded), "once is enough")
	require.Equal(t, lesson, derive.Unfold(folded))
	require.Equal(t, lesson, derive.Unfold(lesson))
	hidden := derive.Hidden(folded, "(later)")
	require.NotContains(t, hidden, "1. one")
	require.Contains(t, hidden, "## The backward pass, derived\n\n(later)\n\n## A worked example\n\nx")
	require.Equal(t, lesson, derive.Hidden(lesson, "(later)"), "nothing is folded")
}

// Every backward pass of the course whose stub says how it is computed is known by
// its checks, and its lesson has what is folded, in both languages.
func TestCourse(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	found := map[string]bool{}
	for _, s := range registry.Steps() {
		files, err := kit.Stub(s.Folder)
		require.NoError(t, err)
		taken := 0
		for name, source := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			left, all := derive.Stub(source)
			formatted, err := format.Source(left)
			require.NoError(t, err)
			require.Equal(t, string(formatted), string(left), name)
			taken += len(all)
			for _, d := range all {
				found[d.Func] = true
				require.NotEmpty(t, d.Checks(s.CheckIDs()), "%s belongs to no check of %s", d.Func, s.ID)
				for _, line := range strings.Split(d.Text, "\n") {
					require.NotContains(t, string(left), strings.TrimSpace(line), "%s still says how", d.Func)
				}
			}
		}
		for _, name := range []string{"README.md", "README.zh-CN.md"} {
			lesson, err := fs.ReadFile(newline.FS{FS: os.DirFS(filepath.Join(kit.Root, "steps", s.Folder))}, name)
			require.NoError(t, err)
			folded := derive.Lesson(string(lesson))
			require.Equal(t, string(lesson), derive.Unfold(folded), s.Folder+"/"+name)
			if taken > 0 {
				require.NotEqual(t, string(lesson), folded, s.Folder+"/"+name+" folds nothing")
			}
		}
	}
	for _, name := range []string{"Linear.Backward", "Embedding.Backward", "RMSNorm.Backward", "SiLUBackward", "SwiGLU.Backward", "RoPE.Backward",
		"softmax.Backward", "CrossEntropy.Backward", "Attention.Backward", "MultiHead.Backward", "Block.Backward",
		"LayerNorm.Backward", "GELUBackward", "ReLUBackward", "Positions.Backward", "Dropout.Backward", "AnswerLoss.Backward",
		"Smoothing.Backward"} {
		require.True(t, found[name], name)
	}
	require.Len(t, found, 18)
}
