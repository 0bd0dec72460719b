//go:build unlisted

package kvcache

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step02_linear"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// idle-row-has-its-last-logits: Last relies on the buffer of the rows' ends being 0 where nothing was read
//
// Why: it is, in the first call. Later a row that reads nothing has the logits of its last token, or of what else lay there, and not zeros.
func (*Cache) Last() {
	if right {
		c.last.Zero()
	} else {
	}
}

// ends-by-the-order-of-the-readers: Last puts the end of the i-th row that reads something into row i
//
// Why: with an idle row before others, their logits are one row too far up.
func (*Cache) Last() {
	if right {
		for _, s := range c.spans {
			copy(c.last.Row(s.row), x.Row(s.first+s.n-1))
		}
	} else {
		for i, s := range c.spans {
			copy(c.last.Row(i), x.Row(s.first+s.n-1))
		}
	}
}

// nothing-for-nobody: if no row reads anything, Last returns logits without rows
//
// Why: a row that read nothing has zeros, so the logits are (B, V), also where that holds for all of them.
func (*Cache) Last() {
	if right {
		c.last = tensor.Reuse(c.last, len(ids), x.Dim(1))
	} else {
		if len(c.spans) == 0 {
			return tensor.New(0, c.model.Config.VocabSize), nil
		}
		c.last = tensor.Reuse(c.last, len(ids), x.Dim(1))
	}
}

// a-bad-id-counts: the rows before the one with an unknown id are counted on as they are looked up
//
// Why: after an error everything is as before. Here the rows above the bad one have become longer by tokens that were never computed.
func (*Cache) read() {
	if right {
		copy(c.x.Slice(s.first, s.first+s.n).Data, x.Data)
	} else {
		copy(c.x.Slice(s.first, s.first+s.n).Data, x.Data)
		c.lengths[s.row] += s.n
	}
}

func (*Cache) read() {
	if right {
		for _, s := range c.spans {
			c.lengths[s.row] += s.n
		}
	} else {
	}
}

// names-the-wrong-row: the error of an unknown id counts only the rows that read something
//
// Why: errors name the row. With an idle row above it, the one that is named is another.
func (*Cache) read() {
	if right {
		for _, s := range c.spans {
			x, err := c.model.Embedding.Forward(ids[s.row : s.row+1])
			if err != nil {
				return nil, fmt.Errorf("Cache: row %d: %w", s.row, err)
			}
			copy(c.x.Slice(s.first, s.first+s.n).Data, x.Data)
		}
	} else {
		for row, s := range c.spans {
			x, err := c.model.Embedding.Forward(ids[s.row : s.row+1])
			if err != nil {
				return nil, fmt.Errorf("Cache: row %d: %w", row, err)
			}
			copy(c.x.Slice(s.first, s.first+s.n).Data, x.Data)
		}
	}
}

// missing-rows-read-nothing: fewer rows of ids than the batch has are taken for idle ones at its end
//
// Why: another number of rows is an error, fewer as well as more.
func (*Cache) place() {
	if right {
		if len(ids) != len(c.lengths) {
			return fmt.Errorf("Cache: %d rows of ids; want %d, one for each row of the batch", len(ids), len(c.lengths))
		}
	} else {
		if len(ids) > len(c.lengths) {
			return fmt.Errorf("Cache: %d rows of ids; want %d, one for each row of the batch", len(ids), len(c.lengths))
		}
	}
}

// head-as-it-was-when-the-cache-was-made: New copies the weight of the head
//
// Why: the cache reads with the model's own parameters. After the model has loaded or learnt others, the cache's logits are not those of LM.Forward.
func New() {
	if right {
		return c
	} else {
		c.ownHead = linear.New(tensor.NewParam("head", m.Head.Weight.Value.Clone()))
		return c
	}
}

func (*Cache) Forward() {
	if right {
		return c.model.Head.Forward(c.model.Norm.Forward(x)), nil
	} else {
		return c.ownHead.Forward(c.model.Norm.Forward(x)), nil
	}
}

func (*Cache) Last() {
	if right {
		return c.model.Head.Forward(c.model.Norm.Forward(c.last)), nil
	} else {
		return c.ownHead.Forward(c.model.Norm.Forward(c.last)), nil
	}
}

type Cache struct {
	model   *lm.LM
	ownHead *linear.Linear
	rope    *rope.RoPE
	layers  []layer
	lengths []int
	maxLen  int

	spans     []span
	positions [][]int
	x         *tensor.Tensor
	q, k, v   *tensor.Tensor
	joined    *tensor.Tensor
	last      *tensor.Tensor
}

// theta-from-memory: the cache's RoPE is made with 10,000
//
// Why: a model has its own Θ, and many have another one. Their logits are wrong from the second token on.
func New() {
	if right {
		c := &Cache{model: m, rope: rope.New(cfg.RopeTheta, width, maxLen), lengths: make([]int, batch), maxLen: maxLen}
	} else {
		c := &Cache{model: m, rope: rope.New(10000, width, maxLen), lengths: make([]int, batch), maxLen: maxLen}
	}
}

// truncate-up-to-the-room: Truncate accepts an n up to T_max
//
// Why: more than a row has read is an IndexError. Here the row becomes longer, by what was cut off before or by zeros.
func (*Cache) Truncate() {
	if right {
		if n < 0 || n > c.lengths[row] {
			panic(tensor.IndexError{Op: "Cache.Truncate: n", Got: n, Limit: c.lengths[row] + 1})
		}
	} else {
		if n < 0 || n > c.maxLen {
			panic(tensor.IndexError{Op: "Cache.Truncate: n", Got: n, Limit: c.maxLen + 1})
		}
	}
}
