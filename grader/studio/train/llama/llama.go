// Package llama says a model of the course in the words of the family whose layers it
// has: under which keys and names its shape, parameters and tokens stand in a GGUF file,
// and in a folder of Hugging Face's transformers.
package llama

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
)

// architecture is what llama.cpp and transformers call the family.
const architecture = "llama"

// eps is the number inside RMSNorm's root: rmsnorm.Eps of step 04.
const eps = 1e-5

// unscaled is how a model says that RoPE takes positions as they are.
const unscaled = "none"

// The parameters outside the layers, and what those of a layer begin with.
const (
	embedding = "token_embeddings.weight"
	lastNorm  = weights.LastNorm
	head      = "lm_head.weight" // not in a file where it is the embedding
	layers    = "layers.%d."
)

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

// names are those under which parameters stand in a file, by the course's.
type names struct {
	embedding, lastNorm, head string
	layer                     string            // what those of a layer begin with, and %d in it
	inLayer                   map[string]string // by what stands behind layers.N. in the course
	ofExperts                 map[string]string // those of inLayer of which a mixture has one for each expert
	router                    string            // chooses experts. In the course its rows stand above w1's
}

// model is what a file says of a model.
type model struct {
	shape                run.Model // NumKVHeads is said even where every head has its own
	eps                  float64
	scaling              string // of positions
	keys, values, turned int    // numbers of a head's key and of its value, and how many of the key RoPE turns
	halves               bool   // RoPE turns i with i + keys/2 of a head, not 2i with 2i + 1
	names                names
	tensors              map[string]*tensor.Tensor
}

// inCourse returns a model and its parameters as the course has them. Groups of heads and
// experts are named in the configuration's With. The error names what the course's models
// do not have.
func (m model) inCourse() (run.Config, map[string]*tensor.Tensor, error) {
	c := run.Config{Schema: run.Schema}
	c.Model = m.shape
	if c.Model.NumKVHeads == c.Model.NumHeads {
		c.Model.NumKVHeads = 0
	} else {
		c.Model.With = append(c.Model.With, "gqa")
	}
	if n, used := m.shape.NumExperts, m.shape.ExpertsPerToken; n > 0 {
		c.Model.Experts, c.Model.With = run.UsualExperts(), append(c.Model.With, "moe")
		c.Model.NumExperts, c.Model.ExpertsPerToken = n, used
	}
	if err := c.Model.Validate(); err != nil {
		return c, nil, err
	}
	if err := m.ordinary(); err != nil {
		return c, nil, err
	}
	state, err := m.parameters()
	if err != nil {
		return c, nil, err
	}
	table := state[embedding]
	if len(table.Shape) != 2 {
		return c, nil, lang.Errorf("tensor %q has shape %s; want a row for each token",
			m.names.embedding, tensor.ShapeString(table.Shape))
	}
	c.VocabSize = table.Dim(0)
	return c, state, nil
}

// ordinary refuses what the family's models may have beyond the course's.
func (m model) ordinary() error {
	if m.shape.NumKVHeads < 1 { // in a configuration, 0 is one for each
		return lang.Errorf("num_kv_heads is %d and num_heads is %d; want a number that divides it",
			m.shape.NumKVHeads, m.shape.NumHeads)
	}
	if m.shape.NumLayers > len(m.tensors) {
		return lang.Errorf("the model has %d layers and %d tensors: damaged", m.shape.NumLayers, len(m.tensors))
	}
	if math.Abs(m.eps-eps) > 1e-3*eps {
		return lang.Errorf("RMSNorm's epsilon is %g; step 04's is %g", float32(m.eps), eps)
	}
	if m.scaling != unscaled {
		return lang.Errorf("positions are scaled (%s); the course's RoPE does not scale them", lang.Raw(m.scaling))
	}
	if size := m.shape.DModel / m.shape.NumHeads; m.turned != size || m.keys != size || m.values != size {
		return lang.Errorf("heads have keys of %d and values of %d, of which RoPE turns %d; "+
			"the course's have %d of each, and all are turned",
			m.keys, m.values, m.turned, size)
	}
	return nil
}

// parameters returns a file's tensors under the course's names, each of a layer's and of
// the others once. A head that is missing is the embedding.
func (m model) parameters() (map[string]*tensor.Tensor, error) {
	rest, state := maps.Clone(m.tensors), map[string]*tensor.Tensor{}
	if _, ok := rest[m.names.head]; !ok && rest[m.names.embedding] != nil {
		rest[m.names.head] = rest[m.names.embedding]
	}
	take := func(theirs string) (*tensor.Tensor, error) {
		x, ok := rest[theirs]
		if !ok {
			return nil, lang.Errorf("tensor %q is missing", theirs)
		}
		delete(rest, theirs)
		return x, nil
	}
	var err error
	for ours, theirs := range map[string]string{embedding: m.names.embedding,
		lastNorm: m.names.lastNorm, head: m.names.head} {
		if state[ours], err = take(theirs); err != nil {
			return nil, err
		}
	}
	for layer := range m.shape.NumLayers {
		for _, name := range slices.Sorted(maps.Keys(m.names.inLayer)) {
			if state[fmt.Sprintf(layers, layer)+name], err = m.inLayer(layer, name, take); err != nil {
				return nil, err
			}
		}
	}
	if more := slices.Sorted(maps.Keys(rest)); len(more) > 0 {
		return nil, lang.Errorf("the course's model has no place for tensor %q", more[0])
	}
	return state, nil
}

// inLayer returns a parameter of a layer: the matrices of experts one under the other, and
// above those of w1 the router.
func (m model) inLayer(layer int, name string, take func(string) (*tensor.Tensor, error)) (*tensor.Tensor, error) {
	prefix := fmt.Sprintf(m.names.layer, layer)
	if m.shape.NumExperts == 0 || m.names.ofExperts[name] == "" {
		x, err := take(prefix + m.names.inLayer[name])
		if err == nil && m.halves && turned(name) {
			x = neighbours(x, m.keys)
		}
		return x, err
	}
	x, err := take(prefix + m.names.ofExperts[name])
	if err != nil {
		return nil, err
	}
	x = tensor.From(x.Data, x.Rows(), x.Dim(-1))
	if name != "ffn.w1.weight" {
		return x, nil
	}
	r, err := take(prefix + m.names.router)
	if err != nil {
		return nil, err
	}
	return tensor.From(slices.Concat(r.Data, x.Data), r.Rows()+x.Rows(), x.Dim(-1)), nil
}

// neighbours returns a matrix w (heads·size, D) of queries or keys with the rows of a head
// in the order in which the course turns them: the rows i and i + size/2, which are turned
// together, become 2i and 2i + 1. The scores q·k are the same, for both change alike. A
// matrix of another shape is returned as it is.
func neighbours(w *tensor.Tensor, size int) *tensor.Tensor {
	if len(w.Shape) != 2 || w.Dim(0)%size != 0 {
		return w
	}
	out := tensor.New(w.Shape...)
	for first := 0; first < w.Dim(0); first += size {
		for i := range size / 2 {
			copy(out.Row(first+2*i), w.Row(first+i))
			copy(out.Row(first+2*i+1), w.Row(first+i+size/2))
		}
	}
	return out
}
