package figure

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// measured is a run of a seed with validation losses after 0, 10, 20, … steps.
func measured(name string, seed uint64, losses ...float64) Run {
	r := Run{Name: name, Config: run.Config{Seed: seed}}
	for i, loss := range losses {
		r.Steps = append(r.Steps, run.Step{Step: 10 * i, ValidationLoss: &loss}, run.Step{Step: 10*i + 1, Loss: 9})
	}
	return r
}

func TestCompare(t *testing.T) {
	runs := []Run{measured("core-1", 1, 4, 2, 1), measured("core-2", 2, 4, 3, 3), measured("behind-1-1", 1, 5, 3)}
	c, err := Compare(lang.Printer{}, runs...)
	require.NoError(t, err)
	lines := c.Panels[0].Lines
	require.Len(t, lines, 5, "two seeds and their mean, a seed and its mean")
	for _, i := range []int{0, 1, 3} {
		require.True(t, lines[i].Faint && lines[i].Tint && lines[i].Name == "")
	}
	require.Equal(t, []float64{4, 3, 3}, lines[1].Y)
	require.Equal(t, "core", lines[2].Name)
	require.Equal(t, []float64{0, 10, 20}, lines[2].X)
	require.Equal(t, []float64{4, 2.5, 2}, lines[2].Y)
	require.Equal(t, "behind-1", lines[4].Name, "only the seed is no part of the name")

	mean, low, high := Variants(runs)[0].Last()
	require.Equal(t, []float64{2, 1, 3}, []float64{mean, low, high})
	_, err = Compare(lang.Printer{}, measured("core-1", 1, 4), measured("core-2", 2))
	require.ErrorContains(t, err, "holds no steps yet")
}

// Where a seed has not come as far as the others, the mean ends with it.
func TestCompareUnfinished(t *testing.T) {
	v := Variants([]Run{measured("core-1", 1, 4, 2, 1), measured("core-2", 2, 4, 3)})[0]
	require.Equal(t, []float64{4, 2.5}, v.mean().Y)
	mean, low, high := v.Last()
	require.Equal(t, []float64{2.5, 2, 3}, []float64{mean, low, high})
}
