package hostile_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/class/hostile"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/workspace"
)

var helper sandbox.Helper

func TestMain(m *testing.M) {
	helper = sandbox.Main()
	os.Exit(m.Run())
}

// The fast majority of the corpus, on the best level that the machine has. The
// whole on all levels is `grade dev hostile`.
func TestCorpus(t *testing.T) {
	cases, err := hostile.Cases()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(cases), 40)
	names := map[string]bool{}
	for _, c := range cases {
		require.False(t, names[c.Name], c.Name)
		names[c.Name] = true
	}
	cases = slices.DeleteFunc(cases, func(c hostile.Case) bool { return c.Slow && os.Getenv("HOSTILE") == "" })
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
