package gpt2

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/studio/train/hf"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/reference/tensor"
)

// object is a JSON object.
type object = map[string]any

// stored is a tensor in a file. Its numbers are 1, 2, … in F32; in another type they are 0.
type stored struct {
	dtype string
	shape []int
}

// folder is one of transformers', in its parts.
type folder struct {
	config  object
	tokens  map[string]string
	tensors map[string]stored
}

// published is a folder in the layout of GPT-2's: two heads of three numbers, one layer, no
// prefix, a causal mask among the tensors.
func published() folder {
	f := folder{
		config: object{"model_type": "gpt2", "architectures": []string{"GPT2LMHeadModel"}, "activation_function": "gelu_new",
			"attn_pdrop": 0.1, "embd_pdrop": 0.1, "layer_norm_epsilon": 1e-5, "n_ctx": 4, "n_embd": 6, "n_head": 2, "n_layer": 1,
			"n_positions": 4, "n_inner": 8, "vocab_size": 5},
		tokens: map[string]string{"tokenizer.json": `{"normalizer": null, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
			"post_processor": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false},
			"added_tokens": [{"id": 4, "special": true, "content": "<|endoftext|>", "normalized": true, "lstrip": false}],
			"model": {"vocab": {"Ġ": 0, "h": 1, "e": 2, "Ġh": 3, "<|endoftext|>": 4}, "merges": ["Ġ h"]}}`},
		tensors: map[string]stored{"h.0.attn.bias": {"BOOL", []int{1, 1, 4, 4}}, "h.0.attn.masked_bias": {"F32", []int{}}},
	}
	for name, shape := range map[string][]int{"wte.weight": {5, 6}, "wpe.weight": {4, 6}, "ln_f.weight": {6}, "ln_f.bias": {6},
		"h.0.ln_1.weight": {6}, "h.0.ln_1.bias": {6}, "h.0.ln_2.weight": {6}, "h.0.ln_2.bias": {6},
		"h.0.attn.c_attn.weight": {6, 18}, "h.0.attn.c_attn.bias": {18}, "h.0.attn.c_proj.weight": {6, 6}, "h.0.attn.c_proj.bias": {6},
		"h.0.mlp.c_fc.weight": {6, 8}, "h.0.mlp.c_fc.bias": {8}, "h.0.mlp.c_proj.weight": {8, 6}, "h.0.mlp.c_proj.bias": {6}} {
		f.tensors[name] = stored{"F32", shape}
	}
	return f
}

// files returns what a folder consists of, by name.
func (f folder) files(t *testing.T) fstest.MapFS {
	t.Helper()
	config, err := json.Marshal(f.config)
	require.NoError(t, err)
	out := fstest.MapFS{hf.ConfigFile: {Data: config}, "model.safetensors": {Data: safetensors(t, f.tensors)}}
	for name, text := range f.tokens {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// safetensors writes a file of tensors by the format's description alone.
func safetensors(t *testing.T, tensors map[string]stored) []byte {
	t.Helper()
	header, data := object{}, []byte{}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		x, begin, n := tensors[name], len(data), 1
		for _, d := range x.shape {
			n *= d
		}
		for i := range n {
			if x.dtype == "F32" {
				data, _ = binary.Append(data, binary.LittleEndian, float32(i+1))
			} else {
				data = append(data, 0)
			}
		}
		header[name] = object{"dtype": x.dtype, "shape": x.shape, "data_offsets": []int{begin, len(data)}}
	}
	text, err := json.Marshal(header)
	require.NoError(t, err)
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data)
}

// imported reads the files of a folder.
func imported(files fstest.MapFS) (run.Config, map[string]*tensor.Tensor, map[string][]byte, error) {
	f, err := hf.Read(files)
	if err != nil {
		return run.Config{}, nil, nil, err
	}
	return FromHF(f)
}

