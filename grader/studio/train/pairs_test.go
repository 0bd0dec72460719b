package train_test

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// pairsProgram builds the program around the solutions.
func pairsProgram(t *testing.T) string {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	binary, err := train.BuildPairs(t.Context(), kit, workspace.Solutions(), t.TempDir())
	require.NoError(t, err)
	return binary
}

// newPairs is a small model for a task, in a folder of its own.
func newPairs(t *testing.T, task string, seed uint64) (string, run.Pairs) {
	c, err := run.NewPairs(task, seed)
	require.NoError(t, err)
	c.Model = run.PairsModel{DModel: 16, NumLayers: 2, NumHeads: 2, DFF: 20}
	c.Recipe.Batch, c.Recipe.Steps, c.Recipe.SaveEvery = 5, 30, 20
	dir := t.TempDir()
	require.NoError(t, c.Write(dir))
	return dir, c
}

// learnPairs trains, and returns the losses and after which updates the model was saved.
func learnPairs(t *testing.T, binary, dir string) (losses []float64, saved []int) {
	require.NoError(t, train.Run(t.Context(), binary, []string{"train", dir}, io.Discard, func(e run.Event) {
		if e.Step != nil {
			losses = append(losses, e.Step.Loss)
		}
		if e.Saved != nil {
			saved = append(saved, e.Saved.Step)
		}
	}))
	return losses, saved
}

// TestPairs trains a small model of either task, which is the same a second time and another
// with another seed, and lets it write.
func TestPairs(t *testing.T) {
	binary := pairsProgram(t)
	for _, task := range corpus.TaskNames() {
		dir, c := newPairs(t, task, 1)
		losses, saved := learnPairs(t, binary, dir)
		require.Len(t, losses, c.Recipe.Steps)
		require.Less(t, mean(losses[20:]), mean(losses[:10]))
		require.Equal(t, []int{20, 30}, saved)
		steps, err := run.ReadLog(dir)
		require.NoError(t, err)
		require.Len(t, steps, c.Recipe.Steps)
		require.InDelta(t, math.Pow(16, -0.5)*30*math.Pow(float64(c.Recipe.Warmup), -1.5), steps[29].LR, 1e-12, "the rate of 2017")

		again, _ := newPairs(t, task, 1)
		learnPairs(t, binary, again)
		weightsOf := func(dir string) []byte { return bytesOf(t, filepath.Join(dir, run.WeightsFile)) }
		require.Equal(t, weightsOf(dir), weightsOf(again))
		other, _ := newPairs(t, task, 2)
		learnPairs(t, binary, other)
		require.NotEqual(t, weightsOf(dir), weightsOf(other))

		tr, err := train.NewTranslator(binary, dir, io.Discard)
		require.NoError(t, err)
		defer tr.Close()
		source := c.HeldOut(1)[0].Source
		greedy, err := tr.Translate(source, true)
		require.NoError(t, err)
		require.Len(t, greedy.Attention, 2)
		for _, heads := range greedy.Attention {
			require.Len(t, heads, 2)
			require.Len(t, heads[0], len([]rune(greedy.Target))+1)
			require.Len(t, heads[1][0], len([]rune(source)))
			require.InDelta(t, 1, sum(heads[1][0]), 1e-5)
		}
		tr.Width = 3
		wide, err := tr.Translate(source, false)
		require.NoError(t, err)
		require.Nil(t, wide.Attention)
		require.Negative(t, wide.Score, "Σ ln p")
		s, err := tr.Score(t.Context(), 3)
		require.NoError(t, err)
		require.Equal(t, 3, s.Asked)
	}
}

func sum(x []float32) (s float64) {
	for _, v := range x {
		s += float64(v)
	}
	return s
}

