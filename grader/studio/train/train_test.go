package train_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// TestProgram trains and generates with the solutions, and with SWEEP=1 goes through all that
// can befall a run.
func TestProgram(t *testing.T) {
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	binary, err := train.Build(t.Context(), kit, workspace.Solutions(), run.Model{}, t.TempDir())
	require.NoError(t, err)
	for name, test := range map[string]func(*testing.T, string){
		"killed at random moments": killed,
		"asked to stop":            stopped,
		"another text":             otherText,
		"a damaged log":            damagedLog,
		"village":                  village,
		"generate":                 generates,
		"half the bits":            halved,
		"damaged folders":          damaged,
		"what it begins with":      begins,
	} {
		t.Run(name, func(t *testing.T) {
			if name != "village" && name != "generate" {
				sweep.Only(t)
			}
			t.Parallel()
			test(t, binary)
		})
	}
}

// settings are a model that trains in no time.
func settings() run.Settings {
	s, _ := run.Named("tiny")
	s.Model = run.Model{ContextLength: 8, DModel: 16, NumLayers: 1, NumHeads: 2, DFF: 24, RopeTheta: 10000}
	s.Recipe.Batch, s.Recipe.Shards, s.Recipe.Steps, s.Recipe.Warmup = 4, 2, 60, 5
	s.Recipe.EvalEvery, s.Recipe.EvalBatches, s.Recipe.SaveEvery = 15, 2, 4
	return s
}

// newRun returns the folder of a new run.
func newRun(t *testing.T, s run.Settings) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, run.Create(dir, run.Text{Corpus: corpus.VillageName, Text: corpus.Village(1, 20_000)}, 3, s))
	return dir
}

// trained runs a training to its end and returns its log, without the speeds,
// and its parameters.
func trained(t *testing.T, binary, dir string) ([]run.Step, []byte) {
	t.Helper()
	require.NoError(t, train.Run(t.Context(), binary, []string{"train", dir}, io.Discard, func(run.Event) {}))
	return logOf(t, dir), parameters(t, binary, dir)
}

func logOf(t *testing.T, dir string) []run.Step {
	t.Helper()
	steps, err := run.ReadLog(dir)
	require.NoError(t, err)
	for i := range steps {
		steps[i].TokensPerSecond = 0
	}
	return steps
}

// parameters returns the parameters in a run's checkpoint, as a file has them.
func parameters(t *testing.T, binary, dir string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "weights.safetensors")
	require.NoError(t, train.Export(t.Context(), binary, dir, file, io.Discard))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return data
}

// village trains for a short while on a text whose entropy is known.
func village(t *testing.T, binary string) {
	s := settings()
	s.Model.ContextLength, s.Model.DModel, s.Model.DFF = 32, 32, 64
	s.Recipe.Batch, s.Recipe.Steps, s.Recipe.EvalEvery, s.Recipe.LRMax = 8, 240, 80, 1e-2
	dir := newRun(t, s)
	c, err := run.Open(dir)
	require.NoError(t, err)
	steps, _ := trained(t, binary, dir)
	var losses, surprise []float64
	for _, s := range steps {
		if s.ValidationLoss != nil {
			losses = append(losses, *s.ValidationLoss)
			require.NotEmpty(t, s.Sample)
			require.Len(t, s.Surprise, utf8.RuneCountInString(s.Sample))
			surprise = append(surprise, mean(s.Surprise))
		}
	}
	require.Len(t, losses, 4)
	require.Less(t, surprise[3], losses[3], "drawn at a temperature of 0.8")
	require.IsDecreasing(t, losses)
	require.Greater(t, losses[0], 3.5, "about ln %d to begin with", c.VocabSize)
	require.Less(t, losses[3], 2.0, "a model that knows how often each character comes is at 2.8")
	require.Greater(t, losses[3], corpus.VillageEntropy())
}

// halved trains with products in bfloat16: not the same numbers, and nearly the same
// losses.
func halved(t *testing.T, binary string) {
	s := settings()
	full, _ := trained(t, binary, newRun(t, s))
	s.Recipe.Precision = run.BF16
	half, first := trained(t, binary, newRun(t, s))
	again, second := trained(t, binary, newRun(t, s))
	require.Equal(t, half, again)
	require.Equal(t, first, second)
	for i, step := range full {
		if step.Step > 0 {
			require.InEpsilon(t, step.Loss, half[i].Loss, 0.01, "step %d", step.Step)
		}
		if step.ValidationLoss != nil {
			require.InEpsilon(t, *step.ValidationLoss, *half[i].ValidationLoss, 0.01, "step %d", step.Step)
		}
	}
	last := len(full) - 1
	require.NotEqual(t, *full[last].ValidationLoss, *half[last].ValidationLoss)
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	return sum / float64(len(all))
}

