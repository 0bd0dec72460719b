package train_test

import (
	"io"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/grader/workspace"
)

func TestEvaluate(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	binary, err := train.Build(t.Context(), kit, workspace.Solutions(), run.Model{}, t.TempDir())
	require.NoError(t, err)
	dir := newRun(t, settings())
	_, err = train.Evaluate(t.Context(), binary, dir, train.Reading{On: dir}, io.Discard)
	require.ErrorContains(t, err, "has no checkpoint yet")
	steps, _ := trained(t, binary, dir)

	e, err := train.Evaluate(t.Context(), binary, dir, train.Reading{On: dir}, io.Discard)
	require.NoError(t, err)
	require.InDelta(t, *steps[len(steps)-1].ValidationLoss, e.Loss, 0.3, "of a few batches and of all")
	require.Equal(t, e.Tokens, e.Characters)
	require.InDelta(t, e.Loss/math.Ln2, e.BitsPerCharacter(), 1e-12)

	t.Run("of a model that knows nothing", func(t *testing.T) {
		knows := like(t, binary, dir, func(weight []float32) { clear(weight) })
		c, err := run.Open(knows)
		require.NoError(t, err)
		e, err := train.Evaluate(t.Context(), binary, knows, train.Reading{On: dir}, io.Discard)
		require.NoError(t, err)
		require.InDelta(t, float64(c.VocabSize), e.Perplexity(), 1e-6)
		_, err = train.Evaluate(t.Context(), binary, knows, train.Reading{On: knows}, io.Discard)
		require.ErrorContains(t, err, "has no validation text")
	})
	t.Run("of a model that is damaged", func(t *testing.T) {
		bad := like(t, binary, dir, func(weight []float32) { weight[0] = float32(math.NaN()) })
		_, err := train.Evaluate(t.Context(), binary, bad, train.Reading{On: dir}, io.Discard)
		require.ErrorContains(t, err, "the mean loss of")
	})
	t.Run("in int8", func(t *testing.T) {
		small := filepath.Join(t.TempDir(), "small")
		q := train.Quantizer{Kit: kit, Source: workspace.Solutions(), Prints: io.Discard}
		made, err := q.Quantize(t.Context(), binary, dir, "int8", small, t.TempDir())
		require.NoError(t, err)
		multiplies, err := train.Build(t.Context(), kit, workspace.Solutions(), made.Config.Model, t.TempDir())
		require.NoError(t, err)
		rounded, err := train.Evaluate(t.Context(), multiplies, small, train.Reading{On: dir}, io.Discard)
		require.NoError(t, err)
		require.NotEqual(t, e.Loss, rounded.Loss)
		require.InEpsilon(t, e.Perplexity(), rounded.Perplexity(), 0.01)

		talk := &asked{T: t, ids: []int{1, 2, 3, 4}, c: train.Converse(multiplies, small, io.Discard)}
		defer talk.c.Close()
		whole := ask[inside.Reading](talk, inside.Question{Ask: inside.Read})
		without := ask[inside.Reading](talk, inside.Question{Ask: inside.Read, Off: []string{"layer1"}})
		require.NotEqual(t, whole, without, "a layer that made its integers is left out as well")
		require.Equal(t, whole, ask[inside.Reading](talk, inside.Question{Ask: inside.Read}))
	})
}

// TestCompare stores one model in every format: fewer bits, and nearly as good.
func TestCompare(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	binary, err := train.Build(t.Context(), kit, workspace.Solutions(), settings().Model, t.TempDir())
	require.NoError(t, err)
	dir := newRun(t, settings())
	trained(t, binary, dir)
	var all []train.Shrunk
	q := train.Quantizer{Kit: kit, Source: workspace.Solutions(), Prints: io.Discard}
	require.NoError(t, q.Compare(t.Context(), binary, dir, t.TempDir(), func(s train.Shrunk) { all = append(all, s) }))
	require.Len(t, all, len(train.Formats()))
	require.Equal(t, 32.0, all[0].Bits())
	for i, s := range all {
		require.Equal(t, train.Formats()[i], s.Format)
		require.Positive(t, s.TokensPerSecond)
		require.InEpsilon(t, all[0].Perplexity(), s.Perplexity(), 0.05)
		require.LessOrEqual(t, s.Bits(), 32.0)
	}
	require.Less(t, all[4].Bits(), all[3].Bits())
	require.Less(t, all[3].Bits(), all[2].Bits())
	require.NotEqual(t, all[0].Loss, all[3].Loss)

	empty := newRun(t, settings())
	require.ErrorContains(t, q.Compare(t.Context(), binary, empty, t.TempDir(), nil), "has no checkpoint yet")
}

// like returns the folder of a model like that of dir, but for its last matrix.
func like(t *testing.T, binary, dir string, change func(weight []float32)) string {
	t.Helper()
	file, other := filepath.Join(t.TempDir(), "model.safetensors"), filepath.Join(t.TempDir(), "other")
	require.NoError(t, train.Export(t.Context(), binary, dir, file, io.Discard))
	state, err := weights.Read(file)
	require.NoError(t, err)
	change(state["lm_head.weight"].Data)
	require.NoError(t, weights.Write(file, state))
	_, err = train.ImportState(file, dir, other)
	require.NoError(t, err)
	return other
}
