package llama

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/studio/train/hf"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

func TestFromHF(t *testing.T) {
	c, state, tokens, err := imported(grouped().files(t))
	require.NoError(t, err)
	require.Equal(t, run.Config{Schema: run.Schema, VocabSize: 6, Settings: run.Settings{Model: run.Model{ContextLength: 8, DModel: 16,
		NumLayers: 1, NumHeads: 4, NumKVHeads: 2, DFF: 6, RopeTheta: 500, With: []string{"gqa"}}}}, c)
	require.Len(t, state, 12)
	require.Equal(t, state[embedding].Data, state[head].Data)
	require.Equal(t, []float32{100000, 100001}, state["layers.0.ffn.w3.weight"].Data[:2])
	for name, first := range map[string]float32{"layers.0.attn.q_proj.weight": 40000, "layers.0.attn.k_proj.weight": 50000} {
		w := state[name] // heads of 4: rows 0 and 2 are turned together, and 1 and 3
		for row, from := range []int{0, 2, 1, 3, 4, 6, 5, 7} {
			require.Equal(t, first+float32(16*from), w.At(row, 0), "%s, row %d", name, row)
		}
	}
	require.Equal(t, float32(60016), state["layers.0.attn.v_proj.weight"].At(1, 0))
	require.Equal(t, "#version: 0.2\nĠ h\nĠh e\n", string(tokens[tokenizer.MergesFile]))
	learned, err := tokenizer.Of("", tokens, 6)
	require.NoError(t, err)
	text, err := learned.Decode([]int{4, 0, 5})
	require.NoError(t, err)
	require.Equal(t, " he <|endoftext|>", text)
}

// TestOldFolder reads what older versions of transformers and tokenizers have written: the
// base of the angles beside their scaling, no type of the tokenizer, no stage behind it.
func TestOldFolder(t *testing.T) {
	f := grouped()
	delete(f.config, "rope_parameters")
	delete(f.config, "head_dim")
	f.config["rope_theta"], f.config["rope_scaling"] = 600.0, nil
	delete(f.tokenizer["model"].(object), "type")
	delete(f.tokenizer, "post_processor")
	c, _, tokens, err := imported(f.files(t))
	require.NoError(t, err)
	require.Equal(t, 600.0, c.Model.RopeTheta)
	require.Contains(t, tokens, tokenizer.MergesFile)
}

// TestSeveralFiles: what lies in several files is what lies in one; an old tensor of
// angles is left out; a head may stand in the file, and be no other than the embedding.
func TestSeveralFiles(t *testing.T) {
	_, want, _, err := imported(grouped().files(t))
	require.NoError(t, err)
	f := grouped()
	one, other, where := map[string]stored{}, map[string]stored{}, object{}
	for i, name := range slices.Sorted(maps.Keys(f.tensors)) {
		part, file := one, "model-00001-of-00002.safetensors"
		if i%2 == 1 {
			part, file = other, "model-00002-of-00002.safetensors"
		}
		part[name], where[name] = f.tensors[name], file
	}
	one["model.layers.0.self_attn.rotary_emb.inv_freq"] = stored{"F32", []int{2}, 1}
	where["model.layers.0.self_attn.rotary_emb.inv_freq"] = "model-00001-of-00002.safetensors"
	one["lm_head.weight"], where["lm_head.weight"] = f.tensors["model.embed_tokens.weight"], "model-00001-of-00002.safetensors"
	f.more = map[string]map[string]stored{"model-00001-of-00002.safetensors": one, "model-00002-of-00002.safetensors": other}
	f.tensors, f.index = nil, object{"metadata": object{"total_size": 1}, "weight_map": where}
	_, state, _, err := imported(f.files(t))
	require.NoError(t, err)
	require.Equal(t, want, state)

	const lost = "model.layers.0.mlp.up_proj.weight"
	for want, change := range map[string]func(files fstest.MapFS){
		"model.safetensors.index.json names the file model-00002-of-00002.safetensors, which is missing": func(files fstest.MapFS) {
			delete(files, "model-00002-of-00002.safetensors")
		},
		`holds no tensor "` + lost + `"; model.safetensors.index.json says that it does`: func(files fstest.MapFS) {
			part, file := one, where[lost].(string)
			if _, ok := one[lost]; !ok {
				part = other
			}
			part = maps.Clone(part)
			delete(part, lost)
			files[file] = &fstest.MapFile{Data: safetensors(t, part)}
		},
		`is in model-00001-of-00002.safetensors; model.safetensors.index.json says that it is in ""`: func(files fstest.MapFS) {
			more := maps.Clone(one)
			more["a"] = stored{"F32", []int{1}, 0}
			files["model-00001-of-00002.safetensors"] = &fstest.MapFile{Data: safetensors(t, more)}
		},
		`names the file "../elsewhere", which is not one of the folder`: func(files fstest.MapFS) {
			index := bytes.ReplaceAll(files["model.safetensors.index.json"].Data, []byte("model-00002-of-00002.safetensors"), []byte("../elsewhere"))
			files["model.safetensors.index.json"] = &fstest.MapFile{Data: index}
		},
		"neither model.safetensors nor model.safetensors.index.json is there": func(files fstest.MapFS) {
			delete(files, "model.safetensors.index.json")
		},
	} {
		files := f.files(t)
		change(files)
		_, _, _, err := imported(files)
		require.ErrorContains(t, err, want, want)
	}
}

