//go:build mistake

package seq2seq

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step19_classic"
)

// encoder-pre-norm: the encoder's norms stand in front, as in step 09
//
// Why: The order of 2017 is Norm(x + f(x)).
//
// Hint: Sum first, then the norm.
func (*EncoderLayer) Forward() {
	if right {
		l.sum1 = plus(l.sum1, x, l.Self.Forward(x, x, mask))
		y := l.Norm1.Forward(l.sum1)
		l.sum2 = plus(l.sum2, y, l.FFN.Forward(y))
		return l.Norm2.Forward(l.sum2)
	} else {
		n := l.Norm1.Forward(x)
		l.sum1 = plus(l.sum1, x, l.Self.Forward(n, n, mask))
		l.sum2 = plus(l.sum2, l.sum1, l.FFN.Forward(l.Norm2.Forward(l.sum1)))
		return l.sum2
	}
}

// ffn-reads-x: the encoder's network reads x, and not what attention made of it
//
// Why: One follows the other: the network reads y.
//
// Hint: s = y + FFN(y).
func (*EncoderLayer) Forward() {
	if right {
		l.sum2 = plus(l.sum2, y, l.FFN.Forward(y))
	} else {
		l.sum2 = plus(l.sum2, y, l.FFN.Forward(x))
	}
}

// sum-from-x: x, and not y, is added to what the encoder's network returns
//
// Why: Each sum goes past its own part. x was added before.
//
// Hint: s = y + FFN(y).
func (*EncoderLayer) Forward() {
	if right {
		l.sum2 = plus(l.sum2, y, l.FFN.Forward(y))
	} else {
		l.sum2 = plus(l.sum2, x, l.FFN.Forward(y))
	}
}

// encoder-no-sum: nothing goes past the encoder's self-attention
//
// Why: Norm(Self(x, x)) loses which token stands where it stands.
//
// Hint: r = x + Self(x, x).
func (*EncoderLayer) Forward() {
	if right {
		l.sum1 = plus(l.sum1, x, l.Self.Forward(x, x, mask))
	} else {
		l.sum1 = tensor.Reuse(l.sum1, x.Shape...)
		copy(l.sum1.Data, l.Self.Forward(x, x, mask).Data)
	}
}

// encoder-no-sum-ffn: nothing goes past the encoder's network
//
// Why: Norm(FFN(y)) loses what attention found.
//
// Hint: s = y + FFN(y).
func (*EncoderLayer) Forward() {
	if right {
		l.sum2 = plus(l.sum2, y, l.FFN.Forward(y))
	} else {
		l.sum2 = tensor.Reuse(l.sum2, x.Shape...)
		copy(l.sum2.Data, l.FFN.Forward(y).Data)
	}
}

// one-norm: the encoder's second norm has the first one's gain and bias
//
// Why: A layer has a norm behind each of its parts, with parameters of its own.
//
// Hint: Norm2 behind the network.
func (*EncoderLayer) Forward() {
	if right {
		return l.Norm2.Forward(l.sum2)
	} else {
		l.Norm2.Forward(l.sum2)
		other := classic.NewLayerNorm(l.Norm1.Gain, l.Norm1.Bias)
		return other.Forward(l.sum2)
	}
}

// encoder-causal: the encoder reads from left to right
//
// Why: It has the whole text, and every token sees those behind it too. That is what it can do and a decoder cannot.
//
// Hint: PaddingMask alone.
func (*Encoder) Forward() {
	if right {
		mask := PaddingMask(real, x.Dim(1))
	} else {
		mask := PaddingMask(real, x.Dim(1))
		for at := range mask.Attend {
			mask.Attend[at] = mask.Attend[at] && at%mask.M <= at/mask.M%mask.N
		}
	}
}

// encoder-sees-padding: the encoder is given no mask
//
// Why: Padding is no text. Tokens that attend to it change with the length of the longest text in the batch.
//
// Hint: PaddingMask(real, N) for every layer.
func (*Encoder) Forward() {
	if right {
		mask := PaddingMask(real, x.Dim(1))
	} else {
		mask := (*attention.Mask)(nil)
	}
}

// dx-without-asked: the way by which x was asked is left out of the encoder's derivative
//
// Why: In self-attention the memory is x: its gradient belongs to x too.
//
// Hint: dx = dr + both results of Self.Backward(dr).
func (*EncoderLayer) Backward() {
	if right {
		kernel.Add(l.dx.Data, l.dx.Data, asked.Data)
	} else {
		_ = asked
	}
}

// dx-without-asking: the way by which x asked is left out of the encoder's derivative
//
// Why: x is in the queries, and Self.Backward returns that gradient first.
//
// Hint: dx = dr + both results of Self.Backward(dr).
func (*EncoderLayer) Backward() {
	if right {
		l.dx = plus(l.dx, dr, asking)
		kernel.Add(l.dx.Data, l.dx.Data, asked.Data)
	} else {
		_ = asking
		l.dx = plus(l.dx, dr, asked)
	}
}

// dx-without-sum: the way past self-attention is left out of the encoder's derivative
//
// Why: r = x + Self(x, x): x is in it by itself, with the derivative 1.
//
// Hint: dx = dr + …
func (*EncoderLayer) Backward() {
	if right {
		l.dx = plus(l.dx, dr, asking)
		kernel.Add(l.dx.Data, l.dx.Data, asked.Data)
	} else {
		l.dx = plus(l.dx, asking, asked)
	}
}

// dy-without-sum: the way past the network is left out of the encoder's derivative
//
// Why: s = y + FFN(y): y is in it by itself.
//
// Hint: dy = ds + FFN.Backward(ds).
func (*EncoderLayer) Backward() {
	if right {
		l.dy = plus(l.dy, ds, l.FFN.Backward(ds))
	} else {
		l.dy = l.FFN.Backward(ds)
	}
}

// past-the-norm: the encoder's gradient goes past the last norm
//
// Why: z = Norm2(s): everything goes through it, the way past the network as well.
//
// Hint: ds = Norm2.Backward(dz).
func (*EncoderLayer) Backward() {
	if right {
		ds := l.Norm2.Backward(dz)
	} else {
		l.Norm2.Backward(dz)
		ds := dz
	}
}

// layers-from-the-first: Backward goes through the encoder's layers from the first to the last
//
// Why: The last layer's gradient is known first.
//
// Hint: for l := len(e.Layers) − 1; l ≥ 0; l−−
func (*Encoder) Backward() {
	if right {
		for l := len(e.Layers) - 1; l >= 0; l-- {
			dy = e.Layers[l].Backward(dy)
		}
	} else {
		for l := range e.Layers {
			dy = e.Layers[l].Backward(dy)
		}
	}
}
