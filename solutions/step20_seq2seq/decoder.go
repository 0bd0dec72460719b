package seq2seq

import (
	"github.com/stubformer/stubformer/reference/kernel"
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

	dMemory *tensor.Tensor // (B, M, D), reused by every Backward
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

	sum1, sum2, sum3 *tensor.Tensor // (B, N, D), what the norms are given
	du, dy, dx       *tensor.Tensor // (B, N, D)
}

// Forward lets x (B, N, D) go through all layers, which look at the memory (B, M, D) where
// real (B, M) says that there is a token. Forward keeps x and memory for Backward: the
// caller leaves them unchanged until then. What it returns, (B, N, D), is valid until the
// next Forward. It panics with a ShapeError if the shapes do not fit together.
func (d *Decoder) Forward(x, memory *tensor.Tensor, real [][]bool) *tensor.Tensor {
	checkReal("Decoder.Forward: memory", memory, real)
	tensor.CheckShape("Decoder.Forward: x", x, memory.Dim(0), tensor.Any, memory.Dim(2))
	before, source := attention.Causal(x.Dim(1)), PaddingMask(real, x.Dim(1))
	for _, layer := range d.Layers {
		x = layer.Forward(x, memory, before, source)
	}
	return x
}

// Backward takes dy (B, N, D), the gradient of the loss with respect to what Forward
// returned, returns that of x (B, N, D) and that of the memory (B, M, D), and adds to the
// gradients of all parameters. It belongs to the last Forward. dx and dMemory are valid
// until the next Backward. It panics with a ShapeError if dy does not have the shape of x or
// no Forward came before.
func (d *Decoder) Backward(dy *tensor.Tensor) (dx, dMemory *tensor.Tensor) {
	// (11) Every layer reads the same memory:   dMemory = Σ_l dMemory_l
	for l := len(d.Layers) - 1; l >= 0; l-- {
		var part *tensor.Tensor
		dy, part = d.Layers[l].Backward(dy)
		if l == len(d.Layers)-1 {
			d.dMemory = tensor.Reuse(d.dMemory, part.Shape...)
			d.dMemory.Zero()
		}
		kernel.Add(d.dMemory.Data, d.dMemory.Data, part.Data) // (11)
	}
	return dy, d.dMemory
}

// Forward computes
//
//	y = Norm1(x + Self(x, x))          (B, N, D), over the tokens before
//	u = Norm2(y + Cross(y, memory))    (B, N, D), over the source
//	z = Norm3(u + FFN(u))              (B, N, D)
//
// and returns z, as Decoder.Forward does.
func (l *DecoderLayer) Forward(x, memory *tensor.Tensor, before, source *attention.Mask) *tensor.Tensor {
	l.sum1 = plus(l.sum1, x, l.Self.Forward(x, x, before))
	y := l.Norm1.Forward(l.sum1)
	l.sum2 = plus(l.sum2, y, l.Cross.Forward(y, memory, source))
	u := l.Norm2.Forward(l.sum2)
	l.sum3 = plus(l.sum3, u, l.FFN.Forward(u))
	return l.Norm3.Forward(l.sum3)
}

// Backward takes dz and returns dx, both (B, N, D), and this layer's gradient of the memory
// (B, M, D), as Decoder.Backward does.
func (l *DecoderLayer) Backward(dz *tensor.Tensor) (dx, dMemory *tensor.Tensor) {
	// (8)  z = Norm3(t), t = u + FFN(u):       dt = Norm3.Backward(dz), du = dt + FFN.Backward(dt)
	// (9)  u = Norm2(s), s = y + Cross(y, m):  ds = Norm2.Backward(du), dy = ds + dx_Cross;
	//      the memory is in s once:            dMemory_Cross of this layer
	// (10) y = Norm1(r), r = x + Self(x, x):   dx as in (7)
	dt := l.Norm3.Backward(dz)
	l.du = plus(l.du, dt, l.FFN.Backward(dt)) // (8)
	ds := l.Norm2.Backward(l.du)
	asking, dMemory := l.Cross.Backward(ds)
	l.dy = plus(l.dy, ds, asking) // (9)
	dr := l.Norm1.Backward(l.dy)
	asking, asked := l.Self.Backward(dr)
	l.dx = plus(l.dx, dr, asking) // (10)
	kernel.Add(l.dx.Data, l.dx.Data, asked.Data)
	return l.dx, dMemory
}
