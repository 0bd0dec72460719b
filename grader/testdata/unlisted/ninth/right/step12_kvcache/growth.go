//go:build unlisted

package kvcache

import (
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// attends-to-all-the-room: a token attends to all T_max places, of which those behind the end are masked
//
// Why: the logits are the same. It costs more than it has to, of which no contract says how much that may be.
func (*Cache) attend() {
	if right {
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
	} else {
		mask := &attention.Mask{N: n, M: c.maxLen, Attend: make([]bool, n*c.maxLen)}
		for i := range n {
			for j := range p + i + 1 {
				mask.Attend[i*c.maxLen+j] = true
			}
		}
		y := m.Attention.Forward(q, keys, values, mask)
	}
}
