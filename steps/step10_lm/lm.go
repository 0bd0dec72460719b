// Package lm is the language model: it reads tokens and says, at every place,
// how likely each token of the vocabulary is to come next.
// This is step 10; the lesson is in README.md beside this file.
//
// Letters: B batch, T time, D d_model, L layers, H heads, F d_ff, V vocabulary.
package lm

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step03_embedding"
	"github.com/stubformer/stubformer/steps/step04_rmsnorm"
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

	// Yours: the RoPE that all blocks and replicas share, and the positions of the
	// last Forward.
}

// New returns a model with fresh parameters. Every tensor is drawn by step 01's
// initialisers (package initializers) from a stream of its own, Rand(seed, name)
// with its name in the state dictionary:
//
//	token_embeddings.weight                       (V, D)  EmbeddingWeight
//	layers.N.ln1.weight, layers.N.ln2.weight      (D)     Gain
//	layers.N.attn.{q,k,v,output}_proj.weight      (D, D)  LinearWeight
//	layers.N.ffn.w1.weight, layers.N.ffn.w3.weight (F, D) LinearWeight
//	layers.N.ffn.w2.weight                        (D, F)  LinearWeight
//	ln_final.weight                               (D)     Gain
//	lm_head.weight                                (V, D)  LinearWeight
//
// N counts the layers from 0. MultiHead wants q, k and v in one parameter (3D, D):
// draw the three on their own and copy each to its rows, value.Slice(lo, hi).
// One RoPE, for K = D/H and ContextLength positions, serves all blocks.
//
// It panics with the error of cfg.Validate() if there is one.
func New(cfg Config, seed uint64) *LM {
	panic(tensor.TODO("step10: New"))
}

// Replica returns a model that shares the values of m's parameters and has
// gradients and activations of its own, so that two workers can run forward and
// backward at the same time. Param.Replica does that for one parameter: build
// the layers again from the replicas of their parameters. No random number is
// drawn, and the RoPE is shared.
func (m *LM) Replica() *LM {
	panic(tensor.TODO("step10: LM.Replica"))
}

// Params returns every parameter under its name in the state dictionary, in
// this order: token_embeddings.weight; for each layer N the nine parameters of
// its block, with "layers.N." before the names that Block.Params gives them;
// ln_final.weight; lm_head.weight.
func (m *LM) Params() []*tensor.Param {
	panic(tensor.TODO("step10: LM.Params"))
}

// Forward returns the logits (B, T, V) of the token after each of ids (B, T):
//
//	x      = Embedding(ids)                          (B, T, D)
//	x      = Block(x), for every block in turn       (B, T, D), positions 0, …, T−1
//	logits = Head(Norm(x))                           (B, T, V)
//
// The positions are one row, which holds for the whole batch. The logits are
// valid until the next Forward.
//
// An id outside the vocabulary and rows of different lengths are errors, which
// Embedding.Forward returns; so are more than ContextLength tokens in a row:
//
//	fmt.Errorf("LM.Forward: %d tokens in a row are more than the context length %d", T, m.Config.ContextLength)
//
// After an error nothing has changed.
func (m *LM) Forward(ids [][]int) (*tensor.Tensor, error) {
	panic(tensor.TODO("step10: LM.Forward"))
}

// Backward takes dlogits (B, T, V), the gradient of the loss with respect to the
// logits of the last Forward, and adds to the gradient of every parameter: the
// Backward of every layer, in the opposite order. It panics with a ShapeError if
// dlogits does not have the shape of the logits or no Forward came before, which
// the head sees to.
func (m *LM) Backward(dlogits *tensor.Tensor) {
	panic(tensor.TODO("step10: LM.Backward"))
}
