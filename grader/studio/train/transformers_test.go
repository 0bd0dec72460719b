package train_test

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
	"github.com/stubformer/stubformer/reference/tensor"
)

// TestTransformers holds what is read from folders of transformers to transformers: it
// finds the same tokens in a text, writes the same 60 tokens behind it, and is as
// surprised by each; and it is not where the rows of a head are in another order. It needs
// an interpreter that has transformers and torch, which TRANSFORMERS names; see
// bench/transformers.sh.
func TestTransformers(t *testing.T) {
	python := os.Getenv("TRANSFORMERS")
	if python == "" {
		t.Skip("TRANSFORMERS does not say which Python has transformers")
	}
	theirs, text := t.TempDir(), filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte(corpus.Village(1, 20_000)), 0o600))
	huggingface(t, python, "make", theirs, text)
	folders := map[string]string{}
	made, err := filepath.Glob(filepath.Join(theirs, "*"))
	require.NoError(t, err)
	require.Len(t, made, 6)
	for _, folder := range made {
		folders[filepath.Base(folder)] = folder
	}
	folders["trained here: tokens of step 14, grouped queries"] = asHF(t, groupedOfTokens(t))
	folders["trained here: GPT-2's parts, tokens of step 14"] = asHF(t, ofTokens(t, wide("layernorm", "gelu", "learned-positions")))
	for name, folder := range folders {
		t.Run(name, func(t *testing.T) {
			const prompt, n = "Tom went to the", 60
			dir := filepath.Join(t.TempDir(), "model")
			c, err := train.ImportHF(folder, dir, nil)
			require.NoError(t, err)
			binary := writer(t, c.Model)
			tokens := openTokens(t, dir, c)
			ids, err := tokens.Prompt(prompt)
			require.NoError(t, err)
			var want written
			require.NoError(t, json.Unmarshal(huggingface(t, python, "write", folder, strconv.Itoa(n), prompt), &want))
			got := likeliest(t, binary, dir, ids, n)
			require.Equal(t, want.Prompt, ids)
			require.Equal(t, want.IDs, got.IDs)
			require.InDeltaSlice(t, want.Surprise, got.Surprise, 1e-3)

			t.Logf("−log p: at most %.2g off", largest(want.Surprise, got.Surprise))
			for what, change := range misread(c.Model) {
				other := likeliest(t, binary, changed(t, dir, change), ids, n)
				require.Greater(t, largest(want.Surprise, other.Surprise), 1e-3, what)
			}
		})
	}
}

// TestTransformersRead holds transformers to what is written for it: in models of
// characters, which nobody reads back, it finds the ids that the course has for a text, and
// writes the same behind it.
func TestTransformersRead(t *testing.T) {
	python := os.Getenv("TRANSFORMERS")
	if python == "" {
		t.Skip("TRANSFORMERS does not say which Python has transformers")
	}
	for name, with := range map[string][]string{"Llama's": nil, "GPT-2's": {"layernorm", "relu", "learned-positions", "dropout"},
		"GPT-2's without biases of norms": {"layernorm", "gelu-tanh", "learned-positions"}} {
		t.Run(name, func(t *testing.T) {
			const prompt, n = "Tom went to the\nhouse.", 60
			dir := trainedOn(t, wide(with...), nil)
			c, err := run.Open(dir)
			require.NoError(t, err)
			folder := asHF(t, dir)
			ids, err := openTokens(t, dir, c).Prompt(prompt)
			require.NoError(t, err)
			var want written
			require.NoError(t, json.Unmarshal(huggingface(t, python, "write", folder, strconv.Itoa(n), prompt), &want))
			got := likeliest(t, writer(t, c.Model), dir, ids, n)
			require.Equal(t, want.Prompt, ids)
			require.Equal(t, want.IDs, got.IDs)
			require.InDeltaSlice(t, want.Surprise, got.Surprise, 1e-3)
			t.Logf("−log p: at most %.2g off", largest(want.Surprise, got.Surprise))
		})
	}
}

