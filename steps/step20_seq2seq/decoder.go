package seq2seq

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step19_classic"
)

// Decoder writes: every token attends to itself and those before it, and to all of the
// memory, which is what the encoder made of the source.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.1.
type Decoder struct {
	Layers []*DecoderLayer

	// Yours: what Backward needs of Forward, and the tensors that are used again in every call.
}

// DecoderLayer is self-attention, cross-attention and a feed-forward network, each with the
// norm behind the sum.
type DecoderLayer struct {
	Self  *Attend
	Norm1 *classic.LayerNorm
	Cross *Attend
	Norm2 *classic.LayerNorm
	FFN   *classic.FeedForward
	Norm3 *classic.LayerNorm

	// Yours: what Backward needs of Forward, and the tensors that are used again in every call.
}

// Forward lets x (B, N, D) go through all layers, which look at the memory (B, M, D) where
// real (B, M) says that there is a token. Forward keeps x and memory for Backward: the
// caller leaves them unchanged until then. What it returns, (B, N, D), is valid until the
// next Forward. It panics with a ShapeError if the shapes do not fit together.
func (d *Decoder) Forward(x, memory *tensor.Tensor, real [][]bool) *tensor.Tensor {
	panic(tensor.TODO("step20: Decoder.Forward"))
}

// Backward takes dy (B, N, D), the gradient of the loss with respect to what Forward
// returned, returns that of x (B, N, D) and that of the memory (B, M, D), and adds to the
// gradients of all parameters. It belongs to the last Forward. dx and dMemory are valid
// until the next Backward. It panics with a ShapeError if dy does not have the shape of x or
// no Forward came before.
func (d *Decoder) Backward(dy *tensor.Tensor) (dx, dMemory *tensor.Tensor) {
	panic(tensor.TODO("step20: Decoder.Backward"))
}

// Forward computes
//
//	y = Norm1(x + Self(x, x))          (B, N, D), over the tokens before
//	u = Norm2(y + Cross(y, memory))    (B, N, D), over the source
//	z = Norm3(u + FFN(u))              (B, N, D)
//
// and returns z, as Decoder.Forward does.
func (l *DecoderLayer) Forward(x, memory *tensor.Tensor, before, source *attention.Mask) *tensor.Tensor {
	panic(tensor.TODO("step20: DecoderLayer.Forward"))
}

// Backward takes dz and returns dx, both (B, N, D), and this layer's gradient of the memory
// (B, M, D), as Decoder.Backward does.
func (l *DecoderLayer) Backward(dz *tensor.Tensor) (dx, dMemory *tensor.Tensor) {
	panic(tensor.TODO("step20: DecoderLayer.Backward"))
}
