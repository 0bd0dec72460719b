package llama

import (
	"maps"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/hf"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/tensor"
)

// inHF are transformers' names. It turns i with i + d_k/2 of a head: rotate_half of its
// modeling_llama.py.
var inHF = names{
	embedding: "model.embed_tokens.weight", lastNorm: "model.norm.weight", head: "lm_head.weight",
	layer: "model.layers.%d.",
	inLayer: map[string]string{
		"ln1.weight": "input_layernorm.weight", "ln2.weight": "post_attention_layernorm.weight",
		"attn.q_proj.weight": "self_attn.q_proj.weight", "attn.k_proj.weight": "self_attn.k_proj.weight",
		"attn.v_proj.weight": "self_attn.v_proj.weight", "attn.output_proj.weight": "self_attn.o_proj.weight",
		"ffn.w1.weight": "mlp.gate_proj.weight", "ffn.w2.weight": "mlp.down_proj.weight",
		"ffn.w3.weight": "mlp.up_proj.weight",
	},
}

// oldAngles ends the names of tensors that older files hold and nobody reads: the angles
// of RoPE, which follow from its base.
const oldAngles = ".rotary_emb.inv_freq"

// FromHF returns the model in a folder of transformers, as FromGGUF that of a file.
func FromHF(f hf.Folder) (run.Config, map[string]*tensor.Tensor, map[string][]byte, error) {
	m, err := fromHF(f.Config)
	if err != nil {
		return run.Config{}, nil, nil, lang.Errorf("%s: %w", hf.ConfigFile, err)
	}
	m.tensors = maps.Clone(f.Tensors)
	maps.DeleteFunc(m.tensors, func(name string, _ *tensor.Tensor) bool { return strings.HasSuffix(name, oldAngles) })
	if err := tied(f); err != nil {
		return run.Config{}, nil, nil, err
	}
	c, state, err := m.inCourse()
	if err != nil {
		return c, nil, nil, err
	}
	if c.VocabSize != f.Config.Vocab {
		return c, nil, nil, lang.Errorf("%s: vocab_size is %d, but tensor %q has %d rows",
			hf.ConfigFile, f.Config.Vocab, inHF.embedding, c.VocabSize)
	}
	tokens, err := TokensOfHF(f.Tokenizer, c.VocabSize)
	return c, state, tokens, err
}

// TokensOfHF returns the files of the tokenizer of a folder of transformers, whose model has
// so many tokens.
func TokensOfHF(t hf.Tokenizer, size int) (map[string][]byte, error) {
	words, err := hfTokens(t)
	if err != nil {
		return nil, lang.Errorf("%s: %w", hf.TokenizerFile, err)
	}
	files, err := words.files(size)
	if err != nil {
		return nil, lang.Errorf("%s: %w", hf.TokenizerFile, err)
	}
	return files, nil
}

// fromHF reads what config.json says of its model.
func fromHF(c hf.Config) (model, error) {
	m := model{halves: true, names: inHF}
	if c.ModelType != architecture {
		return m, lang.Errorf("model_type is %q; the course's models are of the types %q and %q",
			c.ModelType, architecture, "gpt2")
	}
	for _, size := range []struct {
		name string
		n    int
	}{{"vocab_size", c.Vocab}, {"max_position_embeddings", c.Context}, {"hidden_size", c.Width},
		{"num_hidden_layers", c.Layers}, {"num_attention_heads", c.Heads}, {"intermediate_size", c.Intermediate}} {
		if size.n < 1 {
			return m, lang.Errorf("%s is %d, or missing; want at least 1", size.name, size.n)
		}
	}
	for _, has := range []struct {
		name string
		bias bool
	}{{"attention_bias", c.AttentionBias}, {"mlp_bias", c.NetworkBias}} {
		if has.bias {
			return m, lang.Errorf("%s is true; the course's projections have no biases", has.name)
		}
	}
	if c.Activation != "silu" {
		return m, lang.Errorf("hidden_act is %q; step 05's network has %q", c.Activation, "silu")
	}
	if q := string(c.Quantization); q != "" && q != "null" {
		return m, lang.Errorf("quantization_config says that the parameters are quantised; want them in F32, F16 or BF16")
	}
	theta, part, scaling := c.Turned()
	m.scaling, m.eps = unscaled, c.NormEps
	if scaling != "" {
		m.scaling = scaling
	}
	m.keys = c.Width / c.Heads
	if c.HeadSize != nil {
		m.keys = *c.HeadSize
	}
	m.values, m.turned = m.keys, int(part*float64(m.keys))
	m.shape = run.Model{ContextLength: c.Context, DModel: c.Width, NumLayers: c.Layers, NumHeads: c.Heads,
		NumKVHeads: c.Heads, DFF: c.Intermediate, RopeTheta: theta}
	if c.KVHeads != nil {
		m.shape.NumKVHeads = *c.KVHeads
	}
	return m, nil
}

// tied refuses a folder that says two things about its head.
func tied(f hf.Folder) error {
	table, own := f.Tensors[inHF.embedding], f.Tensors[inHF.head]
	switch {
	case f.Config.Tied && own != nil && table != nil && !(table.SameShape(own) && slices.Equal(table.Data, own.Data)):
		return lang.Errorf("%s: tie_word_embeddings is true, but tensor %q is another than %q",
			hf.ConfigFile, inHF.head, inHF.embedding)
	case !f.Config.Tied && own == nil:
		return lang.Errorf("tensor %q is missing, and %s does not say that tie_word_embeddings is true",
			inHF.head, hf.ConfigFile)
	}
	return nil
}