// TestFromHFRefuses changes one thing at a time in a folder that is read.
func TestFromHFRefuses(t *testing.T) {
	config := func(key string, value any) func(*folder) { return func(f *folder) { f.config[key] = value } }
	tokens := func(key string, value any) func(*folder) { return func(f *folder) { f.tokenizer[key] = value } }
	bpe := func(key string, value any) func(*folder) {
		return func(f *folder) { f.tokenizer["model"].(object)[key] = value }
	}
	put := func(name, dtype string, shape ...int) func(*folder) {
		return func(f *folder) { f.tensors[name] = stored{dtype, shape, 1} }
	}
	for want, change := range map[string]func(*folder){
		"config.json is missing":    func(f *folder) { f.config = nil },
		"tokenizer.json is missing": func(f *folder) { f.tokenizer = nil },
		`config.json: model_type is "gemma"; the course's models are of the types "llama" and "gpt2"`: config("model_type", "gemma"),
		"config.json: hidden_size is 0, or missing; want at least 1":                                  func(f *folder) { delete(f.config, "hidden_size") },
		"config.json: hidden_size is a string; want a whole number":                                   config("hidden_size", "large"),
		"config.json: attention_bias is a number; want true or false":                                 config("attention_bias", 1),
		"attention_bias is true; the course's projections have no biases":                             config("attention_bias", true),
		"mlp_bias is true": config("mlp_bias", true),
		`hidden_act is "gelu"; step 05's network has "silu"`:                                                config("hidden_act", "gelu"),
		"quantization_config says that the parameters are quantised":                                        config("quantization_config", object{"bits": 4}),
		"RMSNorm's epsilon is 1e-06; step 04's is 1e-05":                                                    func(f *folder) { delete(f.config, "rms_norm_eps") },
		"positions are scaled (llama3)":                                                                     config("rope_parameters", object{"rope_type": "llama3", "rope_theta": 5e5}),
		"positions are scaled (linear)":                                                                     config("rope_scaling", object{"type": "linear", "factor": 2.0}),
		"of which RoPE turns 2":                                                                             config("rope_parameters", object{"partial_rotary_factor": 0.5}),
		"heads have keys of 8 and values of 8":                                                              config("head_dim", 8),
		"num_kv_heads is 3 and num_heads is 4":                                                              config("num_key_value_heads", 3),
		"num_kv_heads is 0 and num_heads is 4":                                                              config("num_key_value_heads", 0),
		"rope_theta is 0; want at least 1":                                                                  config("rope_parameters", object{"rope_theta": 0.0}),
		"the model has 1000000000 layers and 11 tensors":                                                    config("num_hidden_layers", 1000000000),
		`vocab_size is 7, but tensor "model.embed_tokens.weight" has`:                                       config("vocab_size", 7),
		`tensor "lm_head.weight" is missing, and config.json does not say that tie_word_embeddings is true`: func(f *folder) { delete(f.config, "tie_word_embeddings") },
		`tie_word_embeddings is true, but tensor "lm_head.weight" is another`:                               put("lm_head.weight", "F32", 6, 16),
		`tensor "model.norm.weight" is missing`:                                                             func(f *folder) { delete(f.tensors, "model.norm.weight") },
		`no place for tensor "model.layers.0.self_attn.q_proj.bias"`:                                        put("model.layers.0.self_attn.q_proj.bias", "F32", 16),
		`tensor "model.embed_tokens.weight" has shape (6); want a row for each token`:                       put("model.embed_tokens.weight", "F32", 6),
		`model.safetensors: tensor "model.norm.weight" has type "I8"; only F32, F16 and BF16 are read`:      put("model.norm.weight", "I8", 16),

		`tokenizer.json: the tokenizer is of the type "Unigram"; only BPE is read`: tokens("model", object{"type": "Unigram", "vocab": [][]any{{"a", 0}}}),
		"tokenizer.json: the merge \"a b c\" is not one of two tokens":             bpe("merges", []string{"a b c"}),
		`the merge of "h" and "x" does not make a token of two tokens`:             bpe("merges", []string{"h x"}),
		"ignore_merges is true": bpe("ignore_merges", true),
		`the prefix "##"`:       bpe("continuing_subword_prefix", "##"),
		"normalizer is NFC; step 14 takes texts as they are":              tokens("normalizer", object{"type": "NFC"}),
		"pre_tokenizer is Sequence; step 14 cuts texts as ByteLevel does": tokens("pre_tokenizer", object{"type": "Sequence"}),
		"pre_tokenizer is none":                                              tokens("pre_tokenizer", nil),
		"pre_tokenizer is ByteLevel; step 14":                                tokens("pre_tokenizer", object{"type": "ByteLevel", "use_regex": false}),
		"pre_tokenizer puts a space before a text":                           tokens("pre_tokenizer", object{"type": "ByteLevel"}),
		"post_processor is TemplateProcessing, which puts tokens around":     tokens("post_processor", pieceTokens(nil)["post_processor"]),
		"post_processor is BertProcessing":                                   tokens("post_processor", object{"type": "BertProcessing"}),
		`the added token is "<pad>"; step 14 writes such a token as <|name|`: tokens("added_tokens", []object{{"id": 5, "content": "<pad>"}}),
		`the added token "<|a|>" takes spaces with it`:                       tokens("added_tokens", []object{{"id": 5, "content": "<|a|>", "lstrip": true}}),
		"the tokenizer has 5 tokens, but the model has 6":                    tokens("added_tokens", []object{}),
		"the tokenizer has 6 tokens, and none with the id 5":                 tokens("added_tokens", []object{{"id": 300, "content": "<|a|>"}}),
		`the tokens "<|a|>" and "Ġhe" both have the id 4`:                    tokens("added_tokens", []object{{"id": 4, "content": "<|a|>"}}),
		`the token "Ġhe" has the ids 4 and 9`:                                tokens("added_tokens", []object{{"id": 9, "content": "Ġhe"}}),
		`the token "<|a|>" is none of added_tokens`: func(f *folder) {
			f.tokenizer["model"].(object)["vocab"].(object)["<|a|>"] = 5
			f.tokenizer["added_tokens"] = []object{}
		},
	} {
		f := grouped()
		change(&f)
		_, _, _, err := imported(f.files(t))
		require.ErrorContains(t, err, want, want)
	}
}

