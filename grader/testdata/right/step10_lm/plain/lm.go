// Package lm makes new positions in every call, and a replica is the model built
// around other parameters.
package lm

import (
	"fmt"

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

	rope *rope.RoPE
	own  []*tensor.Param // table, then perBlock a block (ln1, qkv, output, ln2, w1, w2, w3), norm, head
}

// perBlock is how many parameters of own a block has.
const perBlock = 7

func New(cfg Config, seed uint64) *LM {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	d, f := cfg.DModel, cfg.DFF
	weight := func(name string, out, in int) *tensor.Tensor {
		return initializers.LinearWeight(out, in, initializers.Rand(seed, name))
	}
	add := func(own []*tensor.Param, name string, value *tensor.Tensor) []*tensor.Param {
		return append(own, tensor.NewParam(name, value))
	}
	own := add(nil, "token_embeddings.weight", initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(seed, "token_embeddings.weight")))
	for n := range cfg.NumLayers {
		at := fmt.Sprint("layers.", n, ".")
		var qkv []float32
		for _, part := range "qkv" {
			qkv = append(qkv, weight(at+"attn."+string(part)+"_proj.weight", d, d).Data...)
		}
		own = add(own, at+"ln1.weight", initializers.Gain(d))
		own = add(own, at+"attn.qkv.weight", tensor.From(qkv, 3*d, d))
		own = add(own, at+"attn.output_proj.weight", weight(at+"attn.output_proj.weight", d, d))
		own = add(own, at+"ln2.weight", initializers.Gain(d))
		own = add(own, at+"ffn.w1.weight", weight(at+"ffn.w1.weight", f, d))
		own = add(own, at+"ffn.w2.weight", weight(at+"ffn.w2.weight", d, f))
		own = add(own, at+"ffn.w3.weight", weight(at+"ffn.w3.weight", f, d))
	}
	own = add(own, "ln_final.weight", initializers.Gain(d))
	own = add(own, "lm_head.weight", weight("lm_head.weight", cfg.VocabSize, d))
	return around(cfg, own, rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength))
}

// around builds the model around its parameters.
func around(cfg Config, own []*tensor.Param, r *rope.RoPE) *LM {
	m := &LM{Config: cfg, rope: r, own: own, Embedding: embedding.New(own[0])}
	for n := range cfg.NumLayers {
		p := own[1+perBlock*n:]
		attn := attention.NewMultiHead(p[1], p[2], cfg.NumHeads, r)
		m.Blocks = append(m.Blocks, block.New(p[0], attn, p[3], swiglu.New(p[4], p[5], p[6])))
	}
	m.Norm, m.Head = rmsnorm.New(own[len(own)-2]), linear.New(own[len(own)-1])
	return m
}

func (m *LM) Replica() *LM {
	var own []*tensor.Param
	for _, p := range m.own {
		own = append(own, p.Replica())
	}
	return around(m.Config, own, m.rope)
}

func (m *LM) Params() []*tensor.Param {
	named := func(name string, p *tensor.Param) *tensor.Param {
		return &tensor.Param{Name: name, Value: p.Value, Grad: p.Grad}
	}
	all := []*tensor.Param{named("token_embeddings.weight", m.Embedding.Weight)}
	for n, b := range m.Blocks {
		for _, p := range b.Params() {
			all = append(all, named(fmt.Sprintf("layers.%d.%s", n, p.Name), p))
		}
	}
	return append(all, named("ln_final.weight", m.Norm.Gain), named("lm_head.weight", m.Head.Weight))
}

func (m *LM) Forward(ids [][]int) (*tensor.Tensor, error) {
	longest := 0
	for _, row := range ids {
		longest = max(longest, len(row))
	}
	if longest > m.Config.ContextLength {
		return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", longest, m.Config.ContextLength)
	}
	x, err := m.Embedding.Forward(ids)
	if err != nil {
		return nil, err
	}
	positions := make([][]int, max(1, len(ids))) // a row for every sequence
	if len(ids) == 0 {
		positions = [][]int{make([]int, 0)}
	}
	for b := range ids {
		for t := range longest {
			positions[b] = append(positions[b], t)
		}
	}
	for _, b := range m.Blocks {
		x = b.Forward(x, positions)
	}
	return m.Head.Forward(m.Norm.Forward(x)), nil
}

func (m *LM) Backward(dlogits *tensor.Tensor) {
	d := m.Norm.Backward(m.Head.Backward(dlogits))
	for n := range m.Blocks {
		d = m.Blocks[len(m.Blocks)-1-n].Backward(d)
	}
	m.Embedding.Backward(d)
}
