//go:build mistake

package seq2seq

import (
	"github.com/stubformer/stubformer/reference/tensor"
)

// keys-from-x: keys and values come from x
//
// Why: In cross-attention x asks and the memory answers: with keys and values from x, the decoder never sees the
// source.
//
// Hint: a.K and a.V of the memory.
func (*Attend) Forward() {
	if right {
		a.k = a.split(a.k, a.K.Forward(memory))
		a.v = a.split(a.v, a.V.Forward(memory))
	} else {
		a.k = a.split(a.k, a.K.Forward(x))
		a.v = a.split(a.v, a.V.Forward(x))
	}
}

// values-from-x: values come from x
//
// Why: What is read is the memory. Its keys say where to look, and its values what is there.
//
// Hint: a.V of the memory.
func (*Attend) Forward() {
	if right {
		a.v = a.split(a.v, a.V.Forward(memory))
	} else {
		a.v = a.split(a.v, a.V.Forward(x))
	}
}

// values-by-wk: values are made with W_K
//
// Why: Keys and values are two Linears of the memory.
//
// Hint: a.V.Forward.
func (*Attend) Forward() {
	if right {
		a.k = a.split(a.k, a.K.Forward(memory))
		a.v = a.split(a.v, a.V.Forward(memory))
	} else {
		a.v = a.split(a.v, a.K.Forward(memory))
		a.V.Forward(memory)
		a.k = a.split(a.k, a.K.Forward(memory))
	}
}

// heads-not-turned: the numbers are cut into heads without bringing those of a head together
//
// Why: (B, N, H, K) and (B, H, N, K) have the same numbers in another order: read as the other, a head has parts of
// several tokens.
//
// Hint: Copy group h of every token to head h, as in step 08.
func (*Attend) split() {
	if right {
		for b := range batch {
			for h := range a.heads {
				tensor.Copy(dst.MatrixAt(b*a.heads+h), src.MatrixAt(b).Block(0, h*width, n, width))
			}
		}
	} else {
		copy(dst.Data, src.Data)
	}
}

// no-output: the heads are joined, and not multiplied with W_O
//
// Why: W_O mixes what the heads have found.
//
// Hint: a.Output.Forward(joined).
func (*Attend) Forward() {
	if right {
		return a.Output.Forward(a.joined)
	} else {
		a.Output.Forward(a.joined)
		return a.joined
	}
}

// mask-of-queries: the padding mask hides queries instead of keys
//
// Why: A query that is hidden is a whole row: it gets nothing, while padding is still looked at by all the others.
//
// Hint: Attend[(b·n + i)·M + j] = real[b][j]: the second index is the key.
func PaddingMask() {
	if right {
		for range n {
			mask.Attend = append(mask.Attend, keys...)
		}
	} else {
		for i := range n {
			for range keys {
				mask.Attend = append(mask.Attend, i < len(keys) && keys[i])
			}
		}
	}
}

// mask-inverted: the padding mask is true where there is padding
//
// Why: In this course true means: may be seen.
//
// Hint: real itself, not its opposite.
func PaddingMask() {
	if right {
		for range n {
			mask.Attend = append(mask.Attend, keys...)
		}
	} else {
		for range n {
			for _, there := range keys {
				mask.Attend = append(mask.Attend, !there)
			}
		}
	}
}

// mask-of-the-first: all sequences have the padding of the first
//
// Why: The sequences of a batch are of different lengths.
//
// Hint: real[b] for sequence b.
func PaddingMask() {
	if right {
		for range n {
			mask.Attend = append(mask.Attend, keys...)
		}
	} else {
		for range n {
			mask.Attend = append(mask.Attend, real[0]...)
		}
	}
}

// padding-seen: padding is attended to
//
// Why: What a text says then depends on how much padding stands beside it.
//
// Hint: PaddingMask, for all that read the source.
func PaddingMask() {
	if right {
		for range n {
			mask.Attend = append(mask.Attend, keys...)
		}
	} else {
		for range n {
			for range keys {
				mask.Attend = append(mask.Attend, true)
			}
		}
	}
}

