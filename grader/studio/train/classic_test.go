package train_test

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/grader/workspace"
)

// classic are settings of a small model with parts of 2017 in it.
func classic(t *testing.T, names ...string) run.Settings {
	t.Helper()
	guests, err := course.StandIns(registry.Steps(), names)
	require.NoError(t, err)
	s := settings()
	s.Recipe.Steps = 40
	for _, g := range guests {
		s.Model.With = append(s.Model.With, g.Name)
	}
	return s
}

// TestTrainClassic trains models with each of the parts of step 19, and with all of 2017
// and of GPT-2: they learn, and what is exported is read again and says the same. Where
// positions are added or the norm stands behind the sum there is no cache.
func TestTrainClassic(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	for _, c := range []struct {
		names  []string
		cached bool
	}{
		{[]string{"layernorm"}, true}, {[]string{"gelu"}, true}, {[]string{"gelu-tanh"}, true}, {[]string{"relu"}, true}, {[]string{"dropout"}, true},
		{[]string{"learned-positions"}, false}, {[]string{"sinusoids"}, false}, {[]string{"post-norm"}, false},
		{[]string{"gpt2"}, false}, {[]string{"2017"}, false}, {[]string{"2017", "gqa", "flash"}, false},
	} {
		t.Run(c.names[0], func(t *testing.T) {
			s := classic(t, c.names...)
			binary, err := train.Build(t.Context(), kit, workspace.Solutions(), s.Model, t.TempDir())
			require.NoError(t, err)
			dir := newRun(t, s)
			log, _ := trained(t, binary, dir)
			require.Less(t, log[len(log)-1].Loss, log[1].Loss-0.3)
			require.NotNil(t, log[15].ValidationLoss)
			require.NotNil(t, log[40].ValidationLoss)

			file := filepath.Join(t.TempDir(), "weights.safetensors")
			require.NoError(t, train.Export(t.Context(), binary, dir, file, io.Discard))
			again := filepath.Join(t.TempDir(), "again")
			_, err = train.ImportState(file, dir, again)
			require.NoError(t, err)
			e, err := train.Evaluate(t.Context(), binary, dir, train.Reading{On: dir}, io.Discard)
			require.NoError(t, err)
			other, err := train.Evaluate(t.Context(), binary, again, train.Reading{On: dir}, io.Discard)
			require.NoError(t, err)
			require.InEpsilon(t, e.Loss, other.Loss, 1e-6, "the matrix product is another")

			paces, err := train.Pace(t.Context(), binary, dir, io.Discard)
			require.NoError(t, err)
			require.Equal(t, c.cached, paces[0].With > 0)
		})
	}
}

// TestClassicShapes looks at the parameters of the two models.
func TestClassicShapes(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	for name, rows := range map[string]int{"gpt2": 8, "2017": 0} { // of positions
		s := classic(t, name)
		binary, err := train.Build(t.Context(), kit, workspace.Solutions(), s.Model, t.TempDir())
		require.NoError(t, err)
		dir := newRun(t, s)
		c, err := run.Open(dir)
		require.NoError(t, err)
		trained(t, binary, dir)
		file := filepath.Join(t.TempDir(), "weights.safetensors")
		require.NoError(t, train.Export(t.Context(), binary, dir, file, io.Discard))
		state, err := weights.Read(file)
		require.NoError(t, err)
		require.Equal(t, []int{2, 16}, state["layers.0.ln1.weight"].Shape)
		require.Equal(t, []int{36, 16}, state["layers.0.ffn.w1.weight"].Shape)
		require.Equal(t, []int{16, 36}, state["layers.0.ffn.w2.weight"].Shape)
		require.Equal(t, []int{1, 52}, state["layers.0.ffn.w3.weight"].Shape)
		require.Equal(t, []int{c.VocabSize + rows, 16}, state["token_embeddings.weight"].Shape)
	}
}

// TestResumeDropout interrupts a training in which numbers are dropped, and takes it up
// again: what is dropped follows from the seed and the step, and so everything is as if
// nobody had come.
func TestResumeDropout(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	s := classic(t, "dropout")
	s.Recipe.Steps = 600 // it cannot be over when the word to stop arrives
	binary, err := train.Build(t.Context(), kit, workspace.Solutions(), s.Model, t.TempDir())
	require.NoError(t, err)
	want, params := trained(t, binary, newRun(t, s))

	dir := newRun(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, train.Run(ctx, binary, []string{"train", dir}, io.Discard, func(e run.Event) {
		if e.Step != nil && e.Step.Step == 17 {
			cancel()
		}
	}))
	require.Less(t, len(logOf(t, dir)), s.Recipe.Steps, "it was interrupted")
	got, again := trained(t, binary, dir)
	require.Equal(t, want, got)
	require.Equal(t, string(params), string(again))
}

// TestDropoutInTrainingAlone trains with a learning rate of 0: whatever is measured stays as
// it was, and so is the validation loss at every evaluation that of the model without dropout,
// while the losses of training are others.
func TestDropoutInTrainingAlone(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	logs := map[string][]run.Step{}
	for _, name := range []string{"dropout", "plain"} {
		s := classic(t, "dropout")
		if name == "plain" {
			s.Model.With = nil
		}
		s.Recipe.LRMax, s.Recipe.LRMin = 0, 0
		binary, err := train.Build(t.Context(), kit, workspace.Solutions(), s.Model, t.TempDir())
		require.NoError(t, err)
		logs[name], _ = trained(t, binary, newRun(t, s))
	}
	evaluations := 0
	for i, step := range logs["dropout"] {
		if i > 0 {
			require.NotEqual(t, logs["plain"][i].Loss, step.Loss, "step %d: nothing is dropped", i)
		}
		if step.ValidationLoss != nil {
			evaluations++
			require.Equal(t, *logs["plain"][0].ValidationLoss, *step.ValidationLoss, "step %d: something is dropped", i)
			require.Equal(t, logs["plain"][i].Sample, step.Sample)
		}
	}
	require.Equal(t, 4, evaluations, "before the first step, every fifteenth, and the last")
}
