package writer

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	block "github.com/stubformer/stubformer/steps/step09_block"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// extender is what a layer with grouped queries can do and that of step 08 cannot: it
// reads new tokens behind past others, whose keys and values (H_kv, T_max, K) are given.
type extender interface {
	Extend(x *tensor.Tensor, past int, keys, values *tensor.Tensor) *tensor.Tensor
}

// grouped is a cache of one row for a model of such layers.
type grouped struct {
	model  *lm.LM
	kept   []kept // one for each block
	length int
	x      *tensor.Tensor // (N, D), the stream of activations
}

// kept is what a block has computed of the tokens read, both (H_kv, T_max, K).
type kept struct{ keys, values *tensor.Tensor }

// newGrouped returns a cache for the model's whole context, or nil if the layers of the
// model are not grouped. It panics if Extend is not written.
func newGrouped(m *lm.LM) *grouped {
	c := &grouped{model: m}
	width := m.Config.DModel / m.Config.NumHeads
	for _, b := range m.Blocks {
		if _, ok := any(b.Attn).(extender); !ok {
			return nil
		}
		heads := b.Attn.Params()[1].Value.Dim(0) / width // of k_proj.weight
		c.kept = append(c.kept, kept{tensor.New(heads, m.Config.ContextLength, width), tensor.New(heads, m.Config.ContextLength, width)})
	}
	if len(c.kept) == 0 {
		return nil
	}
	if _, err := c.Last([][]int{make([]int, min(2, m.Config.ContextLength))}); err != nil {
		panic(err) // token 0 is in every vocabulary
	}
	c.length = 0
	return c
}

// Len returns how many tokens have been read.
func (c *grouped) Len(int) int { return c.length }

// Truncate forgets all but the first n tokens.
func (c *grouped) Truncate(_, n int) { c.length = min(c.length, n) }

// Last reads one row of tokens and returns the logits (1, V) after the last of them,
// zeros if there are none.
func (c *grouped) Last(ids [][]int) (*tensor.Tensor, error) {
	if len(ids[0]) == 0 {
		return tensor.New(1, c.model.Config.VocabSize), nil
	}
	end := c.length + len(ids[0])
	if end > c.model.Config.ContextLength {
		return nil, fmt.Errorf("%d tokens are more than the context length %d", end, c.model.Config.ContextLength)
	}
	x, err := c.model.Embedding.Forward(ids)
	if err != nil {
		return nil, err
	}
	c.x = tensor.Reuse(c.x, x.Dim(1), x.Dim(2))
	copy(c.x.Data, x.Data)
	for l, b := range c.model.Blocks {
		c.block(b, c.kept[l])
	}
	c.length = end
	last := c.x.Slice(c.x.Dim(0)-1, c.x.Dim(0))
	return c.model.Head.Forward(c.model.Norm.Forward(last)), nil
}

// block is Block.Forward in place:
//
//	x = x + Attn(Norm1(x))    (N, D)
//	x = x + FFN(Norm2(x))     (N, D)
func (c *grouped) block(b *block.Block, k kept) {
	attn := any(b.Attn).(extender)
	kernel.Add(c.x.Data, c.x.Data, attn.Extend(b.Norm1.Forward(c.x), c.length, k.keys, k.values).Data)
	kernel.Add(c.x.Data, c.x.Data, b.FFN.Forward(b.Norm2.Forward(c.x)).Data)
}
