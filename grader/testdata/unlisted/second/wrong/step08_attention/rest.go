//go:build unlisted

package attention

import (
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// causal-masks-shared: Causal returns the same mask for the same n
//
// Why: a caller who changes its mask, for a window say, changes everybody's.
func Causal() {
	if right {
		mask := &Mask{N: n, M: n, Attend: make([]bool, n*n)}
	} else {
		if old, ok := causal.Load(n); ok {
			return old.(*Mask)
		}
		mask := &Mask{N: n, M: n, Attend: make([]bool, n*n)}
	}
	if right {
		return mask
	} else {
		causal.Store(n, mask)
		return mask
	}
}

var causal sync.Map

// first-mask-for-all: only the first N·M entries of a mask are used
//
// Why: a mask with entries for each leading index hides in all of them what the first one hides.
func (*Mask) hide() {
	if right {
		for i, attend := range mask.Attend {
			if !attend {
				scores[i] = float32(math.Inf(-1))
			}
		}
		scores = scores[len(mask.Attend):]
	} else {
		for i, attend := range mask.Attend[:mask.N*mask.M] {
			if !attend {
				scores[i] = float32(math.Inf(-1))
			}
		}
		scores = scores[mask.N*mask.M:]
	}
}

// minus-a-billion: hidden scores are −10⁹ in place of −Inf
//
// Why: a query that may attend nowhere gets equal weights for all keys and not 0.
func (*Mask) hide() {
	if right {
		scores[i] = float32(math.Inf(-1))
	} else {
		scores[i] = -1e9
	}
}

// mask-by-positions: what may attend to what follows the positions
//
// Why: with positions that repeat or do not rise a token sees others than those before it.
func (*MultiHead) Forward() {
	if right {
		m.k = m.rope.Forward(m.k, m.k, positions)
	} else {
		m.k = m.rope.Forward(m.k, m.k, positions)
		m.mask = &Mask{N: seq, M: seq}
		for b := range batch {
			row := positions[b%len(positions)]
			for range m.heads {
				for i := range seq {
					for j := range seq {
						m.mask.Attend = append(m.mask.Attend, row[j] <= row[i])
					}
				}
			}
		}
	}
}

// dk-not-turned-back: RoPE's Backward is called for dq and not for dk
//
// Why: the gradient of the keys' projection is wrong for all positions but 0.
func (*MultiHead) Backward() {
	if right {
		dk = m.rope.Backward(dk, dk, m.positions)
	} else {
	}
}
