package train_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/gguf"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// wide are settings of a model that learns a little in no time, and that reads far
// enough back for what is compared.
func wide(with ...string) run.Settings {
	s := settings()
	s.Model = run.Model{ContextLength: 256, DModel: 64, NumLayers: 2, NumHeads: 4, DFF: 96, RopeTheta: 10000, With: with}
	s.Recipe.Batch, s.Recipe.Steps, s.Recipe.LRMax = 6, 100, 3e-3
	return s
}

// writer builds the training program for a model, on the solutions.
func writer(t *testing.T, m run.Model) string {
	t.Helper()
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	binary, err := train.Build(t.Context(), kit, workspace.Solutions(), m, t.TempDir())
	require.NoError(t, err)
	return binary
}

// trainedOn trains a model for a moment on texts of the village, and returns its folder.
func trainedOn(t *testing.T, s run.Settings, tokens run.Tokens) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	require.NoError(t, run.Create(dir, run.Text{Corpus: corpus.VillageName, Text: corpus.Village(1, 40_000), Tokens: tokens}, 3, s))
	require.NoError(t, train.Run(t.Context(), writer(t, s.Model), []string{"train", dir}, io.Discard, func(run.Event) {}))
	return dir
}

// groupedOfTokens is a trained model with grouped queries and the tokens of step 14.
func groupedOfTokens(t *testing.T) string {
	t.Helper()
	grouped := wide("gqa", "flash")
	grouped.Model.NumKVHeads = 2
	return ofTokens(t, grouped)
}

// ofTokens is a trained model with the tokens of step 14.
func ofTokens(t *testing.T, s run.Settings) string {
	t.Helper()
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	coder, err := train.NewCoder(t.Context(), kit, workspace.Solutions(), io.Discard)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, coder.Close()) })
	text, learned := filepath.Join(t.TempDir(), "text"), filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(text, []byte(corpus.Village(1, 20_000)), 0o600))
	require.NoError(t, coder.Learn(text, 300, []string{"<|end|>"}, learned))
	tokens, err := coder.Open(learned)
	require.NoError(t, err)
	return trainedOn(t, s, tokens)
}

// ggufModels makes the folders of models of every kind that can be written as GGUF.
func ggufModels(t *testing.T) map[string]string {
	t.Helper()
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	mixed := wide("moe")
	mixed.Model.Experts = run.Experts{NumExperts: 5, ExpertsPerToken: 2, BalanceLoss: 0.01}
	checkpoint, pieces := llama2c(t, 264, 2)
	imported := filepath.Join(t.TempDir(), "model")
	_, err = train.ImportLlama2c(checkpoint, pieces, imported, nil)
	require.NoError(t, err)
	shipped := filepath.Join(kit.Root, "reference", "models", "village-gqa")
	return map[string]string{"the model that comes with the kit": shipped, "characters": trainedOn(t, wide(), nil),
		"learned tokens, grouped queries": groupedOfTokens(t), "experts": trainedOn(t, mixed, nil), "pieces of llama2.c, tied head": imported}
}

// TestGGUF writes models as GGUF and reads them back: with float32 they are what they
// were, to the bit, and so is their tokenizer.
func TestGGUF(t *testing.T) {
	sweep.Only(t)
	for name, dir := range ggufModels(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, err := run.Open(dir)
			require.NoError(t, err)
			binary := writer(t, before.Model)
			file, back := filepath.Join(t.TempDir(), "model.gguf"), filepath.Join(t.TempDir(), "back")
			require.NoError(t, train.ExportGGUF(t.Context(), binary, dir, file, gguf.F32, io.Discard))
			after, err := train.ImportGGUF(file, back, before.Model.With)
			require.NoError(t, err)
			require.Equal(t, parameters(t, binary, dir), parameters(t, binary, back))
			tokens, err := tokenizer.Files(dir)
			require.NoError(t, err)
			again, err := tokenizer.Files(back)
			require.NoError(t, err)
			if vocab := tokenizer.VocabFile; tokens[vocab] != nil { // an object has no order
				require.JSONEq(t, string(tokens[vocab]), string(again[vocab]))
				tokens[vocab] = again[vocab]
			}
			if pieces := tokenizer.PiecesFile; tokens[pieces] != nil { // the names of the first three are not text
				require.Len(t, again[pieces], len(tokens[pieces])-3*len("<0x00>")+len("<unk><s></s>"))
				tokens[pieces] = again[pieces]
			}
			require.Equal(t, tokens, again)
			before.Corpus, before.Seed, before.Data, before.Recipe = "", 0, nil, run.Recipe{}
			after.Model.BalanceLoss, after.Model.ZLoss = before.Model.BalanceLoss, before.Model.ZLoss // of training alone
			require.Equal(t, before, after)
		})
	}
}

