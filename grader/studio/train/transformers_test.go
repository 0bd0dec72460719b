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
	"strings"
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

// asHF returns a folder of transformers' with the model of a folder, whose tokens are those
// of step 14.
func asHF(t *testing.T, dir string) string {
	t.Helper()
	c, err := run.Open(dir)
	require.NoError(t, err)
	m := c.Model
	file := filepath.Join(t.TempDir(), "state.safetensors")
	require.NoError(t, train.Export(t.Context(), writer(t, m), dir, file, io.Discard))
	state, err := weights.Read(file)
	require.NoError(t, err)
	theirs := map[string]*tensor.Tensor{"model.embed_tokens.weight": state["token_embeddings.weight"],
		"model.norm.weight": state["ln_final.weight"], "lm_head.weight": state["lm_head.weight"]}
	for layer := range m.NumLayers {
		ours, prefix := "layers."+strconv.Itoa(layer)+".", "model.layers."+strconv.Itoa(layer)+"."
		for name, other := range map[string]string{"ln1": "input_layernorm", "ln2": "post_attention_layernorm", "attn.q_proj": "self_attn.q_proj",
			"attn.k_proj": "self_attn.k_proj", "attn.v_proj": "self_attn.v_proj", "attn.output_proj": "self_attn.o_proj",
			"ffn.w1": "mlp.gate_proj", "ffn.w2": "mlp.down_proj", "ffn.w3": "mlp.up_proj"} {
			w := state[ours+name+".weight"]
			if name == "attn.q_proj" || name == "attn.k_proj" {
				w = halves(w, m.DModel/m.NumHeads)
			}
			theirs[prefix+other+".weight"] = w
		}
	}
	out := t.TempDir()
	require.NoError(t, weights.Write(filepath.Join(out, "model.safetensors"), theirs))
	put := func(name string, v any) {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(out, name), data, 0o600))
	}
	put("config.json", map[string]any{"model_type": "llama", "architectures": []string{"LlamaForCausalLM"}, "vocab_size": c.VocabSize,
		"hidden_size": m.DModel, "intermediate_size": m.DFF, "num_hidden_layers": m.NumLayers, "num_attention_heads": m.NumHeads,
		"num_key_value_heads": m.KVHeads(), "max_position_embeddings": m.ContextLength, "rms_norm_eps": 1e-5, "rope_theta": m.RopeTheta})
	put("tokenizer.json", learnedJSON(t, dir))
	return out
}

// learnedJSON returns the tokenizer.json of a folder whose tokens are those of step 14.
func learnedJSON(t *testing.T, dir string) map[string]any {
	t.Helper()
	var vocab map[string]int
	data, err := os.ReadFile(filepath.Join(dir, tokenizer.VocabFile))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &vocab))
	data, err = os.ReadFile(filepath.Join(dir, tokenizer.MergesFile))
	require.NoError(t, err)
	merges := strings.Split(strings.TrimSpace(string(data)), "\n")
	special, err := tokenizer.Special(dir)
	require.NoError(t, err)
	added := []map[string]any{}
	for _, name := range special {
		added = append(added, map[string]any{"id": vocab[name], "content": name, "single_word": false, "lstrip": false, "rstrip": false,
			"normalized": false, "special": true})
	}
	level := map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}
	return map[string]any{"version": "1.0", "truncation": nil, "padding": nil, "normalizer": nil, "pre_tokenizer": level,
		"post_processor": nil, "decoder": level, "added_tokens": added, "model": map[string]any{"type": "BPE", "dropout": nil,
			"unk_token": nil, "continuing_subword_prefix": nil, "end_of_word_suffix": nil, "fuse_unk": false, "byte_fallback": false,
			"ignore_merges": false, "vocab": vocab, "merges": merges[1:]}}
}
