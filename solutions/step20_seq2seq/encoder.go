package seq2seq

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step19_classic"
)

// Encoder reads a whole text at once: every token attends to those before and behind it.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.1.
type Encoder struct{ Layers []*EncoderLayer }

// EncoderLayer is self-attention and a feed-forward network, each with the norm behind the
// sum.
type EncoderLayer struct {
	Self  *Attend
	Norm1 *classic.LayerNorm
	FFN   *classic.FeedForward
	Norm2 *classic.LayerNorm

	sum1, sum2 *tensor.Tensor // (B, N, D), what the norms are given
	dy, dx     *tensor.Tensor // (B, N, D)
}

// Forward lets x go through all layers. real says for every token of x whether it is one:
// (B, N), true is a token, false is padding, to which nobody attends. x is (B, N, D), and so
// is what comes out. Forward keeps x for Backward: the caller leaves it unchanged until
// then. What it returns is valid until the next Forward. It panics with a ShapeError if the
// shapes do not fit together.
func (e *Encoder) Forward(x *tensor.Tensor, real [][]bool) *tensor.Tensor {
	checkReal("Encoder.Forward", x, real)
	mask := PaddingMask(real, x.Dim(1))
	for _, layer := range e.Layers {
		x = layer.Forward(x, mask)
	}
	return x
}

// checkReal panics with a ShapeError unless x is (B, M, D) and real (B, M).
func checkReal(op string, x *tensor.Tensor, real [][]bool) {
	tensor.CheckShape(op+": x", x, tensor.Any, tensor.Any, tensor.Any)
	if len(real) != x.Dim(0) {
		panic(tensor.ShapeError{Op: op + ": rows of real", Got: []int{len(real)}, Want: []int{x.Dim(0)}})
	}
	for _, row := range real {
		if len(row) != x.Dim(1) {
			panic(tensor.ShapeError{Op: op + ": a row of real", Got: []int{len(row)}, Want: []int{x.Dim(1)}})
		}
	}
}

// Backward takes dy (B, N, D), the gradient of the loss with respect to what Forward
// returned, returns that of x, and adds to the gradients of all parameters. It belongs to
// the last Forward. dx is valid until the next Backward. It panics with a ShapeError if dy
// does not have the shape of x or no Forward came before.
func (e *Encoder) Backward(dy *tensor.Tensor) *tensor.Tensor {
	for l := len(e.Layers) - 1; l >= 0; l-- {
		dy = e.Layers[l].Backward(dy)
	}
	return dy
}

// Forward computes
//
//	y = Norm1(x + Self(x, x))    (B, N, D)
//	z = Norm2(y + FFN(y))        (B, N, D)
//
// and returns z, as Encoder.Forward does.
func (l *EncoderLayer) Forward(x *tensor.Tensor, mask *attention.Mask) *tensor.Tensor {
	l.sum1 = plus(l.sum1, x, l.Self.Forward(x, x, mask))
	y := l.Norm1.Forward(l.sum1)
	l.sum2 = plus(l.sum2, y, l.FFN.Forward(y))
	return l.Norm2.Forward(l.sum2)
}

// Backward takes dz and returns dx, both (B, N, D), as Encoder.Backward does.
func (l *EncoderLayer) Backward(dz *tensor.Tensor) *tensor.Tensor {
	// (6) z = Norm2(s), s = y + FFN(y):     ds = Norm2.Backward(dz), dy = ds + FFN.Backward(ds)
	// (7) y = Norm1(r), r = x + Self(x, x): dr = Norm1.Backward(dy). x is in r three times: by
	//     itself, as what asks and as what is asked: dx = dr + dx_Self + dMemory_Self
	ds := l.Norm2.Backward(dz)
	l.dy = plus(l.dy, ds, l.FFN.Backward(ds)) // (6)
	dr := l.Norm1.Backward(l.dy)
	asking, asked := l.Self.Backward(dr)
	l.dx = plus(l.dx, dr, asking) // (7)
	kernel.Add(l.dx.Data, l.dx.Data, asked.Data)
	return l.dx
}

// plus sets dst to a + b, both of one shape, and returns it.
func plus(dst, a, b *tensor.Tensor) *tensor.Tensor {
	dst = tensor.Reuse(dst, a.Shape...)
	kernel.Add(dst.Data, a.Data, b.Data)
	return dst
}
