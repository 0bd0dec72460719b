//go:build mistake

package seq2seq

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// not-causal: the decoder sees the tokens behind
//
// Why: In training the answer stands there: the loss is nearly 0, and what it writes is nonsense.
//
// Hint: attention.Causal(N) for the self-attention.
func (*Decoder) Forward() {
	if right {
		before, source := attention.Causal(x.Dim(1)), PaddingMask(real, x.Dim(1))
	} else {
		before, source := (*attention.Mask)(nil), PaddingMask(real, x.Dim(1))
	}
}

// cross-sees-padding: the cross-attention is given no mask
//
// Why: The padding of the source is no text for the decoder either.
//
// Hint: PaddingMask(real, N) for Cross.
func (*Decoder) Forward() {
	if right {
		before, source := attention.Causal(x.Dim(1)), PaddingMask(real, x.Dim(1))
	} else {
		before, source := attention.Causal(x.Dim(1)), (*attention.Mask)(nil)
	}
}

// target-mask-on-source: the cross-attention has the target's mask: token i sees the source up to i
//
// Why: The source is all there. What is behind in the source may be what the token needs: word orders differ.
//
// Hint: PaddingMask(real, N) for Cross.
func (*Decoder) Forward() {
	if right {
		before, source := attention.Causal(x.Dim(1)), PaddingMask(real, x.Dim(1))
	} else {
		before, source := attention.Causal(x.Dim(1)), PaddingMask(real, x.Dim(1))
		for at := range source.Attend {
			source.Attend[at] = at%source.M <= at/source.M%source.N
		}
	}
}

// memory-is-y: the cross-attention attends to the decoder's own text
//
// Why: Queries come from the decoder, keys and values from the encoder's memory.
//
// Hint: Cross.Forward(y, memory, source).
func (*DecoderLayer) Forward() {
	if right {
		l.sum2 = plus(l.sum2, y, l.Cross.Forward(y, memory, source))
	} else {
		l.sum2 = plus(l.sum2, y, l.Cross.Forward(y, y, source))
	}
}

// cross-reads-x: the cross-attention's queries come from x, before the self-attention
//
// Why: One follows the other: what asks is y.
//
// Hint: Cross.Forward(y, memory, source).
func (*DecoderLayer) Forward() {
	if right {
		l.sum2 = plus(l.sum2, y, l.Cross.Forward(y, memory, source))
	} else {
		l.sum2 = plus(l.sum2, y, l.Cross.Forward(x, memory, source))
	}
}

// decoder-ffn-reads-y: the decoder's network reads y, before the cross-attention
//
// Why: It reads u, in which the source is.
//
// Hint: t = u + FFN(u).
func (*DecoderLayer) Forward() {
	if right {
		l.sum3 = plus(l.sum3, u, l.FFN.Forward(u))
	} else {
		l.sum3 = plus(l.sum3, u, l.FFN.Forward(y))
	}
}

// no-last-norm: there is no norm behind the decoder's network
//
// Why: Each of the three parts has a norm behind its sum.
//
// Hint: return Norm3(t).
func (*DecoderLayer) Forward() {
	if right {
		return l.Norm3.Forward(l.sum3)
	} else {
		l.Norm3.Forward(l.sum3)
		return l.sum3
	}
}

// memory-of-the-last: the memory's gradient is that of the last layer alone
//
// Why: Every layer reads the memory, so every layer has a part in its gradient.
//
// Hint: Add what every layer returns.
func (*Decoder) Backward() {
	if right {
		kernel.Add(d.dMemory.Data, d.dMemory.Data, part.Data)
	} else {
		if l == len(d.Layers)-1 {
			kernel.Add(d.dMemory.Data, d.dMemory.Data, part.Data)
		}
	}
}

// memory-of-the-first: the memory's gradient is that of the first layer alone: each layer's overwrites the one before
//
// Why: Every layer reads the memory, so every layer has a part in its gradient.
//
// Hint: Add what every layer returns.
func (*Decoder) Backward() {
	if right {
		kernel.Add(d.dMemory.Data, d.dMemory.Data, part.Data)
	} else {
		copy(d.dMemory.Data, part.Data)
	}
}

// memory-not-cleared: the decoder adds this Backward's gradient of the memory to the last one's
//
// Why: It is the gradient of an input, not of a parameter.
//
// Hint: Set the sum to zero at the beginning of Backward.
func (*Decoder) Backward() {
	if right {
		d.dMemory = tensor.Reuse(d.dMemory, part.Shape...)
		d.dMemory.Zero()
	} else {
		if d.dMemory == nil || !d.dMemory.SameShape(part) {
			d.dMemory = tensor.New(part.Shape...)
		}
	}
}

// cross-dy-without-sum: the way past the cross-attention is left out of the decoder's derivative
//
// Why: s = y + Cross(y, m): y is in it by itself, too.
//
// Hint: dy = ds + the first result of Cross.Backward(ds).
func (*DecoderLayer) Backward() {
	if right {
		l.dy = plus(l.dy, ds, asking)
	} else {
		_ = ds
		l.dy = asking
	}
}