// TestPieces reads tokenizers of Llama's kind: a score of llama2.c's is the place of the
// first merge that makes a token.
func TestPieces(t *testing.T) {
	pieces := []string{"▁", "t", "h", "e", "▁t", "he", "▁the", "th", "▁th"}
	merges := []string{"▁ t", "h e", "▁t he", "▁th e", "t h", "▁t h", "▁ th"}
	read := func(change func(tokens object)) (map[string][]byte, error) {
		f, tokens := grouped(), pieceTokens(pieces, merges...)
		change(tokens)
		withPieces(&f, tokens)
		_, _, files, err := imported(f.files(t))
		return files, err
	}
	newer := func(tokens object) {
		tokens["normalizer"] = nil
		tokens["pre_tokenizer"] = object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false}
	}
	for _, change := range []func(object){func(object) {}, newer} {
		files, err := read(change)
		require.NoError(t, err)
		p, err := tokenizer.ReadPieces(bytes.NewReader(files[tokenizer.PiecesFile]), 259+len(pieces))
		require.NoError(t, err)
		text, score := p.Piece(259 + slices.Index(pieces, "▁the"))
		require.Equal(t, " the", text)
		require.Equal(t, float32(-3), score)
		ids, err := p.Prompt("thehé")
		require.NoError(t, err) // "▁ t" comes first, then "h e", then both; é is no piece, and two bytes
		require.Equal(t, []int{1, 265, 261, tokenizer.FirstByte + 0xc3, tokenizer.FirstByte + 0xa9}, ids)
	}
	for want, change := range map[string]func(tokens object){
		`there is no merge of them, as SentencePiece has`: func(tokens object) { tokens["model"].(object)["merges"] = merges[:6] },
		`the merges that make "▁the" do not stand together`: func(tokens object) {
			tokens["model"].(object)["merges"] = slices.Concat(merges[:3], merges[4:], merges[3:4])
		},
		`does not make a token of two tokens`:     func(tokens object) { tokens["model"].(object)["merges"] = []string{"h t"} },
		`the added token is "<pad>"; llama2.c's`:  func(tokens object) { tokens["added_tokens"] = []object{{"id": 268, "content": "<pad>"}} },
		"want those of Llama's tokenizer":         func(tokens object) { tokens["normalizer"] = nil },
		"puts no space before a text; llama2.c's": func(tokens object) { newer(tokens); tokens["pre_tokenizer"].(object)["prepend_scheme"] = "never" },
		"and pre_tokenizer is Metaspace; want":    func(tokens object) { newer(tokens); tokens["pre_tokenizer"].(object)["split"] = true },
		"post_processor is none; want":            func(tokens object) { tokens["post_processor"] = nil },
		"post_processor is TemplateProcessing; wan": func(tokens object) {
			tokens["post_processor"].(object)["single"] = []object{{"Sequence": object{"id": "A"}}}
		},
		`token 3 is "<0xZZ>"; in llama2.c's tokenizer it is "<0x00>"`: func(tokens object) {
			vocab := tokens["model"].(object)["vocab"].(object)
			delete(vocab, "<0x00>")
			vocab["<0xZZ>"] = 3
		},
	} {
		_, err := read(change)
		require.ErrorContains(t, err, want, want)
	}
}

