package llama

import (
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

// folder is one of transformers', in its parts.
type folder struct {
	config, tokenizer, index object
	tensors                  map[string]stored // of model.safetensors
	more                     map[string]map[string]stored
}

// stored is a tensor in a file: its float32 numbers are those from first on.
type stored struct {
	dtype string
	shape []int
	first float32
}

// grouped is a folder with two heads of keys for four of queries, and a tied head.
func grouped() folder {
	f := folder{
		config: object{"model_type": "llama", "architectures": []string{"LlamaForCausalLM"}, "vocab_size": 6, "hidden_size": 16,
			"intermediate_size": 6, "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4,
			"max_position_embeddings": 8, "rms_norm_eps": 1e-5, "hidden_act": "silu", "tie_word_embeddings": true,
			"rope_parameters": object{"rope_type": "default", "rope_theta": 500.0}, "attention_bias": false, "quantization_config": nil},
		tokenizer: byteTokens(),
		tensors:   map[string]stored{},
	}
	for i, part := range []struct {
		name  string
		shape []int
	}{
		{"model.embed_tokens", []int{6, 16}}, {"model.norm", []int{16}},
		{"model.layers.0.input_layernorm", []int{16}}, {"model.layers.0.post_attention_layernorm", []int{16}},
		{"model.layers.0.self_attn.q_proj", []int{16, 16}}, {"model.layers.0.self_attn.k_proj", []int{8, 16}},
		{"model.layers.0.self_attn.v_proj", []int{8, 16}}, {"model.layers.0.self_attn.o_proj", []int{16, 16}},
		{"model.layers.0.mlp.gate_proj", []int{6, 16}}, {"model.layers.0.mlp.down_proj", []int{16, 6}}, {"model.layers.0.mlp.up_proj", []int{6, 16}},
	} {
		f.tensors[part.name+".weight"] = stored{"F32", part.shape, float32(10000 * i)}
	}
	return f
}

// byteTokens is a tokenizer of GPT-2's kind: three bytes, two merges, a special token.
func byteTokens() object {
	return object{"normalizer": nil, "pre_tokenizer": object{"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
		"post_processor": object{"type": "ByteLevel", "trim_offsets": false},
		"added_tokens":   []object{{"id": 5, "content": "<|endoftext|>", "lstrip": false, "rstrip": false, "single_word": false}},
		"model": object{"type": "BPE", "vocab": object{"Ġ": 0, "h": 1, "e": 2, "Ġh": 3, "Ġhe": 4},
			"merges": []any{"Ġ h", []string{"Ġh", "e"}}}}
}

// pieceTokens is a tokenizer of Llama's kind, of the given pieces and merges.
func pieceTokens(pieces []string, merges ...string) object {
	vocab := object{}
	for id := range tokenizer.FirstByte + 256 {
		name, _ := pieceName(id, "")
		vocab[name] = id
	}
	for _, piece := range pieces {
		vocab[piece] = len(vocab)
	}
	return object{
		"normalizer": object{"type": "Sequence", "normalizers": []object{{"type": "Prepend", "prepend": "▁"},
			{"type": "Replace", "pattern": object{"String": " "}, "content": "▁"}}},
		"pre_tokenizer": nil,
		"post_processor": object{"type": "TemplateProcessing", "single": []object{
			{"SpecialToken": object{"id": "<s>", "type_id": 0}}, {"Sequence": object{"id": "A", "type_id": 0}}}},
		"added_tokens": []object{{"id": 0, "content": "<unk>"}, {"id": 1, "content": "<s>"}, {"id": 2, "content": "</s>"}},
		"model":        object{"type": "BPE", "byte_fallback": true, "vocab": vocab, "merges": merges}}
}

// withPieces changes a folder's tokenizer, and the vocabulary's size with it.
func withPieces(f *folder, tokens object) {
	n := len(tokens["model"].(object)["vocab"].(object))
	f.tokenizer, f.config["vocab_size"] = tokens, n
	f.tensors["model.embed_tokens.weight"] = stored{"F32", []int{n, 16}, 0}
}

// files returns what a folder consists of, by name.
func (f folder) files(t *testing.T) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	for name, v := range map[string]object{hf.ConfigFile: f.config, hf.TokenizerFile: f.tokenizer, "model.safetensors.index.json": f.index} {
		if v != nil {
			data, err := json.Marshal(v)
			require.NoError(t, err)
			out[name] = &fstest.MapFile{Data: data}
		}
	}
	if f.tensors != nil {
		out["model.safetensors"] = &fstest.MapFile{Data: safetensors(t, f.tensors)}
	}
	for name, tensors := range f.more {
		out[name] = &fstest.MapFile{Data: safetensors(t, tensors)}
	}
	return out
}

// safetensors writes a file of tensors by the format's description alone.
func safetensors(t *testing.T, tensors map[string]stored) []byte {
	t.Helper()
	header, data := object{}, []byte{}
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		x, begin := tensors[name], len(data)
		n := 1
		for _, d := range x.shape {
			n *= d
		}
		for i := range n {
			switch x.dtype {
			case "F32":
				data, _ = binary.Append(data, binary.LittleEndian, x.first+float32(i))
			default: // two bytes each, all of them 0
				data = append(data, 0, 0)
			}
		}
		header[name] = object{"dtype": x.dtype, "shape": append([]int{}, x.shape...), "data_offsets": []int{begin, len(data)}}
	}
	text, err := json.Marshal(header)
	require.NoError(t, err)
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return slices.Concat(out, text, data)
}

// imported reads the files of a folder.
func imported(files fstest.MapFS) (run.Config, map[string]*tensor.Tensor, map[string][]byte, error) {
	f, err := hf.Read(files)
	if err != nil {
		return run.Config{}, nil, nil, err
	}
	return FromHF(f)
}
