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
}

func New(ln1 *tensor.Param, attn *attention.MultiHead, ln2 *tensor.Param, ffn *swiglu.SwiGLU) *Block {
	return &Block{rmsnorm.New(ln1), attn, rmsnorm.New(ln2), ffn}
}

func (b *Block) Params() []*tensor.Param {
	var all []*tensor.Param
	add := func(prefix string, names []string, params ...*tensor.Param) {
		for i, p := range params {
			all = append(all, &tensor.Param{Name: prefix + names[i], Value: p.Value, Grad: p.Grad})
		}
	}
	add("ln1.", []string{"weight"}, b.Norm1.Gain)
	add("attn.", []string{"q_proj.weight", "k_proj.weight", "v_proj.weight", "output_proj.weight"}, b.Attn.Params()...)
	add("ln2.", []string{"weight"}, b.Norm2.Gain)
	add("ffn.", []string{"w1.weight", "w2.weight", "w3.weight"}, b.FFN.W1.Weight, b.FFN.W2.Weight, b.FFN.W3.Weight)
	return all
}

// sum returns a new tensor, so nobody's buffer is touched.
func sum(a, b *tensor.Tensor) *tensor.Tensor {
	out := a.Clone()
	for i, v := range b.Data {
		out.Data[i] += v
	}
	return out
}

func (b *Block) Forward(x *tensor.Tensor, positions [][]int) *tensor.Tensor {
	tensor.CheckShape("Block.Forward: x", x, tensor.Any, tensor.Any, b.Norm1.Gain.Value.Len())
	y := b.Norm1.Forward(sum(b.Attn.Forward(x, positions), x))
	return b.Norm2.Forward(sum(b.FFN.Forward(y), y))
}

func (b *Block) Backward(dz *tensor.Tensor) *tensor.Tensor {
	dInner := b.Norm2.Backward(dz)
	dOuter := b.Norm1.Backward(sum(b.FFN.Backward(dInner), dInner))
	return sum(b.Attn.Backward(dOuter), dOuter)
}
