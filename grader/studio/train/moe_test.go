package train_test

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/grader/workspace"
)

// experts are settings of a small model with a mixture of experts, and with other electives.
func experts(k int, balance float64, with ...string) run.Settings {
	s := settings()
	s.Recipe.Steps = 60
	s.Model.With = append(with, "moe")
	s.Model.Experts = run.Experts{NumExperts: 5, ExpertsPerToken: k, BalanceLoss: balance, ZLoss: 0.001,
		TokensPerUpdate: s.Recipe.Batch * s.Model.ContextLength}
	return s
}

// TestTrainExperts trains models whose tokens choose among experts: they learn, the log
// has both losses of the router, and with a weight the balance loss ends nearer to 1 a
// layer than without. What is exported has all experts, and is read again.
func TestTrainExperts(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	trained := func(t *testing.T, s run.Settings) (dir string, log []run.Step) {
		binary, err := train.Build(t.Context(), kit, workspace.Solutions(), s.Model, t.TempDir())
		require.NoError(t, err)
		dir = newRun(t, s)
		require.NoError(t, train.Run(t.Context(), binary, []string{"train", dir}, io.Discard, func(run.Event) {}))
		file := filepath.Join(t.TempDir(), "model.npz")
		require.NoError(t, train.Run(t.Context(), binary, []string{"export", dir, file}, io.Discard, func(run.Event) {}))
		params, err := weights.Read(file)
		require.NoError(t, err)
		require.Equal(t, []int{5 + 5*s.Model.DFF, s.Model.DModel}, params["layers.0.ffn.w1.weight"].Shape)
		return dir, logOf(t, dir)
	}
	for name, with := range map[string][]string{"alone": nil, "with grouped queries, in tiles": {"gqa", "flash"}} {
		t.Run(name, func(t *testing.T) {
			_, log := trained(t, experts(2, 0.01, with...))
			first, last := log[1], log[len(log)-1]
			require.Less(t, last.Loss, 0.9*first.Loss)
			require.Positive(t, last.ZLoss)
			require.Greater(t, last.BalanceLoss, 0.5)
		})
	}
	t.Run("the balance loss works", func(t *testing.T) {
		ends := func(balance float64) float64 {
			_, log := trained(t, experts(1, balance))
			sum := 0.0
			for _, step := range log[len(log)-10:] {
				sum += step.BalanceLoss / 10
			}
			return sum
		}
		require.Less(t, ends(0.5), ends(0))
	})
}

// TestExpertsNeedTheirElective looks at models that cannot be built.
func TestExpertsNeedTheirElective(t *testing.T) {
	s := experts(2, 0.01)
	s.Model.With = nil
	_, err := train.StandIns(s.Model)
	require.ErrorContains(t, err, "num_experts is 5: experts need the elective that makes them, --with moe")
	s = experts(2, 0.01)
	s.Model.Experts = run.Experts{}
	_, err = train.StandIns(s.Model)
	require.ErrorContains(t, err, "num_experts is 0: want how many experts there are")
	s = experts(6, 0.01)
	require.ErrorContains(t, s.Validate(), "experts_per_token is 6 and num_experts is 5; want at least one, and no more than there are")
	s = experts(0, 0.01)
	require.ErrorContains(t, s.Validate(), "experts_per_token is 0 and num_experts is 5")
}