// TestImportHF writes a trained model in transformers' layout and reads it: it is what it
// was, to the bit, and so is its tokenizer. Tensors of another shape are named.
func TestImportHF(t *testing.T) {
	sweep.Only(t)
	dir := groupedOfTokens(t)
	before, err := run.Open(dir)
	require.NoError(t, err)
	folder, back := asHF(t, dir), filepath.Join(t.TempDir(), "back")
	after, err := train.ImportHF(folder, back, before.Model.With)
	require.NoError(t, err)
	before.Corpus, before.Seed, before.Data, before.Recipe, before.Trained = "", 0, nil, run.Recipe{}, nil
	require.Equal(t, before, after)
	binary := writer(t, before.Model)
	require.Equal(t, parameters(t, binary, dir), parameters(t, binary, back))
	tokens, err := tokenizer.Files(dir)
	require.NoError(t, err)
	again, err := tokenizer.Files(back)
	require.NoError(t, err)
	require.JSONEq(t, string(tokens[tokenizer.VocabFile]), string(again[tokenizer.VocabFile])) // an object has no order
	tokens[tokenizer.VocabFile] = again[tokenizer.VocabFile]
	require.Equal(t, tokens, again)

	refused := func(want string, with ...string) {
		_, err := train.ImportHF(folder, filepath.Join(t.TempDir(), "other"), with)
		require.ErrorContains(t, err, want)
	}
	refused("a model with sinusoids is none of Llama's family", "sinusoids")
	file := filepath.Join(folder, "model.safetensors")
	state, err := weights.Read(file)
	require.NoError(t, err)
	state["model.layers.0.self_attn.k_proj.weight"] = tensor.New(16, 64)
	state["model.layers.1.mlp.up_proj.weight"] = tensor.New(96)
	require.NoError(t, weights.Write(file, state))
	refused("layers.0.attn.k_proj.weight has shape (16, 64), want (32, 64)\nlayers.1.ffn.w3.weight has shape (96), want (96, 64)")
}

// TestExportHFOfGPT2 writes a trained model of step 19's parts in transformers' layout and
// reads it: what comes back is wider, for it has biases, and writes the same.
func TestExportHFOfGPT2(t *testing.T) {
	sweep.Only(t)
	const n = 40
	for name, with := range map[string][]string{"norms with biases": {"layernorm", "gelu-tanh", "learned-positions", "dropout"},
		"norms without": {"layernorm", "relu", "learned-positions"}} {
		t.Run(name, func(t *testing.T) {
			dir, back := ofTokens(t, wide(with...)), filepath.Join(t.TempDir(), "back")
			before, err := run.Open(dir)
			require.NoError(t, err)
			after, err := train.ImportHF(asHF(t, dir), back, nil)
			require.NoError(t, err)
			require.Greater(t, after.Model.DModel, before.Model.DModel)
			ids := []int{'T', 'o', 'm'}
			want := likeliest(t, writer(t, before.Model), dir, ids, n)
			got := likeliest(t, writer(t, after.Model), back, ids, n)
			require.Equal(t, want.IDs, got.IDs)
			require.InDeltaSlice(t, want.Surprise, got.Surprise, 1e-4)
		})
	}
}

// TestExportHFRefuses names what cannot be written, and leaves nothing behind.
func TestExportHFRefuses(t *testing.T) {
	sweep.Only(t)
	checkpoint, pieces := llama2c(t, 264, 2)
	imported := filepath.Join(t.TempDir(), "model")
	_, err := train.ImportLlama2c(checkpoint, pieces, imported, nil)
	require.NoError(t, err)
	mixed := wide("moe")
	mixed.Model.Experts = run.Experts{NumExperts: 5, ExpertsPerToken: 2, BalanceLoss: 0.01}
	for want, dir := range map[string]string{
		"the tokenizer is llama2.c's":        imported,
		"has no experts":                     trainedOn(t, mixed, nil),
		"a model with learned-positions is":  trainedOn(t, wide("learned-positions"), nil),
		"a model with sinusoids is none of ": trainedOn(t, wide("sinusoids"), nil),
	} {
		c, err := run.Open(dir)
		require.NoError(t, err)
		binary, parent := writer(t, c.Model), t.TempDir()
		out := filepath.Join(parent, "theirs")
		require.ErrorContains(t, train.ExportHF(t.Context(), binary, dir, out, io.Discard), want)
		left, err := os.ReadDir(parent)
		require.NoError(t, err)
		require.Empty(t, left)
	}
	dir := trainedOn(t, wide(), nil)
	c, err := run.Open(dir)
	require.NoError(t, err)
	require.ErrorContains(t, train.ExportHF(t.Context(), writer(t, c.Model), dir, t.TempDir(), io.Discard), "is there already")
}

