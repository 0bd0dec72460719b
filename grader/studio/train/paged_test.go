package train_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// little makes the run of a small model with a long context, trained for some steps.
func little(t *testing.T, binary string, change func(*run.Settings)) string {
	t.Helper()
	s := settings()
	s.Model.ContextLength, s.Model.DModel, s.Model.NumHeads, s.Model.DFF = 1100, 16, 2, 24
	s.Recipe.Batch, s.Recipe.Shards, s.Recipe.Steps, s.Recipe.EvalEvery, s.Recipe.EvalBatches = 1, 1, 12, 12, 1
	change(&s)
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, run.Create(dir, run.Text{Corpus: corpus.VillageName, Text: corpus.Village(1, 40_000)}, 3, s))
	require.NoError(t, train.Run(t.Context(), binary, []string{"train", dir}, io.Discard, func(run.Event) {}))
	return dir
}

// With a draft the likeliest text is that of the model alone, to the last of a thousand tokens.
func TestDraftWritesTheSame(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	trainer, err := train.Build(t.Context(), kit, workspace.Solutions(), settings().Model, t.TempDir())
	require.NoError(t, err)
	large := little(t, trainer, func(s *run.Settings) { s.Model.NumLayers = 3 })
	draft := little(t, trainer, func(s *run.Settings) { s.Model.NumLayers, s.Model.ContextLength, s.Recipe.Steps = 1, 1040, 18 })
	s := train.Sampling{Prompt: "Long ago ", Tokens: 1000, TopP: 1}

	g, err := train.OpenGenerator(large, s, nil)
	require.NoError(t, err)
	var alone strings.Builder
	require.NoError(t, g.Run(t.Context(), trainer, &alone, io.Discard))

	pair, err := train.OpenPair(large, draft, s, nil)
	require.NoError(t, err)
	binary, err := train.BuildPaged(t.Context(), kit, workspace.Solutions(), pair.Model, t.TempDir())
	require.NoError(t, err)
	write := func(p *train.Pair, ahead ...int) (all []run.Drafted) {
		require.NoError(t, p.Write(t.Context(), binary, ahead, io.Discard, func(d run.Drafted) { all = append(all, d) }))
		return all
	}
	for _, d := range write(pair, 5, 1, run.LargeAlone) {
		text, err := pair.Text(d.Tokens)
		require.NoError(t, err)
		require.Equal(t, alone.String(), text+"\n", "%d ahead", d.Ahead)
		require.Len(t, d.Tokens, 1000)
		if d.Ahead == 5 {
			require.Greater(t, d.Accepted, 100, "a draft of which nothing is taken shows nothing")
			require.Greater(t, d.Drafted-d.Accepted, 100, "nor does one of which all is")
		}
	}

	// Drawn with one seed, the text is the same again; it ends where the contexts do.
	pair, err = train.OpenPair(large, draft, train.Sampling{Prompt: "Long ago ", Tokens: -1, Temperature: 1, TopP: 0.9, Seed: 7}, nil)
	require.NoError(t, err)
	one, other := write(pair, 3), write(pair, 3)
	require.Len(t, one[0].Tokens, 256)
	require.Equal(t, one[0].Tokens, other[0].Tokens)
}

// Two models that cannot work together are named, with what is to be done.
func TestPairsThatCannotBe(t *testing.T) {
	make := func(text string, change func(*run.Settings)) string {
		s := settings()
		s.Model.ContextLength = 64
		change(&s)
		dir := filepath.Join(t.TempDir(), "run")
		require.NoError(t, run.Create(dir, run.Text{Corpus: "text", Text: text}, 3, s))
		require.NoError(t, os.WriteFile(filepath.Join(dir, run.WeightsFile), nil, 0o600)) // nobody reads them
		return dir
	}
	village := corpus.Village(1, 40_000)
	same := func(*run.Settings) {}
	large := make(village, same)
	of := func(draft string, s train.Sampling) error {
		s.TopP = 1
		_, err := train.OpenPair(large, draft, s, nil)
		return err
	}
	require.NoError(t, of(make(village, func(s *run.Settings) { s.Model.NumLayers++ }), train.Sampling{Tokens: 20}))
	other := make(strings.ReplaceAll(village, "a", "ä"), same)
	require.ErrorContains(t, of(other, train.Sampling{}), "have not the same vocabulary")
	require.ErrorContains(t, of(other, train.Sampling{}), other)
	require.ErrorContains(t, of(other, train.Sampling{}), large)
	require.ErrorContains(t, of(make(village+"ß", same), train.Sampling{}), "have not the same vocabulary")
	require.ErrorContains(t, of(make(village, func(s *run.Settings) { s.Model.With = []string{"gelu"} }), train.Sampling{}), "with gelu; one program runs both")
	require.ErrorContains(t, of(make(village, func(s *run.Settings) { s.Model.With = []string{"window"} }), train.Sampling{}), "was made with window: step 22 reads")
	short := make(village, func(s *run.Settings) { s.Model.ContextLength = 32 })
	err := of(short, train.Sampling{Prompt: "Long ago", Tokens: 25})
	require.ErrorContains(t, err, "a prompt of 8 tokens and 25 new ones are more than the context of "+short+", which is 32; want at most 24 new ones")
	require.NoError(t, of(short, train.Sampling{Prompt: "Long ago", Tokens: 24}))
	require.NoError(t, of(short, train.Sampling{Prompt: "Long ago", Tokens: -1}))
	require.Error(t, of(short, train.Sampling{Prompt: strings.Repeat("Long ago", 5), Tokens: -1}))
	require.ErrorContains(t, of(filepath.Join(t.TempDir(), "nowhere"), train.Sampling{}), "the draft: there is no folder")
}
