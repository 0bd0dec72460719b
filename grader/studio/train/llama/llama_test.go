package llama

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/grader/studio/train/gguf"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/reference/tensor"
)

// sample returns a model of three characters and its parameters, all zeros but for the head.
func sample() (run.Config, map[string]*tensor.Tensor, map[string][]byte) {
	c := run.Config{Schema: run.Schema, VocabSize: 3, Settings: run.Settings{Model: run.Model{
		ContextLength: 8, DModel: 4, NumLayers: 1, NumHeads: 2, DFF: 6, RopeTheta: 10000}}}
	state := map[string]*tensor.Tensor{embedding: tensor.New(3, 4), head: tensor.From(make([]float32, 12), 3, 4), lastNorm: tensor.New(4)}
	state[head].Data[0] = 1
	for name := range inGGUF.inLayer {
		state["layers.0."+name] = tensor.New(4, 4)
	}
	return c, state, map[string][]byte{tokenizer.AlphabetFile: []byte("\n\\a")}
}

// TestFromGGUFRefuses changes one thing at a time in a file that is read.
func TestFromGGUFRefuses(t *testing.T) {
	made := func(t *testing.T) gguf.File {
		c, state, tokens := sample()
		f, err := ToGGUF("test", c, state, tokens, gguf.F32)
		require.NoError(t, err)
		f.Tensors = maps.Clone(f.Tensors)
		return f
	}
	_, _, tokens, err := FromGGUF(made(t))
	require.NoError(t, err)
	require.Equal(t, "\n\\a", string(tokens[tokenizer.AlphabetFile]))
	for want, change := range map[string]func(f gguf.File){
		`the model's architecture is "gpt2"`:                           func(f gguf.File) { f.Meta["general.architecture"] = "gpt2" },
		`the key "llama.block_count" is missing`:                       func(f gguf.File) { delete(f.Meta, "llama.block_count") },
		`the key "llama.attention.head_count" holds []int32; want int`: func(f gguf.File) { f.Meta["llama.attention.head_count"] = []int32{2} },
		"num_heads is 0; want at least 1":                              func(f gguf.File) { f.Meta["llama.attention.head_count"] = uint32(0) },
		"RMSNorm's epsilon is 1e-06; step 04's is 1e-05":               func(f gguf.File) { f.Meta["llama.attention.layer_norm_rms_epsilon"] = float32(1e-6) },
		"positions are scaled (yarn)":                                  func(f gguf.File) { f.Meta["llama.rope.scaling.type"] = "yarn" },
		"of which RoPE turns 1":                                        func(f gguf.File) { f.Meta["llama.rope.dimension_count"] = uint32(1) },
		"the model has 1000000000 layers and 12 tensors: damaged":      func(f gguf.File) { f.Meta["llama.block_count"] = uint32(1e9) },
		"has the weight 1 in llama.cpp": func(f gguf.File) {
			f.Meta["llama.expert_count"], f.Meta["llama.expert_used_count"] = uint32(4), uint32(1)
		},
		`tensor "blk.0.attn_q.weight" is missing`:                            func(f gguf.File) { delete(f.Tensors, "blk.0.attn_q.weight") },
		`the course's model has no place for tensor "blk.0.attn_q.bias"`:     func(f gguf.File) { f.Tensors["blk.0.attn_q.bias"] = tensor.New(4) },
		`the tokenizer is of the kind "bert"`:                                func(f gguf.File) { f.Meta[keyModel] = "bert" },
		"the tokenizer has 2 tokens, but the model has 3":                    func(f gguf.File) { f.Meta[keyTokens] = []string{"a", "b"} },
		`token 1 is "ab"; of this kind only tokenizers of single characters`: func(f gguf.File) { f.Meta[keyTokens] = []string{"a", "ab", "c"} },
		`the key "tokenizer.ggml.pre" is missing`:                            func(f gguf.File) { f.Meta[keyModel] = asLearned },
		`splits texts by the pattern "qwen2"; step 14 by "gpt-2"`:            func(f gguf.File) { f.Meta[keyModel], f.Meta[keySplit] = asLearned, "qwen2" },
		`in the token "水" the character '水' stands for no byte`: func(f gguf.File) {
			f.Meta[keyModel], f.Meta[keySplit], f.Meta[keyMerges], f.Meta[keyTokens] = asLearned, learnedSplit, []string{}, []string{"a", "b", "水"}
		},
		"the tokenizer has 3 tokens and 0 scores": func(f gguf.File) { f.Meta[keyModel], f.Meta[keyScores] = asPieces, []float32{} },
	} {
		f := made(t)
		change(f)
		_, _, _, err := FromGGUF(f)
		require.ErrorContains(t, err, want)
	}
}

func TestToGGUFRefuses(t *testing.T) {
	for want, change := range map[string]func(c *run.Config, tokens map[string][]byte){
		"a model with layernorm is none of Llama's family": func(c *run.Config, _ map[string][]byte) { c.Model.With = []string{"layernorm"} },
		"a mixture with experts_per_token 1":               func(c *run.Config, _ map[string][]byte) { c.Model.NumExperts, c.Model.ExpertsPerToken = 2, 1 },
		"the tokenizer has 2 tokens, but the model has 3":  func(_ *run.Config, tokens map[string][]byte) { tokens[tokenizer.AlphabetFile] = []byte("ab") },
	} {
		c, state, tokens := sample()
		change(&c, tokens)
		_, err := ToGGUF("test", c, state, tokens, gguf.F32)
		require.ErrorContains(t, err, want)
	}
}

// TestTiedHead: a head that is the embedding does not stand in the file, and is read as it.
func TestTiedHead(t *testing.T) {
	c, state, tokens := sample()
	state[embedding].Data[5] = 2
	state[head] = state[embedding]
	f, err := ToGGUF("test", c, state, tokens, gguf.F32)
	require.NoError(t, err)
	require.NotContains(t, f.Tensors, inGGUF.head)
	_, back, _, err := FromGGUF(f)
	require.NoError(t, err)
	require.Equal(t, state[embedding].Data, back[head].Data)
}