// TestDamagedFolder cuts every file of a folder off everywhere, and changes every byte: an
// error or another model comes of it, and no panic. Of the longer tokenizer of pieces it is
// every seventh.
func TestDamagedFolder(t *testing.T) {
	damage(t, grouped(), 1, "model.safetensors", hf.ConfigFile, hf.TokenizerFile)
	pieces := grouped()
	withPieces(&pieces, pieceTokens([]string{"a", "b", "ab"}, "a b"))
	damage(t, pieces, 7, hf.TokenizerFile)
	several := grouped()
	several.more, several.tensors = map[string]map[string]stored{"a.safetensors": several.tensors}, nil
	where := object{}
	for name := range several.more["a.safetensors"] {
		where[name] = "a.safetensors"
	}
	several.index = object{"weight_map": where}
	damage(t, several, 1, "model.safetensors.index.json")
}

// damage damages some files of a folder, at every byte or at one of so many.
func damage(t *testing.T, f folder, every int, names ...string) {
	t.Helper()
	whole := f.files(t)
	_, _, _, err := imported(whole)
	require.NoError(t, err)
	for _, name := range names {
		data := whole[name].Data
		end := len(data)
		if name == "model.safetensors" { // behind its header stand numbers alone
			end = 8 + int(binary.LittleEndian.Uint64(data))
		}
		read := func(data []byte) error {
			files := maps.Clone(whole)
			files[name] = &fstest.MapFile{Data: data}
			_, _, _, err := imported(files)
			return err
		}
		for n := 0; n < end; n += every {
			require.Error(t, read(data[:n]), "the first %d bytes of %s", n, name)
			for _, b := range []byte(`0"{`) {
				damaged := bytes.Clone(data)
				damaged[n] = b
				_ = read(damaged)
			}
		}
	}
}

// TestNoJSON: a file that is no JSON at all says so, by its name.
func TestNoJSON(t *testing.T) {
	files := grouped().files(t)
	files[hf.ConfigFile] = &fstest.MapFile{Data: []byte("no JSON")}
	_, _, _, err := imported(files)
	require.ErrorContains(t, err, "config.json: not JSON")
}
