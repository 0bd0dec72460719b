package lm

import (
	"fmt"
	"strings"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step01_init"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step04_rmsnorm"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step09_block"
)

type LM struct {
	Config    Config
	Embedding *embedding.Embedding
	Blocks    []*block.Block
	Norm      *rmsnorm.RMSNorm
	Head      *linear.Linear

	named map[string]*tensor.Param
	rope  *rope.RoPE
}

// build assembles a model from parameters that get supplies: drawn ones, or
// those of another model.
func build(cfg Config, r *rope.RoPE, get func(name string, shape ...int) *tensor.Param) *LM {
	m := &LM{Config: cfg, rope: r, named: map[string]*tensor.Param{}}
	own := func(name string, shape ...int) *tensor.Param {
		m.named[name] = get(name, shape...)
		return m.named[name]
	}
	d, f := cfg.DModel, cfg.DFF
	m.Embedding = embedding.New(own("token_embeddings.weight", cfg.VocabSize, d))
	for l := 0; l < cfg.NumLayers; l++ {
		at := func(name string) string { return fmt.Sprint("layers.", l, ".", name) }
		heads := attention.NewMultiHead(own(at("attn.qkv"), 3*d, d), own(at("attn.output_proj.weight"), d, d), cfg.NumHeads, r)
		ffn := swiglu.New(own(at("ffn.w1.weight"), f, d), own(at("ffn.w2.weight"), d, f), own(at("ffn.w3.weight"), f, d))
		m.Blocks = append(m.Blocks, block.New(own(at("ln1.weight"), d), heads, own(at("ln2.weight"), d), ffn))
	}
	m.Norm = rmsnorm.New(own("ln_final.weight", d))
	m.Head = linear.New(own("lm_head.weight", cfg.VocabSize, d))
	return m
}

func New(cfg Config, seed uint64) *LM {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	draw := func(name string, shape ...int) *tensor.Tensor {
		switch rng := initializers.Rand(seed, name); {
		case len(shape) == 1:
			return initializers.Gain(shape[0])
		case name == "token_embeddings.weight":
			return initializers.EmbeddingWeight(shape[0], shape[1], rng)
		default:
			return initializers.LinearWeight(shape[0], shape[1], rng)
		}
	}
	return build(cfg, rope.New(cfg.RopeTheta, cfg.DModel/cfg.NumHeads, cfg.ContextLength), func(name string, shape ...int) *tensor.Param {
		stem, joint := strings.CutSuffix(name, "qkv")
		if !joint {
			return tensor.NewParam(name, draw(name, shape...))
		}
		var rows []float32
		for _, part := range "qkv" {
			rows = append(rows, draw(stem+string(part)+"_proj.weight", shape[1], shape[1]).Data...)
		}
		return tensor.NewParam(name, tensor.From(rows, shape...))
	})
}

func (m *LM) Replica() *LM {
	return build(m.Config, m.rope, func(name string, _ ...int) *tensor.Param { return m.named[name].Replica() })
}

func (m *LM) Params() []*tensor.Param {
	all := []*tensor.Param{m.named["token_embeddings.weight"]}
	for l, b := range m.Blocks {
		for _, p := range b.Params() {
			all = append(all, &tensor.Param{Name: fmt.Sprint("layers.", l, ".", p.Name), Value: p.Value, Grad: p.Grad})
		}
	}
	return append(all, m.named["ln_final.weight"], m.named["lm_head.weight"])
}

func (m *LM) LoadState(state map[string]*tensor.Tensor) error {
	var problems []string
	seen := 0
	for _, p := range m.Params() {
		t, ok := state[p.Name]
		if !ok || !t.SameShape(p.Value) {
			problems = append(problems, p.Name)
		}
		if ok {
			seen++
		}
	}
	if seen < len(state) {
		for name := range state {
			problems = append(problems, name)
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("these entries do not fit: %s", strings.Join(problems, ", "))
	}
	for _, p := range m.Params() {
		copy(p.Value.Data, state[p.Name].Data)
	}
	return nil
}

func (m *LM) Forward(ids [][]int) (*tensor.Tensor, error) {
	positions := [][]int{nil}
	for len(ids) > 0 && len(positions[0]) < len(ids[0]) {
		positions[0] = append(positions[0], len(positions[0]))
	}
	if n := len(positions[0]); n > m.Config.ContextLength {
		return nil, fmt.Errorf("%d tokens, but the context holds %d", n, m.Config.ContextLength)
	}
	h, err := m.Embedding.Forward(ids)
	if err != nil {
		return nil, err
	}
	for i := range m.Blocks {
		h = m.Blocks[i].Forward(h, positions)
	}
	h = m.Norm.Forward(h)
	return m.Head.Forward(h), nil
}

func (m *LM) Backward(dlogits *tensor.Tensor) {
	dh := m.Head.Backward(dlogits)
	dh = m.Norm.Backward(dh)
	for i := range m.Blocks {
		dh = m.Blocks[len(m.Blocks)-1-i].Backward(dh)
	}
	m.Embedding.Backward(dh)
}
