package release

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/workspace"
)

// An edition that leaves the derivatives to the student does not say them in a stub,
// folds them in the lessons and says that it does; nothing else is different.
func TestDerive(t *testing.T) {
	steps := registry.Steps()
	plain := written(t, Options{Steps: steps, WithoutSolutions: true})
	left := written(t, Options{Steps: steps, WithoutSolutions: true, Derive: true})
	stub := string(left["steps/step04_rmsnorm/rmsnorm.go"])
	require.Contains(t, stub, "dx_ni  = …    returned, (…, D)")
	require.NotContains(t, stub, "Σ_j dh_nj·h_nj")
	require.Contains(t, string(left["steps/step04_rmsnorm/README.md"]), "<details><summary>Derive it on paper first")
	require.Contains(t, left, workspace.DeriveFile)
	changed := 0
	for name, data := range left {
		if name == workspace.DeriveFile || string(plain[name]) == string(data) {
			continue
		}
		changed++
		require.True(t, strings.HasPrefix(name, "steps/"), name)
	}
	require.Greater(t, changed, 20)
	require.Equal(t, "all steps, the derivatives left out, for students", Describe(Options{Steps: steps, WithoutSolutions: true, Derive: true}))
}
