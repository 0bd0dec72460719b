// Package block adds in float64, the second sum the other way round, and keeps all
// its tensors in one allocation.
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

	shape []int
	block []float32 // y, z, dy and dx
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

// part returns the i-th tensor of the block, the sum of two others.
func (b *Block) part(i int, u, v *tensor.Tensor) *tensor.Tensor {
	n := u.Len()
	t := tensor.From(b.block[i*n:(i+1)*n:(i+1)*n], u.Shape...)
	for j := n - 1; j >= 0; j-- {
		t.Data[j] = float32(float64(u.Data[j]) + float64(v.Data[j]))
	}
	return t
}

func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Dim(0))
	attended := b.Attn.Forward(b.Norm1.Forward(x), positions)
	b.shape = append(b.shape[:0], x.Shape...)
	if len(b.block) != 4*x.Len() { // the dx of another size stays where it is
		b.block = make([]float32, 4*x.Len())
	}
	y := b.part(0, attended, x)
	return b.part(1, b.FFN.Forward(b.Norm2.Forward(y)), y)
}

func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	if b.shape == nil {
		panic(tensor.ShapeError{Op: "Block.Backward: no Forward came before", Want: []int{tensor.Any, tensor.Any, tensor.Any}})
	}
	tensor.CheckShape("Block.Backward: dz", dz, b.shape...)
	dy := b.part(2, b.Norm2.Backward(b.FFN.Backward(dz)), dz)
	return b.part(3, dy, b.Norm1.Backward(b.Attn.Backward(dy)))
}
