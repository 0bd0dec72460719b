// Package block has new tensors in every call and computes the branches of
// Backward into copies.
package block

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step04_rmsnorm"
	"github.com/stubformer/stubformer/steps/step05_swiglu"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

type Block struct {
	Norm1 *rmsnorm.RMSNorm
	Attn  *attention.MultiHead
	Norm2 *rmsnorm.RMSNorm
	FFN   *swiglu.SwiGLU

	z *tensor.Tensor
}

// branch is a function that a residual connection goes around.
type branch func(*tensor.Tensor) *tensor.Tensor

// around returns t + f(t).
func around(t *tensor.Tensor, f branch) *tensor.Tensor {
	sum := f(t).Clone()
	for i := range sum.Data {
		sum.Data[i] += t.Data[i]
	}
	return sum
}

func New(ln1 *tensor.Param, attn *attention.MultiHead, ln2 *tensor.Param, ffn *swiglu.SwiGLU) *Block {
	d := attn.Output.Weight.Value.Dim(0)
	tensor.CheckShape("block.New: ln1", ln1.Value, d)
	tensor.CheckShape("block.New: ln2", ln2.Value, d)
	tensor.CheckShape("block.New: weight w1 of ffn", ffn.W1.Weight.Value, tensor.Any, d)
	return &Block{Norm1: rmsnorm.New(ln1), Attn: attn, Norm2: rmsnorm.New(ln2), FFN: ffn}
}

func (b *Block) Params() []*tensor.Param {
	named := func(name string, p *tensor.Param) *tensor.Param {
		return &tensor.Param{Name: name, Value: p.Value, Grad: p.Grad}
	}
	params := []*tensor.Param{named("ln1.weight", b.Norm1.Gain)}
	for _, p := range b.Attn.Params() {
		params = append(params, named("attn."+p.Name, p))
	}
	return append(params, named("ln2.weight", b.Norm2.Gain),
		named("ffn.w1.weight", b.FFN.W1.Weight), named("ffn.w2.weight", b.FFN.W2.Weight), named("ffn.w3.weight", b.FFN.W3.Weight))
}

func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	y := around(x, func(t *tensor.Tensor) *tensor.Tensor { return b.Attn.Forward(b.Norm1.Forward(t), positions) })
	b.z = around(y, func(t *tensor.Tensor) *tensor.Tensor { return b.FFN.Forward(b.Norm2.Forward(t)) })
	return b.z
}

func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	tensor.CheckShape("Block.Backward: z of Forward", b.z, tensor.Any, tensor.Any, tensor.Any)
	tensor.CheckShape("Block.Backward: dz", dz, b.z.Shape...)
	dy := around(dz, func(t *tensor.Tensor) *tensor.Tensor { return b.Norm2.Backward(b.FFN.Backward(t)) })
	return around(dy, func(t *tensor.Tensor) *tensor.Tensor { return b.Norm1.Backward(b.Attn.Backward(t)) })
}
