package gpt2

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/hf"
	"github.com/stubformer/stubformer/grader/studio/train/llama"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Is reports whether a model with electives in it is written as one of GPT-2's family.
func Is(with []string) bool { return slices.Contains(with, "learned-positions") }

// ToHF says a model of the parts of step 19, its parameters and the files of its tokenizer
// as transformers has them. The biases that the course's attention lacks are 0.
func ToHF(c run.Config, state map[string]*tensor.Tensor, files map[string][]byte) (hf.Made, error) {
	activation, err := written(c.Model.With)
	if err != nil {
		return hf.Made{}, err
	}
	tokens, err := llama.TokensToHF(c.VocabSize, files)
	if err != nil {
		return hf.Made{}, err
	}
	w := writer{state: state, out: map[string]*tensor.Tensor{}, width: c.Model.DModel}
	words, logits := state["token_embeddings.weight"], state["lm_head.weight"]
	tied := slices.Equal(words.Data[:logits.Len()], logits.Data)
	w.put(table, words.SliceRows(0, c.VocabSize))
	w.put(positions, words.SliceRows(c.VocabSize, words.Dim(0)))
	w.norm("ln_f", state[weights.LastNorm])
	if !tied {
		w.out[head] = logits
	}
	for layer := range c.Model.NumLayers {
		w.layer(layer)
	}
	f := c.Model.DFF
	return hf.Made{Tensors: w.out, Tokens: tokens, Config: map[string]any{
		"model_type": "gpt2", "architectures": []string{"GPT2LMHeadModel"}, "tie_word_embeddings": tied,
		"vocab_size": c.VocabSize, "n_positions": c.Model.ContextLength, "n_embd": c.Model.DModel,
		"n_layer": c.Model.NumLayers, "n_head": c.Model.NumHeads, "n_inner": f + f/2,
		"activation_function": activation, "layer_norm_epsilon": eps,
	}}, nil
}

// written returns what transformers calls the activation of a model with electives in it.
// The error names what a model of GPT-2's family has and it lacks, or has too much.
func written(with []string) (activation string, err error) {
	if err := Family(with); err != nil {
		return "", err
	}
	for ours, theirs := range map[string]string{"gelu-tanh": "gelu_new", "gelu": "gelu", "relu": "relu"} {
		if slices.Contains(with, ours) {
			activation = theirs
		}
	}
	if activation == "" || !slices.Contains(with, "layernorm") {
		return "", lang.Errorf("a model with learned-positions is written as one of GPT-2's family, which has layernorm, " +
			"and gelu, gelu-tanh or relu; grade train --with gpt2 trains one")
	}
	return activation, nil
}

// writer collects tensors under transformers' names.
type writer struct {
	state, out map[string]*tensor.Tensor
	width      int // D
}

func (w writer) put(name string, t *tensor.Tensor) { w.out[prefix+name] = t }

// norm puts a norm whose gain is (D), or has its bias below it (2, D).
func (w writer) norm(name string, t *tensor.Tensor) {
	gain, bias := tensor.New(w.width), tensor.New(w.width)
	copy(gain.Data, t.Data)
	copy(bias.Data, t.Data[w.width:])
	w.put(name+".weight", gain)
	w.put(name+".bias", bias)
}

// linear puts a matrix (out, in) as a Conv1D (in, out), and its bias, 0 where there is none.
func (w writer) linear(name string, matrix *tensor.Tensor, bias []float32) {
	b := tensor.New(matrix.Dim(0))
	copy(b.Data, bias)
	w.put(name+".weight", transposed(matrix))
	w.put(name+".bias", b)
}

func (w writer) layer(layer int) {
	ours := func(name string) *tensor.Tensor { return w.state[fmt.Sprintf("layers.%d.%s.weight", layer, name)] }
	theirs := func(name string) string { return inLayer(layer, name) }
	qkv := slices.Concat(ours("attn.q_proj").Data, ours("attn.k_proj").Data, ours("attn.v_proj").Data)
	biases := ours("ffn.w3").Data // (F + D)
	inner := len(biases) - w.width
	w.norm(theirs("ln_1"), ours("ln1"))
	w.linear(theirs("attn.c_attn"), tensor.From(qkv, 3*w.width, w.width), nil)
	w.linear(theirs("attn.c_proj"), ours("attn.output_proj"), nil)
	w.norm(theirs("ln_2"), ours("ln2"))
	w.linear(theirs("mlp.c_fc"), ours("ffn.w1"), biases[:inner])
	w.linear(theirs("mlp.c_proj"), ours("ffn.w2"), biases[inner:])
}
