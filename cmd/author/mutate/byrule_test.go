package mutate

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
)

// TestSaidByRule grades programs that no written mistake explains, and whose formula is
// wrong by rule.
func TestSaidByRule(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	want := map[string]string{
		"step04/eps-as-lower-bound":       "max(mean(x²), ε) stands in the place of mean(x²) + ε, in r.",
		"step04/odd-last-square-missing":  "mean(x²) leaves the last element out, but only where D is odd.",
		"step05/residual-inside":          "y contains x in addition, in the derivative as well.",
		"step06/last-pair-not-turned":     "x stands in the last two places of every row of y.",
		"step08/forward-scale-by-queries": "S is q·kᵀ/√N instead of q·kᵀ/√K.",
	}
	all, err := Unlisted(kit, filepath.Join(kit.Root, "grader", "testdata", "unlisted", "third/wrong"), registry.Steps(), 1)
	require.NoError(t, err)
	all = slices.DeleteFunc(all, func(r Result) bool { return want[r.Step.ID+"/"+r.Version] == "" })
	require.Len(t, all, len(want))
	require.NoError(t, Run(t.Context(), kit, all, func(r Result) {
		require.Regexp(t, `^rule-[0-9a-f-]+$`, r.Named)
		require.Contains(t, r.Said, "what you get when "+want[r.Step.ID+"/"+r.Version], r.Step.ID+"/"+r.Version)
	}))
}
