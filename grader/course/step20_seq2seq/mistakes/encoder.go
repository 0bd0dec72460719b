//go:build mistake

package seq2seq

import (
	"github.com/stubformer/stubformer/reference/kernel"
)

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
