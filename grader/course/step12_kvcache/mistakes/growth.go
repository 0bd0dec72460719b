//go:build mistake

package kvcache

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// tables-for-every-call: RoPE's tables are made anew in every call
//
// Why: The tables are the same in every call. Made anew, a token costs sines and cosines for all the places that
// there is room for.
//
// Hint: New makes RoPE once; a call only looks up its positions.
func (*Cache) place() {
	if right {
		c.spans, c.positions = c.spans[:0], append(c.positions[:0], nil)
	} else {
		c.rope = rope.New(c.model.Config.RopeTheta, c.model.Config.DModel/c.model.Config.NumHeads, c.maxLen)
		c.spans, c.positions = c.spans[:0], append(c.positions[:0], nil)
	}
}

// room-cleared: every call writes zeros to all the places that nobody has written to
//
// Why: Nobody looks at the places behind the end. A token costs what there is room for, however short the text.
//
// Hint: Write the n new places and no others.
func (*Cache) attend() {
	if right {
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
	} else {
		clear(keys.Slice(p, c.maxLen).Data)
		clear(values.Slice(p, c.maxLen).Data)
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
	}
}

// weights-copied-for-every-call: every call works with a copy of the head's weight
//
// Why: The weights are the model's, and reading changes none. A copy of V·D numbers costs more than a token does.
//
// Hint: Head.Forward reads the weight where it is.
func (*Cache) Last() {
	if right {
		c.last = tensor.Reuse(c.last, len(ids), x.Dim(1))
	} else {
		copy(c.model.Head.Weight.Value.Data, c.model.Head.Weight.Value.Clone().Data)
		c.last = tensor.Reuse(c.last, len(ids), x.Dim(1))
	}
}

// activations-kept: the activations of all calls are kept
//
// Why: Only keys and values are read again. Whatever else is kept grows with the text, beside what Bytes says.
//
// Hint: Use the memory of the last call again, as tensor.Reuse does.
func (*Cache) read() {
	if right {
		x := c.x.Data
	} else {
		c.history = append(c.history, c.x.Clone())
		x := c.x.Data
	}
}

type Cache struct {
	model   *lm.LM
	rope    *rope.RoPE
	layers  []layer
	lengths []int
	maxLen  int

	history   []*tensor.Tensor
	spans     []span
	positions [][]int
	x         *tensor.Tensor
	q, k, v   *tensor.Tensor
	joined    *tensor.Tensor
	last      *tensor.Tensor
}

// heads-of-128: the numbers of a head pass through an array of 128
//
// Why: A head is as wide as D/H says. What is behind the 128th number is lost without a word.
//
// Hint: Make what you work with as large as the model's K.
func (*Cache) split() {
	if right {
		tensor.Copy(dst.MatrixAt(h), qkv.Matrix().Block(0, first+h*width, n, width))
	} else {
		for i := range n {
			var numbers [128]float32
			row := dst.MatrixAt(h).Data[i*width : (i+1)*width]
			clear(row)
			copy(row, numbers[:copy(numbers[:], qkv.Row(i)[first+h*width:first+(h+1)*width])])
		}
	}
}
