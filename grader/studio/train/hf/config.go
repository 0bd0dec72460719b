package hf

import "encoding/json"

// Config is the part of config.json that says what a model of Llama's architecture
// computes.
type Config struct {
	ModelType    string  `json:"model_type"`
	Vocab        int     `json:"vocab_size"`
	Context      int     `json:"max_position_embeddings"`
	Width        int     `json:"hidden_size"`
	Layers       int     `json:"num_hidden_layers"`
	Heads        int     `json:"num_attention_heads"`
	KVHeads      *int    `json:"num_key_value_heads"` // nil: Heads
	HeadSize     *int    `json:"head_dim"`            // nil: Width / Heads
	Intermediate int     `json:"intermediate_size"`
	Activation   string  `json:"hidden_act"`
	NormEps      float64 `json:"rms_norm_eps"`

	Theta   *float64 `json:"rope_theta"`
	Scaling *Rope    `json:"rope_scaling"`    // up to version 4, beside Theta
	Rope    *Rope    `json:"rope_parameters"` // from version 5 on, with Theta in it

	AttentionBias bool            `json:"attention_bias"`
	NetworkBias   bool            `json:"mlp_bias"`
	Tied          bool            `json:"tie_word_embeddings"`
	Quantization  json.RawMessage `json:"quantization_config"`
}

// GPT2 is the part of config.json that says what a model of GPT-2's architecture computes.
type GPT2 struct {
	Vocab      int     `json:"vocab_size"`
	Context    int     `json:"n_positions"`
	Width      int     `json:"n_embd"`
	Layers     int     `json:"n_layer"`
	Heads      int     `json:"n_head"`
	Inner      *int    `json:"n_inner"` // nil: 4·Width
	Activation string  `json:"activation_function"`
	NormEps    float64 `json:"layer_norm_epsilon"`

	Scaled        bool            `json:"scale_attn_weights"`              // by 1/√d_k
	ScaledByLayer bool            `json:"scale_attn_by_inverse_layer_idx"` // and by 1/(layer + 1)
	Cross         bool            `json:"add_cross_attention"`
	Tied          bool            `json:"tie_word_embeddings"`
	Quantization  json.RawMessage `json:"quantization_config"`
}

// gpt2Type is the ModelType of a GPT2.
const gpt2Type = "gpt2"

// gpt2Defaults are what transformers' GPT2Config has for what a file leaves out.
func gpt2Defaults() *GPT2 {
	return &GPT2{Activation: "gelu_new", NormEps: 1e-5, Scaled: true, Tied: true}
}

// Rope says how positions are turned into angles.
type Rope struct {
	Kind    string   `json:"rope_type"`
	OldKind string   `json:"type"`
	Theta   *float64 `json:"rope_theta"`
	Part    *float64 `json:"partial_rotary_factor"`
}

// defaults are what transformers' LlamaConfig has for what a file leaves out. A file that
// leaves out its shape is of no model.
func defaults() Config { return Config{Context: 2048, Activation: "silu", NormEps: 1e-6} }

// usualRope is the Kind of positions that are taken as they are.
const usualRope = "default"

// Turned returns the base of the angles, the part of a head that is turned, and how
// positions are scaled: "" if they are not.
func (c Config) Turned() (theta, part float64, scaling string) {
	theta, part = 10000, 1
	if c.Theta != nil {
		theta = *c.Theta
	}
	for _, r := range []*Rope{c.Scaling, c.Rope} {
		if r == nil {
			continue
		}
		if r.Theta != nil {
			theta = *r.Theta
		}
		if r.Part != nil {
			part = *r.Part
		}
		for _, kind := range []string{r.Kind, r.OldKind} {
			if kind != "" && kind != usualRope {
				scaling = kind
			}
		}
	}
	return theta, part, scaling
}
