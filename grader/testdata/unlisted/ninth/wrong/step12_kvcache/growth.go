//go:build unlisted

package kvcache

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// tables-up-to-the-last-token: every layer of every call makes RoPE's tables anew, up to the last position
//
// Why: the tables are the same in every layer of every call.
func (*Cache) attend() {
	if right {
		qkv := m.QKV.Forward(x) // (N, 3D)
	} else {
		end := 1
		for _, s := range c.spans {
			end = max(end, s.p+s.n)
		}
		c.rope = rope.New(c.model.Config.RopeTheta, c.model.Config.DModel/c.model.Config.NumHeads, end)
		qkv := m.QKV.Forward(x)
	}
}

// all-the-room-copied: every call copies the buffer of a layer into a second one of the same size, and reads that
//
// Why: no memory is allocated for it, and every token still costs the copying of everything that there is room for.
func (*Cache) attend() {
	if right {
		c.joined = tensor.Reuse(c.joined, x.Shape...)
	} else {
		c.spareKeys = tensor.Reuse(c.spareKeys, l.keys.Shape...)
		c.spareValues = tensor.Reuse(c.spareValues, l.values.Shape...)
		tensor.Copy(c.spareKeys.Matrix(), l.keys.Matrix())
		tensor.Copy(c.spareValues.Matrix(), l.values.Matrix())
		tensor.Copy(l.keys.Matrix(), c.spareKeys.Matrix())
		tensor.Copy(l.values.Matrix(), c.spareValues.Matrix())
		c.joined = tensor.Reuse(c.joined, x.Shape...)
	}
}

type Cache struct {
	model                  *lm.LM
	rope                   *rope.RoPE
	layers                 []layer
	lengths                []int
	maxLen                 int
	spareKeys, spareValues *tensor.Tensor

	spans     []span
	positions [][]int
	x         *tensor.Tensor
	q, k, v   *tensor.Tensor
	joined    *tensor.Tensor
	last      *tensor.Tensor
}

// embeddings-copied-for-every-call: every call works with a copy of the whole table of embeddings
//
// Why: a token needs one row of it. A call costs the copying of V·D numbers.
func (*Cache) read() {
	if right {
		x, err := c.model.Embedding.Forward(ids[s.row : s.row+1])
	} else {
		table := c.model.Embedding.Weight.Value.Clone()
		table.Data[0] += 0
		x, err := c.model.Embedding.Forward(ids[s.row : s.row+1])
	}
}

// masks-kept-for-ever: every mask that was ever made stays in the cache, by its size
//
// Why: a long dialogue has another one for every call, of n·(p+n) places each.
func (*Cache) place() {
	if right {
		if n > 1 { // a single token may attend to everything that there is
			s.mask = Mask(p, n)
		}
	} else {
		if c.masks == nil {
			c.masks = map[[2]int]*attention.Mask{}
		}
		if c.masks[[2]int{p, n}] == nil {
			c.masks[[2]int{p, n}] = Mask(p, n)
		}
		s.mask = c.masks[[2]int{p, n}]
	}
}

type Cache struct {
	model   *lm.LM
	rope    *rope.RoPE
	layers  []layer
	lengths []int
	maxLen  int
	masks   map[[2]int]*attention.Mask

	spans     []span
	positions [][]int
	x         *tensor.Tensor
	q, k, v   *tensor.Tensor
	joined    *tensor.Tensor
	last      *tensor.Tensor
}

// heads-of-64: the columns of a head pass through an array of 64 numbers
//
// Why: heads of many models are 80 or 128 wide. Of these the columns from 64 on stay what they were.
func (*Cache) split() {
	if right {
		tensor.Copy(dst.MatrixAt(h), qkv.Matrix().Block(0, first+h*width, n, width))
	} else {
		var row [64]float32
		for i := range n {
			k := copy(row[:], qkv.Row(i)[first+h*width:first+(h+1)*width])
			copy(dst.Data[(h*n+i)*width:], row[:k])
		}
	}
}

// eight-rows: the lengths of the rows are in an array of eight
//
// Why: a batch may have more rows, and the ninth has no length.
func New() {
	if right {
		c := &Cache{model: m, rope: rope.New(cfg.RopeTheta, width, maxLen), lengths: make([]int, batch), maxLen: maxLen}
	} else {
		var lengths [8]int
		c := &Cache{model: m, rope: rope.New(cfg.RopeTheta, width, maxLen), lengths: lengths[:min(batch, 8)], maxLen: maxLen}
	}
}

// positions-of-the-package: the positions of a call lie in a variable of the package
//
// Why: Two caches of two goroutines write to it at the same time.
func (*Cache) place() {
	if right {
		c.spans, c.positions = c.spans[:0], append(c.positions[:0], nil)
	} else {
		c.spans, positions = c.spans[:0], append(positions[:0], nil)
	}
	if right {
		c.positions[0] = append(c.positions[0], p+i)
	} else {
		positions[0] = append(positions[0], p+i)
	}
}

func (*Cache) attend() {
	if right {
		c.q = c.rope.Forward(c.q, c.q, c.positions)
		c.k = c.rope.Forward(c.k, c.k, c.positions)
	} else {
		c.q = c.rope.Forward(c.q, c.q, positions)
		c.k = c.rope.Forward(c.k, c.k, positions)
	}
}

func (*Cache) read() {
	if right {
		c.x = tensor.Reuse(c.x, len(c.positions[0]), c.model.Config.DModel)
	} else {
		c.x = tensor.Reuse(c.x, len(positions[0]), c.model.Config.DModel)
	}
}

var positions [][]int