func TestPairsRefuse(t *testing.T) {
	dir, c := newPairs(t, corpus.ReversalName, 1)
	tr, err := train.NewTranslator("", dir, io.Discard)
	require.NoError(t, err)
	for text, want := range map[string]string{
		"":                      "the text is empty; want one of 1 to 20 characters",
		strings.Repeat("a", 21): "the text has 21 characters",
		"abC":                   `the model has never seen 'C'`,
	} {
		_, err := tr.Translate(text, false)
		require.ErrorContains(t, err, want)
	}

	_, err = run.Open(dir)
	require.ErrorContains(t, err, "go run ./cmd/grade translate")
	_, err = run.OpenPairs(filepath.Join(dir, "nowhere"))
	require.ErrorContains(t, err, "there is no folder")
	_, err = run.NewPairs("reversed", 1)
	require.ErrorContains(t, err, `there is no task "reversed"; want reversal, translation or recall`)
	for want, change := range map[string]func(*run.Pairs){
		"d_model must be a multiple of 6": func(c *run.Pairs) { c.Model.NumHeads = 3 },
		`there is no task "x"`:            func(c *run.Pairs) { c.Task = "x" },
		"steps is 0":                      func(c *run.Pairs) { c.Recipe.Steps = 0 },
		"smoothing is 2":                  func(c *run.Pairs) { c.Recipe.Smoothing = 2 },
		"characters is \"aa\"":            func(c *run.Pairs) { c.Source.Characters = "aa" },
		`its schema is "y"`:               func(c *run.Pairs) { c.Schema = "y" },
	} {
		wrong := c
		change(&wrong)
		require.NoError(t, wrong.Write(dir))
		_, err := run.OpenPairs(dir)
		require.ErrorContains(t, err, want)
	}

	language := t.TempDir()
	require.NoError(t, run.Config{Schema: run.Schema, VocabSize: 3, Settings: run.Settings{Model: settings().Model}}.Write(language))
	_, err = run.OpenPairs(language)
	require.ErrorContains(t, err, "holds a model that goes on with a text")
	require.NoError(t, os.WriteFile(filepath.Join(language, run.ConfigFile), []byte("{"), 0o600))
	_, err = run.OpenPairs(language)
	require.ErrorContains(t, err, run.ConfigFile)
}

// A model without its parameters, or with those of another one, is told so.
func TestPairsWithoutWeights(t *testing.T) {
	sweep.Only(t)
	binary := pairsProgram(t)
	dir, c := newPairs(t, corpus.ReversalName, 1)
	ask := func() error {
		tr, err := train.NewTranslator(binary, dir, io.Discard)
		require.NoError(t, err)
		defer tr.Close()
		_, err = tr.Translate("abc", false)
		return err
	}
	require.ErrorContains(t, ask(), "nothing was learnt here yet")
	learnPairs(t, binary, dir)
	require.NoError(t, ask())
	state, err := weights.Read(filepath.Join(dir, run.WeightsFile))
	require.NoError(t, err)
	delete(state, "head.weight")
	require.NoError(t, weights.Write(filepath.Join(dir, run.WeightsFile), state))
	require.ErrorContains(t, ask(), "want head.weight of shape")
	c.Model.DModel = 8
	require.NoError(t, c.Write(dir))
	require.ErrorContains(t, ask(), "as config.json says")
}

// TestTasksAreLearnt holds what the lesson says of both tasks: the recipe is that of
// `grade train --task`. The cross-attention of a reversal is the anti-diagonal.
func TestTasksAreLearnt(t *testing.T) {
	sweep.Only(t)
	binary := pairsProgram(t)
	for task, least := range map[string]int{corpus.ReversalName: 495, corpus.TranslationName: 475} {
		c, err := run.NewPairs(task, 0)
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, c.Write(dir))
		learnPairs(t, binary, dir)
		tr, err := train.NewTranslator(binary, dir, io.Discard)
		require.NoError(t, err)
		defer tr.Close()
		s, err := tr.Score(t.Context(), 500)
		require.NoError(t, err)
		t.Logf("%s: %+v", task, s)
		require.GreaterOrEqual(t, s.Right, least, task)
		if task == corpus.ReversalName {
			require.Equal(t, s.OfThese, s.Longest, "texts of %d letters", corpus.LongestReversal)
			requireAntiDiagonal(t, tr)
		}
	}
}

// requireAntiDiagonal asks for texts of all letters and sees where in the source the mean of
// the heads looks most for each letter: at the one that is written.
func requireAntiDiagonal(t *testing.T, tr *train.Translator) {
	on, all, weight := 0, 0, 0.0
	for _, p := range corpus.Reversals(5, 50, true) {
		w, err := tr.Translate(p.Source, true)
		require.NoError(t, err)
		for row := range len(w.Target) {
			var looked []float64
			for col := range len(p.Source) {
				mean := 0.0
				for _, head := range w.Attention[len(w.Attention)-1] {
					mean += float64(head[row][col]) / float64(len(w.Attention[len(w.Attention)-1]))
				}
				looked = append(looked, mean)
			}
			most := 0
			for col := range looked {
				if looked[col] > looked[most] {
					most = col
				}
			}
			want := len(p.Source) - 1 - row
			if all++; most == want {
				on++
			}
			weight += looked[max(0, want)]
		}
	}
	t.Logf("anti-diagonal: %d of %d, weight %.3f", on, all, weight/float64(all))
	require.Greater(t, float64(on), 0.98*float64(all))
}
