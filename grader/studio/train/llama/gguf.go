package llama

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/gguf"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/tensor"
)

// inGGUF are llama.cpp's names. It turns the neighbours (2i, 2i+1) of a head, as the
// course does, so that no row changes its place.
var inGGUF = names{
	embedding: "token_embd.weight", lastNorm: "output_norm.weight", head: "output.weight",
	layer: "blk.%d.",
	inLayer: map[string]string{
		"ln1.weight": "attn_norm.weight", "ln2.weight": "ffn_norm.weight",
		"attn.q_proj.weight": "attn_q.weight", "attn.k_proj.weight": "attn_k.weight",
		"attn.v_proj.weight": "attn_v.weight", "attn.output_proj.weight": "attn_output.weight",
		"ffn.w1.weight": "ffn_gate.weight", "ffn.w2.weight": "ffn_down.weight", "ffn.w3.weight": "ffn_up.weight",
	},
	ofExperts: map[string]string{"ffn.w1.weight": "ffn_gate_exps.weight", "ffn.w2.weight": "ffn_down_exps.weight",
		"ffn.w3.weight": "ffn_up_exps.weight"},
	router: "ffn_gate_inp.weight",
}

// fileTypes are the numbers that general.file_type has for a file of matrices of a type.
var fileTypes = map[gguf.Type]uint32{gguf.F32: 0, gguf.F16: 1, gguf.Q8_0: 7, gguf.BF16: 32}

// ToGGUF returns the file of a model of the given name, with the parameters state and
// the files of its tokenizer, whose matrices will be stored as t. It is an error if the
// family has no such model.
func ToGGUF(name string, c run.Config, state map[string]*tensor.Tensor, tokens map[string][]byte, t gguf.Type) (gguf.File, error) {
	m := c.Model
	if err := Family(m.With); err != nil {
		return gguf.File{}, err
	}
	if m.NumExperts > 0 && m.ExpertsPerToken == 1 {
		return gguf.File{}, lang.Errorf("llama.cpp gives a single chosen expert the weight 1, and the course its probability: " +
			"a mixture with experts_per_token 1 cannot be written as GGUF")
	}
	f := gguf.File{Meta: map[string]any{
		"general.architecture": architecture, "general.name": name,
		"general.file_type": fileTypes[t], "general.quantization_version": uint32(2),
	}, Tensors: tensors(m, state)}
	for key, value := range map[string]any{
		"vocab_size": uint32(c.VocabSize), "context_length": uint32(m.ContextLength), "embedding_length": uint32(m.DModel),
		"block_count": uint32(m.NumLayers), "feed_forward_length": uint32(m.DFF),
		"attention.head_count": uint32(m.NumHeads), "attention.head_count_kv": uint32(m.KVHeads()),
		"attention.layer_norm_rms_epsilon": float32(eps),
		"rope.dimension_count":             uint32(m.DModel / m.NumHeads), "rope.freq_base": float32(m.RopeTheta),
	} {
		f.Meta[architecture+"."+key] = value
	}
	if m.NumExperts > 0 {
		f.Meta[architecture+".expert_count"] = uint32(m.NumExperts)
		f.Meta[architecture+".expert_used_count"] = uint32(m.ExpertsPerToken)
	}
	words, err := vocabulary(c.VocabSize, tokens)
	maps.Copy(f.Meta, words)
	return f, err
}

// tensors returns the parameters under their names in a file.
func tensors(m run.Model, state map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	out := map[string]*tensor.Tensor{inGGUF.embedding: state[embedding], inGGUF.lastNorm: state[lastNorm]}
	if !slices.Equal(state[head].Data, state[embedding].Data) {
		out[inGGUF.head] = state[head]
	}
	for layer := range m.NumLayers {
		ours, theirs := fmt.Sprintf(layers, layer), fmt.Sprintf(inGGUF.layer, layer)
		for name, other := range inGGUF.inLayer {
			x := state[ours+name]
			if experts, ok := inGGUF.ofExperts[name]; ok && m.NumExperts > 0 {
				other = experts
				if above := x.Dim(0) % (m.NumExperts * rows(m, name)); above > 0 {
					out[theirs+inGGUF.router] = tensor.From(x.Data[:above*x.Dim(-1)], above, x.Dim(-1))
					x = tensor.From(x.Data[above*x.Dim(-1):], x.Dim(0)-above, x.Dim(-1))
				}
				x = tensor.From(x.Data, m.NumExperts, rows(m, name), x.Dim(-1))
			}
			out[theirs+other] = x
		}
	}
	return out
}

// rows returns how many rows a matrix of the feed-forward network has.
func rows(m run.Model, name string) int {
	if name == "ffn.w2.weight" {
		return m.DModel
	}
	return m.DFF
}

// FromGGUF returns the model in a file, its parameters under the course's names, and the
// files of its tokenizer. Groups of heads and experts are named in the configuration's
// With. The error names what the course's models do not have.
func FromGGUF(f gguf.File) (run.Config, map[string]*tensor.Tensor, map[string][]byte, error) {
	m, err := fromGGUF(f)
	if err != nil {
		return run.Config{}, nil, nil, err
	}
	c, state, err := m.inCourse()
	if err != nil {
		return c, nil, nil, err
	}
	words, err := ggufTokens(f)
	if err != nil {
		return c, nil, nil, err
	}
	tokens, err := words.files(c.VocabSize)
	return c, state, tokens, err
}

// fromGGUF reads what a file says of its model.
func fromGGUF(f gguf.File) (model, error) {
	if name, err := gguf.Get[string](f, "general.architecture"); err != nil {
		return model{}, err
	} else if name != architecture {
		return model{}, lang.Errorf("the model's architecture is %q; the course's models are of the architecture %q",
			name, architecture)
	}
	found := model{scaling: unscaled, names: inGGUF, tensors: f.Tensors}
	m := &found.shape
	for key, to := range map[string]*int{"context_length": &m.ContextLength, "embedding_length": &m.DModel, "block_count": &m.NumLayers,
		"feed_forward_length": &m.DFF, "attention.head_count": &m.NumHeads} {
		n, err := gguf.Get[int](f, architecture+"."+key)
		if err != nil {
			return found, err
		}
		*to = n
	}
	m.NumKVHeads = m.NumHeads
	found.keys = m.DModel / max(1, m.NumHeads)
	found.values, found.turned = found.keys, found.keys
	theta, small := float32(10000), float32(0)
	if err := errorsOf(optional(f, "attention.head_count_kv", &m.NumKVHeads), optional(f, "expert_count", &m.NumExperts),
		optional(f, "expert_used_count", &m.ExpertsPerToken), optional(f, "rope.freq_base", &theta),
		optional(f, "attention.layer_norm_rms_epsilon", &small), optional(f, "rope.scaling.type", &found.scaling),
		optional(f, "rope.dimension_count", &found.turned), optional(f, "attention.key_length", &found.keys),
		optional(f, "attention.value_length", &found.values)); err != nil {
		return found, err
	}
	if m.NumExperts > 0 && m.ExpertsPerToken == 1 {
		return found, lang.Errorf("a single expert for each token has the weight 1 in llama.cpp, and its probability in the course")
	}
	m.RopeTheta, found.eps = float64(theta), float64(small)
	return found, nil
}

// optional reads the value of a key that may be missing.
func optional[T any](f gguf.File, key string, to *T) error {
	key = architecture + "." + key
	if _, ok := f.Meta[key]; !ok {
		return nil
	}
	v, err := gguf.Get[T](f, key)
	if err == nil {
		*to = v
	}
	return err
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
