// Package llama says a model of the course in the words of the family whose layers it
// has: under which keys and names its shape, parameters and tokens stand in a GGUF
// file. The course turns neighbours (2i, 2i+1) of a head by RoPE, as llama.cpp does for
// this family, so that no row changes its place.
package llama

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/gguf"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/tensor"
)

// architecture is what llama.cpp calls the family.
const architecture = "llama"

// eps is the number inside RMSNorm's root: rmsnorm.Eps of step 04.
const eps = 1e-5

// The parameters outside the layers: the course's name, and that in a GGUF file.
const (
	embedding, ggufEmbedding = "token_embeddings.weight", "token_embd.weight"
	lastNorm, ggufLastNorm   = "ln_final.weight", "output_norm.weight"
	head, ggufHead           = "lm_head.weight", "output.weight" // not in the file where it is the embedding
)

// inLayer are the parameters of a layer: behind layers.N. in the course, behind blk.N. in a file.
var inLayer = map[string]string{
	"ln1.weight": "attn_norm.weight", "ln2.weight": "ffn_norm.weight",
	"attn.q_proj.weight": "attn_q.weight", "attn.k_proj.weight": "attn_k.weight",
	"attn.v_proj.weight": "attn_v.weight", "attn.output_proj.weight": "attn_output.weight",
	"ffn.w1.weight": "ffn_gate.weight", "ffn.w2.weight": "ffn_down.weight", "ffn.w3.weight": "ffn_up.weight",
}

// ofExperts are those of inLayer of which a mixture has one for each expert.
var ofExperts = map[string]string{"ffn.w1.weight": "ffn_gate_exps.weight", "ffn.w2.weight": "ffn_down_exps.weight", "ffn.w3.weight": "ffn_up_exps.weight"}

// router is the matrix that chooses experts. In the course its rows stand above w1's.
const router = "ffn_gate_inp.weight"

