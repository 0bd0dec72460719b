package train_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

func TestCoder(t *testing.T) {
	sweep.Only(t)
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	coder, err := train.NewCoder(t.Context(), kit, workspace.Solutions(), io.Discard)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, coder.Close()) })
	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte(corpus.Village(1, 20_000)), 0o600))
	learned := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, coder.Learn(text, 300, []string{"<|end|>"}, learned))

	t.Run("every text comes back", func(t *testing.T) {
		for _, text := range []string{"", "Tom went to the mill.", "<|end|>Tom<|end|>", "水 ทะเล 😀", "\xff\x00broken \xc3", " \n\n\t  "} {
			ids, err := coder.Encode(learned, text)
			require.NoError(t, err)
			tokens, err := coder.Open(learned)
			require.NoError(t, err)
			back, err := tokens.Decode(ids)
			require.NoError(t, err)
			require.Equal(t, text, back)
		}
	})
	t.Run("in the two files of GPT-2", func(t *testing.T) {
		dir := t.TempDir()
		_, err := coder.Encode(dir, "a")
		require.ErrorContains(t, err, "holds no tokenizer: vocab.json is missing")
		for name, data := range map[string]string{tokenizer.VocabFile: published(), tokenizer.MergesFile: "#version: 0.2\nh e\nĠ he\n"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
		}
		ids, err := coder.Encode(dir, "he he<|endoftext|>")
		require.NoError(t, err)
		require.Equal(t, []int{256, 257, 258}, ids)
		require.NoError(t, os.Remove(filepath.Join(dir, tokenizer.MergesFile)))
		_, err = coder.Encode(dir, "a")
		require.ErrorContains(t, err, "holds half a tokenizer: merges.txt is missing")
		require.NoError(t, os.WriteFile(filepath.Join(dir, tokenizer.VocabFile), []byte("[1]"), 0o600))
		_, err = coder.Encode(dir, "a")
		require.ErrorContains(t, err, "not a vocabulary")
	})
	t.Run("a model learns on them", func(t *testing.T) {
		tokens, err := coder.Open(learned)
		require.NoError(t, err)
		dir := filepath.Join(t.TempDir(), "run")
		require.NoError(t, run.Create(dir, run.Text{Corpus: corpus.VillageName, Text: corpus.Village(1, 20_000), Tokens: tokens}, 3, settings()))
		binary := build(t, "grader/programs/train")
		trained(t, binary, dir)
		e, err := train.Evaluate(t.Context(), binary, dir, train.Reading{On: dir}, io.Discard)
		require.NoError(t, err)
		require.Greater(t, e.Characters, e.Tokens)

		sampling := train.Sampling{Prompt: "Tom went 水", Tokens: 5, TopP: 1}
		_, err = train.OpenGenerator(dir, sampling, nil)
		require.ErrorContains(t, err, "the prompt: the model's tokens were learnt in step 14")
		g, err := train.OpenGenerator(dir, sampling, func() (*train.Coder, error) {
			return train.NewCoder(t.Context(), kit, workspace.Solutions(), io.Discard)
		})
		require.NoError(t, err)
		var out strings.Builder
		require.NoError(t, g.Run(t.Context(), binary, &out, io.Discard))
		require.True(t, strings.HasPrefix(out.String(), sampling.Prompt), out.String())
	})
}

// published is a vocabulary as GPT-2's was published: the bytes, "he", " he" and the end
// of a text.
func published() string {
	var out bytes.Buffer
	out.WriteString("{")
	next := 256
	for b := range 256 {
		char := rune(b)
		if b < 33 || b > 126 && b < 161 || b == 173 {
			char, next = rune(next), next+1
		}
		out.WriteString(`"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(string(char)) + `": ` + strconv.Itoa(b) + ", ")
	}
	out.WriteString(`"he": 256, "Ġhe": 257, "<|endoftext|>": 258}`)
	return out.String()
}
