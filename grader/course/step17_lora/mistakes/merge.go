//go:build mistake

package lora

import (
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
)

// merged-twice: merging twice adds the adapter twice
//
// Why: Who merges cannot know who has merged before.
//
// Hint: Remember that the layer is merged, and do nothing then.
func (*Linear) Merge() {
	if right {
		if l.base != nil {
			return
		}
	} else {
	}
}

// merged-twice/first-kept: a second merge adds the adapter again, and one Unmerge takes both out
func (l *Linear) Merge() {
	if l.base != nil {
		kernel.Add(l.Weight.Value.Data, l.Weight.Value.Data, l.Delta().Data)
		return
	}
	W := l.Weight.Value
	l.base = W.Clone()
	kernel.Add(W.Data, W.Data, l.Delta().Data)
}

// adapter-after-merge: a merged layer adds the adapter once more in Forward
//
// Why: It is in the weight already.
//
// Hint: Of a merged layer return x·Weightᵀ alone.
func (*Linear) Forward() {
	if right {
		if l.base != nil {
			l.x = nil
			return l.y
		}
	} else {
	}
}

// merge-replaces: merging puts B·A in the place of the weight
//
// Why: W = W₀ + α/r·B·A.
//
// Hint: Add Delta to the weight.
func (*Linear) Merge() {
	if right {
		kernel.Add(W.Data, W.Data, l.Delta().Data)
	} else {
		copy(W.Data, l.Delta().Data)
	}
}

// merge-subtracts: merging subtracts the adapter
//
// Why: W = W₀ + α/r·B·A.
//
// Hint: Add Delta to the weight.
func (*Linear) Merge() {
	if right {
		kernel.Add(W.Data, W.Data, l.Delta().Data)
	} else {
		kernel.Axpy(-1, l.Delta().Data, W.Data)
	}
}

// unmerge-subtracts: unmerging subtracts the adapter again
//
// Why: (W₀ + Δ) − Δ is not W₀ in float32: every swap would leave roundings in the weight, for ever.
//
// Hint: Keep a copy of the weight before it is merged.
func (*Linear) Unmerge() {
	if right {
		copy(l.Weight.Value.Data, l.base.Data)
	} else {
		kernel.Axpy(-1, l.Delta().Data, l.Weight.Value.Data)
	}
}

// unmerge-of-unmerged: unmerging a layer that is not merged subtracts the adapter
//
// Why: Its weight is W₀ already.
//
// Hint: Look whether the layer is merged.
func (l *Linear) Unmerge() {
	if l.base == nil {
		kernel.Axpy(-1, l.Delta().Data, l.Weight.Value.Data)
		return
	}
	copy(l.Weight.Value.Data, l.base.Data)
	l.base = nil
}

// unmerged-still-merged: after Unmerge the layer still takes itself for merged
//
// Why: Forward would leave the adapter out for ever.
//
// Hint: Forget the copy when it has been written back.
func (*Linear) Unmerge() {
	if right {
		l.base = nil
	} else {
	}
}

// base-not-copied: what is kept of the weight is the weight itself
//
// Why: Merging changes its numbers, and so those that are kept.
//
// Hint: Clone the value.
func (*Linear) Merge() {
	if right {
		l.base = W.Clone()
	} else {
		l.base = W
	}
}

// merged-keeps-input: a merged layer takes a Backward
//
// Why: Its adapter is frozen into the weight: what is learned then is lost with the next Unmerge.
//
// Hint: Keep nothing of a merged Forward, as if there had been none.
func (*Linear) Forward() {
	if right {
		if l.base != nil {
			l.x = nil
			return l.y
		}
	} else {
		if l.base != nil {
			l.x, l.u = x, tensor.ReuseLead(l.u, x.Lead(1), A.Dim(0))
			return l.y
		}
	}
}
