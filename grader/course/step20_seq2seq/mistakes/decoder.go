//go:build mistake

package seq2seq

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

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
