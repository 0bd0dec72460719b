//go:build mistake

package seq2seq

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
