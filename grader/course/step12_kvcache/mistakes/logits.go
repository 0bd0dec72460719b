//go:build mistake

package kvcache

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// fed-again: the whole text goes through the model in every call
//
// Why: The logits are right, and a new token costs what the whole text costs: that is what a cache is to save.
//
// Hint: Only new tokens go through the layers. What attention needs of the others lies in the cache.
type Cache struct {
	model   *lm.LM
	rope    *rope.RoPE
	layers  []layer
	lengths []int
	maxLen  int
	texts   [][]int

	spans     []span
	positions [][]int
	x         *tensor.Tensor
	q, k, v   *tensor.Tensor
	joined    *tensor.Tensor
	last      *tensor.Tensor
}

func (c *Cache) Forward(ids [][]int) (*tensor.Tensor, error) {
	if err := c.place(ids); err != nil {
		return nil, err
	}
	if c.texts == nil {
		c.texts = make([][]int, len(c.lengths))
	}
	var all []float32
	for row, tokens := range ids {
		past := c.lengths[row]
		text := slices.Concat(c.texts[row][:past], tokens)
		logits, err := c.model.Forward([][]int{text})
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", row, err)
		}
		if len(tokens) > 0 {
			all = append(all, logits.Reshape(len(text), -1).Slice(past, len(text)).Data...)
		}
	}
	for row, tokens := range ids {
		c.texts[row] = slices.Concat(c.texts[row][:c.lengths[row]], tokens)
		c.lengths[row] += len(tokens)
	}
	return tensor.From(all, len(all)/c.model.Config.VocabSize, c.model.Config.VocabSize), nil
}

func (c *Cache) Last(ids [][]int) (*tensor.Tensor, error) {
	logits, err := c.Forward(ids)
	if err != nil {
		return nil, err
	}
	last, at := tensor.New(len(ids), c.model.Config.VocabSize), 0
	for row, tokens := range ids {
		if at += len(tokens); len(tokens) > 0 {
			copy(last.Row(row), logits.Row(at-1))
		}
	}
	return last, nil
}

// fed-twice: the last token of a prompt is read again to get its logits
//
// Why: The call that reads the prompt has its logits already. Read twice, the token stands twice in the text.
//
// Hint: The logits after the last token of the prompt are the last row of the prompt's own call.
func (*Cache) Last() {
	if right {
		x, err := c.read(ids)
		if err != nil {
			return nil, err
		}
	} else {
		x, err := c.read(ids)
		if err != nil {
			return nil, err
		}
		again, prompt := make([][]int, len(ids)), false
		for row := range ids {
			if n := len(ids[row]); n > 1 && c.lengths[row] < c.maxLen {
				again[row], prompt = ids[row][n-1:], true
			}
		}
		if prompt {
			if x, err = c.read(again); err != nil {
				return nil, err
			}
		}
	}
}

// first-of-call: Last returns the logits after the first new token of each row
//
// Why: The next token is drawn from what the model says behind the last one.
//
// Hint: Row first+n−1 of the activations.
func (*Cache) Last() {
	if right {
		copy(c.last.Row(s.row), x.Row(s.first+s.n-1))
	} else {
		copy(c.last.Row(s.row), x.Row(s.first))
	}
}

// last-of-batch: Last returns the logits after the last token of the last row for all rows
//
// Why: Each row is a text of its own, with a last token of its own.
//
// Hint: Row first+n−1 of the activations, first being where the row begins.
func (*Cache) Last() {
	if right {
		copy(c.last.Row(s.row), x.Row(s.first+s.n-1))
	} else {
		copy(c.last.Row(s.row), x.Row(x.Dim(0)-1))
	}
}

// silent-rows-close-up: rows that read nothing are left out, and the others close up
//
// Why: Row b of the logits belongs to row b of the batch.
//
// Hint: Write to row p.row, not to the next free one.
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

// silent-rows-stale: a row that reads nothing has the logits of its last call
//
// Why: The buffer is used again: what is not written in this call must be zeros.
//
// Hint: Clear it first.
func (*Cache) Last() {
	if right {
		c.last.Zero()
	} else {
	}
}

// head-for-all: Last computes the logits of all new tokens, and returns a part of them
//
// Why: The logits are right. The head is the largest matrix of a model with a large vocabulary, and of a prompt
// only one row of its product is wanted.
//
// Hint: Pick the last activation of every row, then norm and head.
func (*Cache) Last() {
	if right {
		return c.model.Head.Forward(c.model.Norm.Forward(c.last)), nil
	} else {
		logits, all := tensor.New(len(ids), c.model.Config.VocabSize), c.model.Head.Forward(c.model.Norm.Forward(x))
		for _, s := range c.spans {
			copy(logits.Row(s.row), all.Row(s.first+s.n-1))
		}
		return logits, nil
	}
}

// norm-forgotten: the last norm is left out
//
// Why: logits = Head(Norm(x)), as in step 10.
//
// Hint: model.Norm, then model.Head.
func (*Cache) Forward() {
	if right {
		return c.model.Head.Forward(c.model.Norm.Forward(x)), nil
	} else {
		return c.model.Head.Forward(x), nil
	}
}

func (*Cache) Last() {
	if right {
		return c.model.Head.Forward(c.model.Norm.Forward(c.last)), nil
	} else {
		return c.model.Head.Forward(c.last), nil
	}
}

// norm-forgotten/last-only: the last norm is left out of the last token's logits
func (*Cache) Last() {
	if right {
		return c.model.Head.Forward(c.model.Norm.Forward(c.last)), nil
	} else {
		return c.model.Head.Forward(c.last), nil
	}
}

// weights-copied: New copies the model's parameters
//
// Why: The cache reads with the model's own layers. A copy does not know what is loaded or trained later.
//
// Hint: Keep the model itself.
func New() {
	if right {
		c := &Cache{model: m, rope: rope.New(cfg.RopeTheta, width, maxLen), lengths: make([]int, batch), maxLen: maxLen}
	} else {
		own := lm.New(cfg, 0)
		for i, p := range own.Params() {
			copy(p.Value.Data, m.Params()[i].Value.Data)
		}
		c := &Cache{model: own, rope: rope.New(cfg.RopeTheta, width, maxLen), lengths: make([]int, batch), maxLen: maxLen}
	}
}