// Family returns an error if one of the electives in a model makes it compute what none
// of the family's models does.
func Family(with []string) error {
	for _, w := range with {
		if !slices.Contains([]string{"kvcache", "gqa", "formats", "flash", "moe"}, w) {
			return lang.Errorf("a model with %s is none of Llama's family", lang.Raw(w))
		}
	}
	return nil
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
	out := map[string]*tensor.Tensor{ggufEmbedding: state[embedding], ggufLastNorm: state[lastNorm]}
	if !slices.Equal(state[head].Data, state[embedding].Data) {
		out[ggufHead] = state[head]
	}
	for layer := range m.NumLayers {
		ours, theirs := fmt.Sprintf("layers.%d.", layer), fmt.Sprintf("blk.%d.", layer)
		for name, other := range inLayer {
			x := state[ours+name]
			if experts, ok := ofExperts[name]; ok && m.NumExperts > 0 {
				other = experts
				if above := x.Dim(0) % (m.NumExperts * rows(m, name)); above > 0 {
					out[theirs+router] = tensor.From(x.Data[:above*x.Dim(-1)], above, x.Dim(-1))
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
	c, err := config(f)
	if err != nil {
		return c, nil, nil, err
	}
	state, err := parameters(c.Model, f.Tensors)
	if err != nil {
		return c, nil, nil, err
	}
	c.VocabSize = state[embedding].Dim(0)
	tokens, err := tokenFiles(f, c.VocabSize)
	return c, state, tokens, err
}

// config reads the shape of a model.
func config(f gguf.File) (run.Config, error) {
	c := run.Config{Schema: run.Schema}
	if name, err := gguf.Get[string](f, "general.architecture"); err != nil {
		return c, err
	} else if name != architecture {
		return c, lang.Errorf("the model's architecture is %q; the course's models are of the architecture %q", name, architecture)
	}
	m := &c.Model
	for key, to := range map[string]*int{"context_length": &m.ContextLength, "embedding_length": &m.DModel, "block_count": &m.NumLayers,
		"feed_forward_length": &m.DFF, "attention.head_count": &m.NumHeads} {
		n, err := gguf.Get[int](f, architecture+"."+key)
		if err != nil {
			return c, err
		}
		*to = n
	}
	kv, experts := m.NumHeads, 0
	theta, small := float32(10000), float32(0)
	if err := errorsOf(optional(f, "attention.head_count_kv", &kv), optional(f, "expert_count", &experts),
		optional(f, "expert_used_count", &m.ExpertsPerToken), optional(f, "rope.freq_base", &theta),
		optional(f, "attention.layer_norm_rms_epsilon", &small)); err != nil {
		return c, err
	}
	m.RopeTheta = float64(theta)
	if kv != m.NumHeads {
		m.NumKVHeads, m.With = kv, append(m.With, "gqa")
	}
	if experts > 0 {
		used := m.ExpertsPerToken
		m.Experts, m.With = run.UsualExperts(), append(m.With, "moe")
		m.NumExperts, m.ExpertsPerToken = experts, used
	}
	if err := m.Validate(); err != nil {
		return c, err
	}
	if m.NumLayers > len(f.Tensors) {
		return c, lang.Errorf("the model has %d layers and %d tensors: damaged", m.NumLayers, len(f.Tensors))
	}
	if math.Abs(float64(small)-eps) > 1e-3*eps {
		return c, lang.Errorf("RMSNorm's epsilon is %g; step 04's is %g", small, eps)
	}
	if experts > 0 && m.ExpertsPerToken == 1 {
		return c, lang.Errorf("a single expert for each token has the weight 1 in llama.cpp, and its probability in the course")
	}
	return c, ordinary(f, m.DModel/m.NumHeads)
}

// ordinary refuses what the family's models may have beyond the course's.
func ordinary(f gguf.File, headSize int) error {
	scaling, rotated, keys, values := "none", headSize, headSize, headSize
	if err := errorsOf(optional(f, "rope.scaling.type", &scaling), optional(f, "rope.dimension_count", &rotated),
		optional(f, "attention.key_length", &keys), optional(f, "attention.value_length", &values)); err != nil {
		return err
	}
	if scaling != "none" {
		return lang.Errorf("positions are scaled (%s); the course's RoPE does not scale them", lang.Raw(scaling))
	}
	if rotated != headSize || keys != headSize || values != headSize {
		return lang.Errorf("heads have keys of %d and values of %d, of which RoPE turns %d; the course's have %d of each, and all are turned",
			keys, values, rotated, headSize)
	}
	return nil
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

// parameters returns a file's tensors under the course's names. What is no parameter of
// the course keeps its name, and whoever compares shapes will find it.
func parameters(m run.Model, found map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	rest, state := maps.Clone(found), map[string]*tensor.Tensor{}
	take := func(theirs string) (*tensor.Tensor, error) {
		x, ok := rest[theirs]
		if !ok {
			return nil, lang.Errorf("tensor %q is missing", theirs)
		}
		delete(rest, theirs)
		return x, nil
	}
	if _, ok := found[ggufHead]; !ok {
		rest[ggufHead] = found[ggufEmbedding]
	}
	names := map[string]string{embedding: ggufEmbedding, lastNorm: ggufLastNorm, head: ggufHead}
	for layer := range m.NumLayers {
		for name, other := range inLayer {
			if experts, ok := ofExperts[name]; ok && m.NumExperts > 0 {
				other = experts
			}
			names[fmt.Sprintf("layers.%d.%s", layer, name)] = fmt.Sprintf("blk.%d.%s", layer, other)
		}
	}
	for _, ours := range slices.Sorted(maps.Keys(names)) {
		x, err := take(names[ours])
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(names[ours], "_exps.weight") { // one under the other
			x = tensor.From(x.Data, x.Rows(), x.Dim(-1))
		}
		if strings.HasSuffix(names[ours], ofExperts["ffn.w1.weight"]) { // and above them the router
			r, err := take(strings.TrimSuffix(names[ours], ofExperts["ffn.w1.weight"]) + router)
			if err != nil {
				return nil, err
			}
			x = tensor.From(slices.Concat(r.Data, x.Data), r.Rows()+x.Rows(), x.Dim(-1))
		}
		state[ours] = x
	}
	if more := slices.Sorted(maps.Keys(rest)); len(more) > 0 {
		return nil, lang.Errorf("the course's model has no place for tensor %q", more[0])
	}
	return state, nil
}