// TestLlamaCpp holds what is written as GGUF to llama.cpp: it finds the same tokens in a
// text, writes the same 200 tokens behind it, and is as surprised by each. It needs the
// npm package node-llama-cpp in the folder that LLAMA_CPP names; see bench/llama.cpp.sh.
func TestLlamaCpp(t *testing.T) {
	packages := os.Getenv("LLAMA_CPP")
	if packages == "" {
		t.Skip("LLAMA_CPP does not say where node-llama-cpp is installed")
	}
	prompts := map[string]string{"pieces of llama2.c, tied head": "ab ba"}
	for name, dir := range ggufModels(t) {
		t.Run(name, func(t *testing.T) {
			c, err := run.Open(dir)
			require.NoError(t, err)
			binary := writer(t, c.Model)
			kit, err := workspace.Find(".")
			require.NoError(t, err)
			prompt := prompts[name]
			if prompt == "" {
				prompt = "Tom went to the"
			}
			tokens, err := train.OpenTokenizer(dir, c.VocabSize, func() (*train.Coder, error) {
				return train.NewCoder(t.Context(), kit, workspace.Solutions(), io.Discard)
			})
			require.NoError(t, err)
			ids, err := tokens.Prompt(prompt)
			require.NoError(t, err)
			want := likeliest(t, binary, dir, ids, min(200, c.Model.ContextLength-len(ids)))
			for _, as := range gguf.Types() {
				file := filepath.Join(t.TempDir(), "model.gguf")
				require.NoError(t, train.ExportGGUF(t.Context(), binary, dir, file, as, io.Discard))
				got := llamaCpp(t, packages, file, prompt, len(want.IDs))
				require.Equal(t, ids, got.Prompt, as)
				n := agree(want.IDs, got.IDs)
				t.Logf("%v: the first %d of %d tokens are the same", as, n, len(want.IDs))
				if as == gguf.F32 {
					same(t, want, got)
					continue
				}
				// The numbers are rounded, and what they are multiplied with, too.
				require.Greater(t, n, 0, as)
				require.InDeltaSlice(t, want.Surprise[:n], got.Surprise[:n], 0.2, as)
			}
		})
	}
}

// same holds that two have written the same, with the same surprise, at least up to a
// place where two tokens are equally likely: there either may come, and another text.
func same(t *testing.T, want, got written) {
	t.Helper()
	end := min(len(want.IDs), agree(want.IDs, got.IDs)+1)
	require.Greater(t, end, 3)
	require.InDeltaSlice(t, want.Surprise[:end], got.Surprise[:end], 1e-3)
}

// written is what a model has written.
type written struct {
	Prompt, IDs []int
	Surprise    []float64
}

// likeliest lets the course's model write n tokens behind ids.
func likeliest(t *testing.T, binary, dir string, ids []int, n int) (w written) {
	t.Helper()
	c := train.Converse(binary, dir, io.Discard)
	defer c.Close()
	data, err := c.Ask(inside.Question{Ask: inside.Write, IDs: ids, Tokens: n, TopP: 1, Stop: -1})
	require.NoError(t, err)
	var answer inside.Written
	require.NoError(t, json.Unmarshal(data, &answer))
	return written{IDs: answer.IDs, Surprise: answer.Surprise}
}

// llamaCpp lets llama.cpp write n tokens behind a text.
func llamaCpp(t *testing.T, packages, file, text string, n int) (w written) {
	t.Helper()
	cmd := exec.Command("node", "testdata/llamacpp.mjs", packages, file, strconv.Itoa(n), text)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &w))
	return w
}

// agree returns how many elements two lists begin with that are the same.
func agree(a, b []int) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