// huggingface runs testdata/huggingface.py, and returns what it prints.
func huggingface(t *testing.T, python string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(python, append([]string{"testdata/huggingface.py"}, args...)...)
	cmd.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "CUDA_VISIBLE_DEVICES=", "HF_HUB_DISABLE_PROGRESS_BARS=1")
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%v\n%s", err, exit.Stderr)
	}
	require.NoError(t, err)
	return out
}

// openTokens opens the tokenizer of a folder, with the solution of step 14.
func openTokens(t *testing.T, dir string, c run.Config) interface{ Prompt(string) ([]int, error) } {
	t.Helper()
	kit, err := workspace.Find(".")
	require.NoError(t, err)
	tokens, err := train.OpenTokenizer(dir, c.VocabSize, func() (*train.Coder, error) {
		coder, err := train.NewCoder(t.Context(), kit, workspace.Solutions(), io.Discard)
		if err == nil {
			t.Cleanup(func() { require.NoError(t, coder.Close()) })
		}
		return coder, err
	})
	require.NoError(t, err)
	return tokens
}

// largest is how far two lists are apart.
func largest(a, b []float64) (most float64) {
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// misread are ways to read the first layer of a folder wrongly, by what is wrong.
func misread(m run.Model) map[string]func(state map[string]*tensor.Tensor) {
	type named = map[string]*tensor.Tensor
	const q, k, v, o = "layers.0.attn.q_proj.weight", "layers.0.attn.k_proj.weight", "layers.0.attn.v_proj.weight",
		"layers.0.attn.output_proj.weight"
	wrong := map[string]func(named){"the rows of W_K in another order": func(s named) { s[k] = halves(s[k], m.DModel/m.NumHeads) }}
	if !slices.Contains(m.With, "learned-positions") {
		return wrong
	}
	wrong["k, q, v for q, k, v"] = func(s named) { s[q], s[k] = s[k], s[q] }
	wrong["v, k, q for q, k, v"] = func(s named) { s[q], s[v] = s[v], s[q] }
	wrong["q, v, k for q, k, v"] = func(s named) { s[k], s[v] = s[v], s[k] }
	wrong["c_proj not transposed"] = func(s named) {
		w := tensor.New(s[o].Shape...)
		for i := range w.Dim(0) {
			for j := range w.Dim(1) {
				w.Set(s[o].At(j, i), i, j)
			}
		}
		s[o] = w
	}
	for name, what := range map[string]string{q: "no bias of the queries", v: "no biases of the values, nor that behind W_O"} {
		wrong[what] = func(s named) {
			one := slices.Index(s["layers.0.ln1.weight"].Row(0), 0) // the first number behind GPT-2's stream
			for row := range s[name].Dim(0) {
				s[name].Set(0, row, one)
			}
		}
	}
	wrong["no bias of the last norm"] = func(s named) { clear(s[weights.LastNorm].Row(1)) }
	return wrong
}

// changed returns a folder like another, whose parameters are changed.
func changed(t *testing.T, dir string, change func(map[string]*tensor.Tensor)) string {
	t.Helper()
	state, err := weights.Read(filepath.Join(dir, run.WeightsFile))
	require.NoError(t, err)
	change(state)
	file, out := filepath.Join(t.TempDir(), "state.safetensors"), filepath.Join(t.TempDir(), "changed")
	require.NoError(t, weights.Write(file, state))
	_, err = train.ImportState(file, dir, out)
	require.NoError(t, err)
	return out
}

// halves returns a matrix of queries or keys with the rows 2i and 2i+1 of a head of size K
// at i and i + K/2.
func halves(w *tensor.Tensor, size int) *tensor.Tensor {
	out := tensor.New(w.Shape...)
	for row := range w.Dim(0) {
		head, i := row/size*size, row%size
		copy(out.Row(head+i/2+i%2*size/2), w.Row(row))
	}
	return out
}

// asHF returns a folder of transformers' with the model of a folder.
func asHF(t *testing.T, dir string) string {
	t.Helper()
	c, err := run.Open(dir)
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "theirs")
	require.NoError(t, train.ExportHF(t.Context(), writer(t, c.Model), dir, out, io.Discard))
	return out
}
