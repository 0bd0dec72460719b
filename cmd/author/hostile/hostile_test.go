package hostile_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/hostile"
	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/workspace"
)

var helper sandbox.Helper

func TestMain(m *testing.M) {
	helper = sandbox.Main()
	os.Exit(m.Run())
}

// Every case has a name of its own and every archive a number of its own, and
// docs/verified.md says how many there are.
func TestNumbers(t *testing.T) {
	cases, err := hostile.Cases()
	require.NoError(t, err)
	taken := map[string]string{}
	for _, c := range cases {
		number, _, _ := strings.Cut(c.Name, "-")
		if number == "made" {
			number = c.Name
		}
		require.Empty(t, taken[number], "%s has the number of another case", c.Name)
		taken[number] = c.Name
	}
	page, err := os.ReadFile("../../../docs/verified.md")
	require.NoError(t, err)
	require.Contains(t, string(page), fmt.Sprintf("\n%d hostile submissions", len(cases)))
}

// The fast majority of the corpus, on the best level that the machine has. The whole on all
// levels is `grade dev hostile`.
func TestCorpus(t *testing.T) {
	sweep.Only(t)
	cases, err := hostile.Cases()
	require.NoError(t, err)
	cases = slices.DeleteFunc(cases, func(c hostile.Case) bool { return c.Slow })
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	t.Setenv("TMPDIR", t.TempDir())
	box, _ := sandbox.Best(helper)
	err = hostile.Run(t.Context(), kit, box, cases, 2, func(name, problem string) {
		if problem != "" {
			t.Errorf("%s: %s", name, problem)
		}
	})
	require.NoError(t, err)
}