// TestFromHF looks where the numbers of a folder go. That the model computes the same is
// for train's TestImportGPT2 to say.
func TestFromHF(t *testing.T) {
	c, state, tokens, err := imported(published().files(t))
	require.NoError(t, err)
	require.Equal(t, run.Config{Schema: run.Schema, VocabSize: 5, Settings: run.Settings{Model: run.Model{ContextLength: 4, DModel: 8,
		NumLayers: 1, NumHeads: 2, DFF: 6, RopeTheta: 10000, With: []string{"layernorm", "gelu-tanh", "learned-positions", "dropout"}}}}, c)
	require.Len(t, state, 12)
	require.Equal(t, []int{9, 8}, state["token_embeddings.weight"].Shape)
	require.Equal(t, []float32{1, 2, 3, 4, 5, 6, 0, 0}, state["lm_head.weight"].Row(0), "tied, and as it is")
	require.InDeltaSlice(t, []float32{-2.5, -1.5, -0.5, 0.5, 1.5, 2.5}, divided(state["token_embeddings.weight"].Row(5)[:6], 1.1547005), 1e-5,
		"centred, and wider: √(8/6)")
	q, k, v := state["layers.0.attn.q_proj.weight"], state["layers.0.attn.k_proj.weight"], state["layers.0.attn.v_proj.weight"]
	require.Equal(t, []float32{7, 25, 43, 61, 79, 97, 7, 0}, k.Row(0), "a column of c_attn, and a bias")
	require.Equal(t, []float32{10, 28, 46, 64, 82, 100, 10, 0}, k.Row(4), "the first of the second head")
	require.Equal(t, []float32{0, 0, 0, 0, 0, 0, 0, 0}, k.Row(3))
	require.InDeltaSlice(t, []float32{1, 19, 37, 55, 73, 91, 1, 0}, divided(q.Row(0), 1.1547005), 1e-5, "√(4/3)")
	require.Equal(t, []float32{13, 31, 49, 67, 85, 103, 13, 0}, v.Row(0))
	require.Equal(t, []float32{0, 0, 0, 0, 0, 0, 1, 0}, v.Row(3))
	require.Equal(t, []float32{1, 2, 3, 4, 5, 6, 1, 0}, state["layers.0.ln1.weight"].Row(1))
	require.Equal(t, []float32{1, 2, 3, 4, 5, 6, 0, 0}, state["layers.0.ln2.weight"].Row(1))
	require.Equal(t, []int{9, 8}, state["layers.0.ffn.w1.weight"].Shape)
	require.Equal(t, []float32{2, 10, 18, 26, 34, 42, 0, 0}, state["layers.0.ffn.w1.weight"].Row(1))
	require.Equal(t, []float32{1, 2, 3, 4, 5, 6, 7, 8, 0}, state["layers.0.ffn.w3.weight"].Data[:9])
	learned, err := tokenizer.Of("", tokens, 5)
	require.NoError(t, err)
	text, err := learned.Decode([]int{3, 2, 4})
	require.NoError(t, err)
	require.Equal(t, " he<|endoftext|>", text)
}

func divided(x []float32, by float32) (out []float32) {
	for _, v := range x {
		out = append(out, v/by)
	}
	return out
}

// TestOtherFiles reads the same model from files that say it in another way: with a prefix
// and the head, and with the tokenizer that GPT-2 was published with.
func TestOtherFiles(t *testing.T) {
	_, want, wantTokens, err := imported(published().files(t))
	require.NoError(t, err)
	f := published()
	f.tensors = map[string]stored{"lm_head.weight": {"F32", []int{5, 6}}}
	for name, x := range published().tensors {
		f.tensors[prefix+name] = x
	}
	f.config["activation_function"] = "gelu_pytorch_tanh"
	f.tokens = map[string]string{"vocab.json": `{"Ġ": 0, "h": 1, "e": 2, "Ġh": 3, "<|endoftext|>": 4}`, "merges.txt": "#version: 0.2\nĠ h\n"}
	_, got, tokens, err := imported(f.files(t))
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, wantTokens, tokens)

	f.config["tie_word_embeddings"] = false
	_, got, _, err = imported(f.files(t))
	require.NoError(t, err)
	require.Equal(t, want, got)
	for activation, part := range map[string]string{"gelu": "gelu", "relu": "relu"} {
		f.config["activation_function"] = activation
		c, _, _, err := imported(f.files(t))
		require.NoError(t, err)
		require.Contains(t, c.Model.With, part)
	}
}

