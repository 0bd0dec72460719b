package mutate

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/mistake"
	"github.com/stubformer/stubformer/grader/mutant"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/newline"
)

// Every line of an equivalent.txt is about a mutant that there is, and says why.
func TestEquivalents(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	jobs, stale, err := Mechanical(kit, registry.Steps(), 1)
	require.NoError(t, err)
	require.Empty(t, stale)
	require.True(t, slices.ContainsFunc(jobs, func(r Result) bool { return r.Mistake.Invisible != "" }))
}

func TestTitles(t *testing.T) {
	mutants, err := mutant.Of("f.go", []byte("package p\n\nfunc f(a int) {\n\ta += 3\n\tf(\n\t\t4,\n\t)\n}\n"), nil)
	require.NoError(t, err)
	var titles []string
	for _, m := range mutants {
		titles = append(titles, family(m)+" "+title(m))
	}
	require.Equal(t, []string{"f.go:f += → -= at 4 in a += 3", "f.go:f += → = at 4 in a += 3", "f.go:f a += 3 → dropped at 2 in a += 3",
		"f.go:f 3 → 4 at 7 in a += 3", "f.go:f f( → dropped at 2 in f(", "f.go:f 4 → 5 at 3 in 4,"}, titles)
}

func TestScores(t *testing.T) {
	one, two := &course.Step{ID: "step01", Name: "one"}, &course.Step{ID: "step02", Name: "two"}
	known := mistake.Mistake{Invisible: "reason"}
	day := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	s := Scores{}
	for _, r := range []Result{
		{Step: one, Caught: []string{"check"}, seed: 7}, {Step: one, Caught: []string{"check"}, slow: true, seed: 7}, {Step: one, Invalid: true, seed: 7},
		{Step: one, Mistake: known, seed: 7}, {Step: two}, {Step: two, Caught: []string{"check"}},
	} {
		s.Add(r, day)
	}
	require.Equal(t, heading+`| 01 one | 3 | 2 | 1 | 1 | 0 | 100.0 % | 7 | 2026-03-04 |
| 02 two | 2 | 1 | 0 | 0 | 1 | 50.0 % | 0 | 2026-03-04 |
| all | 5 | 3 | 1 | 1 | 1 | 75.0 % | | |
`, s.Table())

	page, err := s.Page("Before.\n\n" + heading + `| 02 two | 9 | 9 | 9 | 0 | 0 | 100.0 % | 1 | 2026-01-01 |
| 03 three | 4 | 2 | 1 | 1 | 1 | 66.7 % | 1 | 2026-01-01 |
| all | 0 | 0 | 0 | 0 | 0 | – | | |

After.
`)
	require.NoError(t, err)
	require.Equal(t, "Before.\n\n"+heading+`| 01 one | 3 | 2 | 1 | 1 | 0 | 100.0 % | 7 | 2026-03-04 |
| 02 two | 2 | 1 | 0 | 0 | 1 | 50.0 % | 0 | 2026-03-04 |
| 03 three | 4 | 2 | 1 | 1 | 1 | 66.7 % | 1 | 2026-01-01 |
| all | 9 | 5 | 2 | 2 | 2 | 71.4 % | | |

After.
`, page)
	_, err = s.Page("no table")
	require.ErrorContains(t, err, "no table that begins with")

	stored, err := os.ReadFile("SCORES.md")
	require.NoError(t, err)
	stored = newline.Unix(stored)
	same, err := Scores{}.Page(string(stored))
	require.NoError(t, err)
	require.Equal(t, string(stored), same, "what is stored can be read, and adds up")
}