// mask-with-itself: padding is hidden only from others: token i always sees key i
//
// Why: That is a mask of self-attention, and there only of some programs. In cross-attention key i is another token
// than query i.
//
// Hint: real[b][j], whoever asks.
func PaddingMask() {
	if right {
		for range n {
			mask.Attend = append(mask.Attend, keys...)
		}
	} else {
		for i := range n {
			for j, there := range keys {
				mask.Attend = append(mask.Attend, there || i == j)
			}
		}
	}
}

// only-to-the-end: only the padding behind the last real token is hidden
//
// Why: What is padding says real, wherever it stands.
//
// Hint: real[b][j].
func PaddingMask() {
	if right {
		for range n {
			mask.Attend = append(mask.Attend, keys...)
		}
	} else {
		last := -1
		for j, there := range keys {
			if there {
				last = j
			}
		}
		for range n {
			for j := range keys {
				mask.Attend = append(mask.Attend, j <= last)
			}
		}
	}
}

// memory-by-keys: the way back to the memory goes through the keys alone
//
// Why: The memory is in the keys and in the values.
//
// Hint: K.Backward(dk) + V.Backward(dv).
func (*Attend) Backward() {
	if right {
		a.dMemory = plus(a.dMemory, a.K.Backward(a.dk), a.V.Backward(a.dv))
	} else {
		a.V.Backward(a.dv)
		a.dMemory = a.K.Backward(a.dk)
	}
}

// memory-by-values: the way back to the memory goes through the values alone
//
// Why: The memory is in the keys and in the values.
//
// Hint: K.Backward(dk) + V.Backward(dv).
func (*Attend) Backward() {
	if right {
		a.dMemory = plus(a.dMemory, a.K.Backward(a.dk), a.V.Backward(a.dv))
	} else {
		a.K.Backward(a.dk)
		a.dMemory = a.V.Backward(a.dv)
	}
}

// dk-dv-exchanged: the gradients of keys and values are exchanged
//
// Why: Attention.Backward returns those of the queries, of the keys and of the values, in this order.
//
// Hint: dq, dk, dv := a.Attention.Backward(…).
func (*Attend) Backward() {
	if right {
		dq, dk, dv := a.Attention.Backward(a.dHeads)
	} else {
		dq, dv, dk := a.Attention.Backward(a.dHeads)
	}
}

// dheads-not-split: the gradient of the heads is not cut into heads
//
// Why: joined and heads have the same numbers in another order, and so have their gradients.
//
// Hint: split what Output.Backward returns.
func (*Attend) Backward() {
	if right {
		a.dHeads = a.split(a.dHeads, a.Output.Backward(dy))
	} else {
		a.dHeads = tensor.Reuse(a.dHeads, a.q.Shape...)
		copy(a.dHeads.Data, a.Output.Backward(dy).Data)
	}
}

// dy-past-output: the gradient goes past W_O
//
// Why: y is a Linear of joined: its gradient is dy·W_O.
//
// Hint: a.Output.Backward(dy).
func (*Attend) Backward() {
	if right {
		a.dHeads = a.split(a.dHeads, a.Output.Backward(dy))
	} else {
		a.Output.Backward(dy)
		a.dHeads = a.split(a.dHeads, dy)
	}
}

// memory-added-up: the memory's gradient of the last Backward is still in it
//
// Why: Gradients of parameters add up from call to call. That of an input is the call's own.
//
// Hint: Set it, do not add to it.
func (*Attend) Backward() {
	if right {
		a.dMemory = plus(a.dMemory, a.K.Backward(a.dk), a.V.Backward(a.dv))
	} else {
		old := a.dMemory
		a.dMemory = plus(nil, a.K.Backward(a.dk), a.V.Backward(a.dv))
		if old != nil && old.SameShape(a.dMemory) {
			kernelAdd(a.dMemory.Data, old.Data)
		}
	}
}

func kernelAdd(a, b []float32) {
	for i, v := range b {
		a[i] += v
	}
}
