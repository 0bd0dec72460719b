// Package block is one layer of a Transformer: attention, then a feed-forward
// network, each added to the stream of activations that runs through.
// This is step 09; the lesson is in README.md beside this file.
//
// Letters: B batch, T time, D d_model, F d_ff.
//
// Plain loops will do. kernel.Add of reference/kernel adds two slices, vectorised.
package block

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step04_rmsnorm"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Block is a pre-norm Transformer block:
//
//	y = x + Attn(Norm1(x))
//	z = y + FFN(Norm2(y))
//
// Source: Xiong et al., "On Layer Normalization in the Transformer
// Architecture", 2020, figure 1 (b); the parts are those of Touvron et al.,
// "LLaMA", 2023, section 2.2.
type Block struct {
	Norm1 *rmsnorm.RMSNorm // before Attn
	Attn  *attention.MultiHead
	Norm2 *rmsnorm.RMSNorm // before FFN
	FFN   *swiglu.SwiGLU

	// Yours: the tensors that are used again in every call. Each layer above keeps
	// what its own Backward needs.
}

// New returns the block with the gains ln1 and ln2, both (D), and the two
// networks for the same D. It panics with a ShapeError if their sizes differ.
func New(ln1 *tensor.Param, attn *attention.MultiHead, ln2 *tensor.Param, ffn *swiglu.SwiGLU) *Block {
	d := attn.Output.Weight.Value.Dim(0)
	tensor.CheckShape("block.New: ln1", ln1.Value, d)
	tensor.CheckShape("block.New: ln2", ln2.Value, d)
	tensor.CheckShape("block.New: weight w1 of ffn", ffn.W1.Weight.Value, tensor.Any, d)
	return &Block{Norm1: rmsnorm.New(ln1), Attn: attn, Norm2: rmsnorm.New(ln2), FFN: ffn}
}

// Params returns the nine parameters in the order of the state dictionary:
// ln1.weight, attn.{q,k,v,output}_proj.weight, ln2.weight, ffn.{w1,w2,w3}.weight.
func (b *Block) Params() []*tensor.Param {
	named := func(name string, p *tensor.Param) *tensor.Param {
		return &tensor.Param{Name: name, Value: p.Value, Grad: p.Grad}
	}
	params := []*tensor.Param{named("ln1.weight", b.Norm1.Gain)}
	for _, p := range b.Attn.Params() {
		params = append(params, named("attn."+p.Name, p))
	}
	return append(params, named("ln2.weight", b.Norm2.Gain),
		named("ffn.w1.weight", b.FFN.W1.Weight), named("ffn.w2.weight", b.FFN.W2.Weight),
		named("ffn.w3.weight", b.FFN.W3.Weight))
}

// Forward computes
//
//	y = x + Attn(Norm1(x))    (B, T, D)
//	z = y + FFN(Norm2(y))     (B, T, D)
//
// x is (B, T, D); positions is (B, T) or one row (1, T), for Attn. What a layer
// returns belongs to that layer, and Norm2 keeps y until Backward: give y and z
// memory of their own, from tensor.Reuse.
//
// Forward keeps x and positions for Backward: the caller leaves them unchanged
// until then. z is valid until the next Forward. x is not changed.
//
// It panics with a ShapeError if x or positions has the wrong shape, and with an
// IndexError for a position that RoPE has not; the layers see to the last two:
//
//	tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	panic(tensor.TODO("step09: Block.Forward"))
}

// Backward takes dz (B, T, D), the gradient of the loss with respect to z. It
// returns dx (B, T, D), adds to the gradients of the nine parameters, and
// belongs to the last Forward:
//
//	dy = dz + what comes back from dz through FFN and Norm2
//	dx = dy + what comes back from dy through Attn and Norm1
//
// The layers add the gradients of their parameters themselves. dx is valid until
// the next Backward. dz is not changed: it belongs to the caller. It panics with
// a ShapeError if dz does not have the shape of z or no Forward came before.
func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	panic(tensor.TODO("step09: Block.Backward"))
}
