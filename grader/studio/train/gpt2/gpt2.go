// Package gpt2 says a model of GPT-2's architecture, from a folder of Hugging Face's
// transformers, in the course's terms: a model of the parts of step 19.
//
// Letters: D d_model, H heads, K = D/H the size of a head, F what a network has inside,
// V vocabulary, T positions; a ' marks those of the course's model.
package gpt2

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/hf"
	"github.com/stubformer/stubformer/grader/studio/train/llama"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/tensor"
)

// The names of tensors outside of the layers, and what those of a layer begin with.
const (
	prefix    = "transformer." // which the oldest files lack
	table     = "wte.weight"
	positions = "wpe.weight"
	head      = "lm_head.weight" // never with the prefix; not in a file where it is the table
	layers    = "h.%d."
)

// parts returns the parts of step 19 that a model with an activation consists of. GPT-2's
// GELU is that with tanh.
func parts(activation string) ([]string, error) {
	network, known := map[string]string{"gelu_new": "gelu-tanh", "gelu_pytorch_tanh": "gelu-tanh", "gelu": "gelu",
		"relu": "relu"}[activation]
	if !known {
		return nil, lang.Errorf("activation_function is %q; want %q, %q, %q or %q", activation,
			"gelu_new", "gelu_pytorch_tanh", "gelu", "relu")
	}
	return []string{"layernorm", network, "learned-positions", "dropout"}, nil // with dropout a block's norms have biases
}

// Family returns an error if one of the electives in a model makes it compute what none of
// the family's models does.
func Family(with []string) error {
	for _, w := range with {
		if !slices.Contains([]string{"layernorm", "gelu", "gelu-tanh", "relu", "learned-positions", "dropout",
			"kvcache", "formats", "flash"}, w) {
			return lang.Errorf("a model with %s is none of GPT-2's family", lang.Raw(w))
		}
	}
	return nil
}

// FromHF returns the model in a folder of transformers, its parameters as the course has
// them, and the files of its tokenizer. The error names what the course's models do not
// have.
func FromHF(f hf.Folder) (c run.Config, state map[string]*tensor.Tensor, tokens map[string][]byte, err error) {
	with, err := described(*f.GPT2)
	if err != nil {
		return c, nil, nil, lang.Errorf("%s: %w", hf.ConfigFile, err)
	}
	r := reader{left: map[string]*tensor.Tensor{}}
	for name, t := range f.Tensors {
		short := strings.TrimPrefix(name, prefix)
		if r.left[short] != nil {
			return c, nil, nil, lang.Errorf("the tensors %q and %q are both there", short, prefix+short)
		}
		r.left[short] = t
	}
	m := carried(*f.GPT2)
	state = m.parameters(&r, f.GPT2.Tied)
	if r.err != nil {
		return c, nil, nil, r.err
	}
	if more := slices.Sorted(maps.Keys(r.left)); len(more) > 0 {
		return c, nil, nil, lang.Errorf("the course's model has no place for tensor %q", more[0])
	}
	c = run.Config{Schema: run.Schema, VocabSize: m.Vocab}
	c.Model = run.Model{ContextLength: m.Context, DModel: m.wide, NumLayers: m.Layers, NumHeads: m.Heads,
		DFF: m.hidden, RopeTheta: 10000, With: with} // nothing is turned, but the angles have a base
	if err := c.Model.Validate(); err != nil {
		return c, nil, nil, err
	}
	tokens, err = llama.TokensOfHF(f.Tokenizer, c.VocabSize)
	return c, state, tokens, err
}

// described returns the parts of a model, or an error that names what of a configuration
// the course's models cannot be.
func described(c hf.GPT2) (with []string, err error) {
	for _, size := range []struct {
		name string
		n    int
	}{{"vocab_size", c.Vocab}, {"n_positions", c.Context}, {"n_embd", c.Width}, {"n_layer", c.Layers},
		{"n_head", c.Heads}} {
		if size.n < 1 {
			return nil, lang.Errorf("%s is %d, or missing; want at least 1", size.name, size.n)
		}
	}
	if c.Width%c.Heads != 0 {
		return nil, lang.Errorf("n_embd is %d and n_head is %d; want a number of heads that divides it", c.Width, c.Heads)
	}
	if c.Inner != nil && *c.Inner < 1 {
		return nil, lang.Errorf("%s is %d, or missing; want at least 1", "n_inner", *c.Inner)
	}
	if !(c.NormEps > 0) {
		return nil, lang.Errorf("layer_norm_epsilon is %g; want a number above 0", c.NormEps)
	}
	if !c.Scaled {
		return nil, lang.Errorf("scale_attn_weights is false; step 08 divides scores by the root of d_k")
	}
	if c.ScaledByLayer {
		return nil, lang.Errorf("scale_attn_by_inverse_layer_idx is true; step 08 divides scores by the root of d_k alone")
	}
	if c.Cross {
		return nil, lang.Errorf("add_cross_attention is true; the course's model reads one text")
	}
	if q := string(c.Quantization); q != "" && q != "null" {
		return nil, lang.Errorf("quantization_config says that the parameters are quantised; want them in F32, F16 or BF16")
	}
	return parts(c.Activation)
}

// reader hands out tensors by name, each once, and remembers the first that was missing or
// had another shape.
type reader struct {
	left map[string]*tensor.Tensor
	err  error
}

// take returns a tensor of a shape, or nil after an error.
func (r *reader) take(name string, shape ...int) *tensor.Tensor {
	if r.err != nil {
		return nil
	}
	t := r.left[name]
	if t == nil {
		r.err = lang.Errorf("tensor %q is missing", name)
		return nil
	}
	if !slices.Equal(t.Shape, shape) {
		r.err = lang.Errorf("tensor %q has shape %s, want %s", name, tensor.ShapeString(t.Shape), tensor.ShapeString(shape))
		return nil
	}
	delete(r.left, name)
	return t
}

// head returns the matrix that makes logits, which is the table unless a folder says other.
func (r *reader) head(words *tensor.Tensor, tied bool) *tensor.Tensor {
	if r.err != nil {
		return nil
	}
	own := r.left[head]
	switch {
	case own == nil && !tied:
		r.err = lang.Errorf("tensor %q is missing, and %s says that tie_word_embeddings is false", head, hf.ConfigFile)
		return nil
	case own == nil:
		return words
	case tied && !(words.SameShape(own) && slices.Equal(words.Data, own.Data)):
		r.err = lang.Errorf("%s: tie_word_embeddings is true, but tensor %q is another than %q",
			hf.ConfigFile, head, table)
		return nil
	}
	return r.take(head, words.Shape...)
}

// inLayer names a tensor of a layer.
func inLayer(layer int, name string) string { return fmt.Sprintf(layers, layer) + name }