// generates lets a model write.
func generates(t *testing.T, binary string) {
	dir := newRun(t, settings())
	_, err := train.OpenGenerator(dir, train.Sampling{Tokens: 20, TopP: 1}, nil)
	require.ErrorContains(t, err, "has no checkpoint yet; train it first: go run ./cmd/grade train --resume "+dir)
	trained(t, binary, dir)
	write := func(s train.Sampling) string {
		g, err := train.OpenGenerator(dir, s, nil)
		require.NoError(t, err)
		var out strings.Builder
		require.NoError(t, g.Run(t.Context(), binary, &out, io.Discard))
		return out.String()
	}
	s := train.Sampling{Prompt: "One morning", Tokens: 20, Temperature: 1, TopP: 0.9, Seed: 5}
	first := write(s)
	require.True(t, strings.HasPrefix(first, "One morning"), first)
	require.Len(t, first, len("One morning")+20+len("\n"))
	require.Equal(t, first, write(s))
	s.Seed = 6
	require.NotEqual(t, first, write(s))
	s.Tokens = 0
	require.Equal(t, "One morning\n", write(s))

	for want, s := range map[string]train.Sampling{
		"the prompt: the model has never seen '8', '€'": {Prompt: "8 €", Tokens: 1, TopP: 1},
		"-1 tokens cannot be written":                   {Tokens: -1, TopP: 1},
		"the temperature is -1":                         {Temperature: -1, TopP: 1},
		"top-p is 0":                                    {},
		"top-p is 1.5":                                  {TopP: 1.5},
	} {
		_, err := train.OpenGenerator(dir, s, nil)
		require.ErrorContains(t, err, want)
	}
}

// damaged puts folders to the program in which something is wrong.
func damaged(t *testing.T, binary string) {
	whole := newRun(t, settings())
	trained(t, binary, whole)
	checkpoint, err := os.ReadFile(filepath.Join(whole, run.CheckpointFile))
	require.NoError(t, err)
	wide := settings()
	wide.Model.DFF = 32
	for name, c := range map[string]struct {
		file string
		data []byte
		want string
	}{
		"truncated checkpoint": {run.CheckpointFile, checkpoint[:len(checkpoint)/2], "is cut off"},
		"foreign checkpoint":   {run.CheckpointFile, []byte("PK and so on, from another program"), "is not a checkpoint"},
		"of another model":     {run.CheckpointFile, checkpoint, "is the checkpoint of another model"},
		"odd tokens":           {run.TrainFile, []byte{1, 0, 2}, "odd number"},
		"too few tokens":       {run.TrainFile, []byte{1, 0, 2, 0}, "holds 2 tokens"},
		"unknown tokens":       {run.TrainFile, []byte(strings.Repeat("\xff\xff", 100)), "65535"},
		"no validation":        {run.ValidationFile, nil, "no such file"},
		"another alphabet":     {"alphabet.txt", []byte("abc"), "alphabet.txt has 3 tokens, but the model has"},
	} {
		dir := newRun(t, wide)
		config, err := run.Open(dir)
		require.NoError(t, err)
		config.Data = nil // a run of an earlier version, which does not know its files
		require.NoError(t, config.Write(dir))
		path := filepath.Join(dir, c.file)
		require.NoError(t, os.RemoveAll(path))
		if c.data != nil {
			require.NoError(t, os.WriteFile(path, c.data, 0o600))
		}
		err = train.Run(t.Context(), binary, []string{"train", dir}, io.Discard, func(run.Event) {})
		var said *train.ProgramError
		require.ErrorAs(t, err, &said, name)
		require.ErrorContains(t, err, c.want, name)
		if c.file == run.CheckpointFile {
			left, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, c.data, left, "%s: what was there is kept", name)
		}
	}
	unlock, err := run.Lock(whole)
	require.NoError(t, err)
	defer unlock()
	err = train.Run(t.Context(), binary, []string{"train", whole}, io.Discard, func(run.Event) {})
	require.ErrorContains(t, err, "another program is training in")
}

// begins compares what is written for other programs with the text and the
// first steps: each batch is a part of the text, and the first weights are not
// those that a step leaves.
func begins(t *testing.T, binary string) {
	s := settings()
	s.Recipe.Steps = 1
	dir, out := newRun(t, s), t.TempDir()
	_, after := trained(t, binary, dir)
	require.NoError(t, train.Begin(t.Context(), binary, dir, out, io.Discard))
	first, err := weights.Read(filepath.Join(out, "first.npz"))
	require.NoError(t, err)
	file := filepath.Join(out, "first.safetensors")
	require.NoError(t, weights.Write(file, first))
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Len(t, before, len(after))
	require.NotEqual(t, string(before), string(after))

	data, err := os.ReadFile(filepath.Join(out, "batches.bin"))
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(dir, run.TrainFile))
	require.NoError(t, err)
	const row = 2 * (8 + 1)
	require.Len(t, data, 4*row)
	require.NotEqual(t, data[:row], data[row:2*row])
	for at := 0; at < len(data); at += row {
		require.Contains(t, string(text), string(data[at:at+row]))
	}
}