// TestFromHFRefuses changes one thing at a time in a folder that is read.
func TestFromHFRefuses(t *testing.T) {
	config := func(key string, value any) func(*folder) { return func(f *folder) { f.config[key] = value } }
	put := func(name, dtype string, shape ...int) func(*folder) {
		return func(f *folder) { f.tensors[name] = stored{dtype, shape} }
	}
	tokens := func(files map[string]string) func(*folder) { return func(f *folder) { f.tokens = files } }
	const vocab = `{"Ġ": 0, "h": 1, "e": 2, "Ġh": 3, "<|endoftext|>": 4}`
	for want, change := range map[string]func(*folder){
		"config.json: n_embd is 0, or missing; want at least 1":                               func(f *folder) { delete(f.config, "n_embd") },
		"config.json: n_layer is -1, or missing":                                              config("n_layer", -1),
		"config.json: n_head is a string; want a whole number":                                config("n_head", "two"),
		"n_embd is 6 and n_head is 4; want a number of heads that divides it":                 config("n_head", 4),
		"n_inner is 0, or missing":                                                            config("n_inner", 0),
		`activation_function is "gelu_fast"; want "gelu_new"`:                                 config("activation_function", "gelu_fast"),
		"layer_norm_epsilon is 0; want a number above 0":                                      config("layer_norm_epsilon", 0),
		"scale_attn_weights is false; step 08 divides scores":                                 config("scale_attn_weights", false),
		"scale_attn_by_inverse_layer_idx is true; step 08":                                    config("scale_attn_by_inverse_layer_idx", true),
		"add_cross_attention is true; the course's model reads one text":                      config("add_cross_attention", true),
		"quantization_config says that the parameters are quantised":                          config("quantization_config", object{"bits": 4}),
		`tensor "wte.weight" has shape (5, 6), want (7, 6)`:                                   config("vocab_size", 7),
		`tensor "wpe.weight" has shape (4, 6), want (8, 6)`:                                   config("n_positions", 8),
		`tensor "h.0.mlp.c_fc.weight" has shape (6, 8), want (6, 24)`:                         func(f *folder) { delete(f.config, "n_inner") },
		`tensor "h.1.ln_1.weight" is missing`:                                                 config("n_layer", 1<<40),
		`tensor "lm_head.weight" is missing, and config.json says that tie_word_embeddings i`: config("tie_word_embeddings", false),
		`tie_word_embeddings is true, but tensor "lm_head.weight" is another`:                 put("lm_head.weight", "F32", 6, 5),
		`tensor "ln_f.bias" is missing`:                                                       func(f *folder) { delete(f.tensors, "ln_f.bias") },
		`tensor "h.0.attn.c_attn.weight" has shape (18, 6), want (6, 18)`:                     put("h.0.attn.c_attn.weight", "F32", 18, 6),
		`tensor "h.0.attn.c_proj.bias" is missing`:                                            func(f *folder) { delete(f.tensors, "h.0.attn.c_proj.bias") },
		`no place for tensor "h.0.crossattention.c_attn.weight"`:                              put("h.0.crossattention.c_attn.weight", "F32", 6, 12),
		`no place for tensor "h.1.ln_1.weight"`:                                               put("h.1.ln_1.weight", "F32", 6),
		`the tensors "wte.weight" and "transformer.wte.weight" are both there`:                put("transformer.wte.weight", "F32", 5, 6),
		`tensor "wte.weight" has type "I8"; only F32, F16 and BF16 are read`:                  put("wte.weight", "I8", 5, 6),
		"tokenizer.json is missing":                                                           tokens(nil),
		"vocab.json is there, and merges.txt is missing; or want tokenizer.json":              tokens(map[string]string{"vocab.json": vocab}),
		`merges.txt: line 2 is "h"; want two tokens with a space between`:                     tokens(map[string]string{"vocab.json": vocab, "merges.txt": "Ġ h\nh\n"}),
		`the merge of "h" and "x" does not make a token of two tokens`:                        tokens(map[string]string{"vocab.json": vocab, "merges.txt": "h x"}),
		"the tokenizer has 1 tokens, but the model has 5":                                     tokens(map[string]string{"vocab.json": `{"h": 0}`, "merges.txt": "#version: 0.2\n"}),
		"vocab.json: not JSON":                                                                tokens(map[string]string{"vocab.json": `h`, "merges.txt": ""}),
	} {
		f := published()
		change(&f)
		_, _, _, err := imported(f.files(t))
		require.ErrorContains(t, err, want, want)
	}
	require.ErrorContains(t, Family([]string{"layernorm", "post-norm"}), "a model with post-norm is none of GPT-2's family")
}

// TestDamaged cuts every file of a folder off everywhere, and changes every byte: an error
// or another model comes of it, and no panic.
func TestDamaged(t *testing.T) {
	f := published()
	whole := f.files(t)
	whole["vocab.json"] = &fstest.MapFile{Data: []byte(`{"Ġ": 0, "h": 1, "e": 2, "Ġh": 3, "<|endoftext|>": 4}`)}
	whole["merges.txt"] = &fstest.MapFile{Data: []byte("#version: 0.2\nĠ h\n")}
	for name, file := range whole {
		end := len(file.Data)
		if name == "model.safetensors" { // behind its header stand numbers alone
			end = 8 + int(binary.LittleEndian.Uint64(file.Data))
		}
		read := func(data []byte) error {
			files := maps.Clone(whole)
			if name == "vocab.json" || name == "merges.txt" {
				delete(files, "tokenizer.json") // which would be read instead
			}
			files[name] = &fstest.MapFile{Data: data}
			_, _, _, err := imported(files)
			return err
		}
		require.NoError(t, read(file.Data))
		for n := range end {
			if err := read(file.Data[:n]); name != "merges.txt" { // which may have fewer lines
				require.Error(t, err, "the first %d bytes of %s", n, name)
			}
			for _, b := range []byte(`0"{`) {
				damaged := bytes.Clone(file.Data)
				damaged[n] = b
				_ = read(damaged)
			}
		}
	}
}
