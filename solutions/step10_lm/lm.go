// Package lm is the language model: it reads tokens and says, at every place,
// how likely each token of the vocabulary is to come next.
//
// Letters: B batch, T time, D d_model, L layers, H heads, F d_ff, V vocabulary.
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

// LM is a decoder-only Transformer: embedding, blocks, a last norm, and a head
// that is not tied to the embedding.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017; the arrangement is
// that of Touvron et al., "LLaMA", 2023.
type LM struct {
	Config    Config
	Embedding *embedding.Embedding // (V, D)
	Blocks    []*block.Block       // L of them
	Norm      *rmsnorm.RMSNorm     // (D)
	Head      *linear.Linear       // (V, D)

	rope      *rope.RoPE // shared by all blocks and replicas
	places    []int      // 0, 1, …, ContextLength−1
	positions [][]int    // one row, the first T of places
}

// New returns a model with fresh parameters: every tensor is drawn by step 01's
// initialisers from the stream of the seed and its own name in the state
// dictionary. It panics with the error of Validate if the configuration is wrong.
func New(cfg Config, seed uint64) *LM {
	if err := cfg.Validate(); err != nil {
		panic(err)
	}
	d, f := cfg.DModel, cfg.DFF
	m := &LM{Config: cfg, rope: rope.New(cfg.RopeTheta, d/cfg.NumHeads, cfg.ContextLength),
		places: make([]int, cfg.ContextLength)}
	for t := range m.places {
		m.places[t] = t
	}
	weight := func(name string, out, in int) *tensor.Param {
		return tensor.NewParam(name, initializers.LinearWeight(out, in, initializers.Rand(seed, name)))
	}
	gain := func(name string) *tensor.Param { return tensor.NewParam(name, initializers.Gain(d)) }

	table := initializers.EmbeddingWeight(cfg.VocabSize, d, initializers.Rand(seed, "token_embeddings.weight"))
	m.Embedding = embedding.New(tensor.NewParam("token_embeddings.weight", table))
	for l := range cfg.NumLayers {
		name := fmt.Sprintf("layers.%d.", l)
		qkv := tensor.NewParam(name+"attn.qkv_proj.weight", tensor.New(3*d, d))
		for i, part := range []string{"q", "k", "v"} { // three tensors in one, each with a stream of its own
			w := weight(name+"attn."+part+"_proj.weight", d, d)
			copy(qkv.Value.Slice(i*d, (i+1)*d).Data, w.Value.Data)
		}
		attn := attention.NewMultiHead(qkv, weight(name+"attn.output_proj.weight", d, d), cfg.NumHeads, m.rope)
		ffn := swiglu.New(weight(name+"ffn.w1.weight", f, d), weight(name+"ffn.w2.weight", d, f),
			weight(name+"ffn.w3.weight", f, d))
		m.Blocks = append(m.Blocks, block.New(gain(name+"ln1.weight"), attn, gain(name+"ln2.weight"), ffn))
	}
	m.Norm = rmsnorm.New(gain("ln_final.weight"))
	m.Head = linear.New(weight("lm_head.weight", cfg.VocabSize, d))
	return m
}

// Replica returns a model that shares the values of m's parameters and has
// gradients and activations of its own, so that two workers can run forward and
// backward at the same time. No random number is drawn.
func (m *LM) Replica() *LM {
	r := &LM{Config: m.Config, rope: m.rope, places: m.places}
	r.Embedding = embedding.New(m.Embedding.Weight.Replica())
	for _, b := range m.Blocks {
		attn := attention.NewMultiHead(b.Attn.QKV.Weight.Replica(), b.Attn.Output.Weight.Replica(), m.Config.NumHeads,
			m.rope)
		ffn := swiglu.New(b.FFN.W1.Weight.Replica(), b.FFN.W2.Weight.Replica(), b.FFN.W3.Weight.Replica())
		r.Blocks = append(r.Blocks, block.New(b.Norm1.Gain.Replica(), attn, b.Norm2.Gain.Replica(), ffn))
	}
	r.Norm = rmsnorm.New(m.Norm.Gain.Replica())
	r.Head = linear.New(m.Head.Weight.Replica())
	return r
}

// Params returns every parameter under its name in the state dictionary, in
// this order: token_embeddings.weight; for each layer N the nine parameters of
// its block as layers.N.…; ln_final.weight; lm_head.weight.
func (m *LM) Params() []*tensor.Param {
	params := m.Embedding.Params()
	for l, b := range m.Blocks {
		for _, p := range b.Params() {
			params = append(params, &tensor.Param{Name: fmt.Sprintf("layers.%d.%s", l, p.Name), Value: p.Value,
				Grad: p.Grad})
		}
	}
	return append(params, m.Norm.Gain, m.Head.Weight)
}

// Forward returns the logits (B, T, V) of the token after each of ids (B, T):
//
//	x      = Embedding(ids)                          (B, T, D)
//	x      = Block(x), for every block in turn       (B, T, D), positions 0, …, T−1
//	logits = Head(Norm(x))                           (B, T, V)
//
// The logits are valid until the next Forward. An id outside the vocabulary,
// rows of different lengths and more than ContextLength tokens in a row are
// errors, and then nothing has changed.
func (m *LM) Forward(ids [][]int) (*tensor.Tensor, error) {
	seq := 0
	if len(ids) > 0 {
		seq = len(ids[0])
	}
	if seq > m.Config.ContextLength {
		return nil, fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", seq,
			m.Config.ContextLength)
	}
	x, err := m.Embedding.Forward(ids)
	if err != nil {
		return nil, err
	}
	m.positions = append(m.positions[:0], m.places[:seq])
	for _, b := range m.Blocks {
		x = b.Forward(x, m.positions)
	}
	return m.Head.Forward(m.Norm.Forward(x)), nil
}

// Backward takes dlogits (B, T, V), the gradient of the loss with respect to the
// logits of the last Forward, and adds to the gradient of every parameter. It
// panics with a ShapeError if dlogits does not have the shape of the logits or
// no Forward came before.
func (m *LM) Backward(dlogits *tensor.Tensor) {
	// (1) The loss gave dlogits. Each part then undoes itself, the last first:
	// (2) dn = Head.Backward(dlogits), dx = Norm.Backward(dn)
	// (3) dx = Block_l.Backward(dx), from the last block to the first
	// (4) Embedding.Backward(dx), where it ends: ids have no derivative.
	dx := m.Norm.Backward(m.Head.Backward(dlogits)) // (2)
	for l := len(m.Blocks) - 1; l >= 0; l-- {
		dx = m.Blocks[l].Backward(dx) // (3)
	}
	m.Embedding.Backward(dx) // (4)
}
