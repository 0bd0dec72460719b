//go:build mistake

package kvcache

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// one-for-all-layers: all blocks share one buffer of keys and one of values
//
// Why: Every block computes keys and values of its own. The last block to write wins, and the first then
// attends to what the last one kept.
//
// Hint: Allocate inside the loop over the blocks.
func New() {
	if right {
		for range m.Blocks {
			c.layers = append(c.layers, layer{
				keys:   tensor.New(batch, cfg.NumHeads, maxLen, width),
				values: tensor.New(batch, cfg.NumHeads, maxLen, width),
			})
		}
	} else {
		one := layer{
			keys:   tensor.New(batch, cfg.NumHeads, maxLen, width),
			values: tensor.New(batch, cfg.NumHeads, maxLen, width),
		}
		for range m.Blocks {
			c.layers = append(c.layers, one)
		}
	}
}

// one-for-keys-and-values: keys and values share a buffer
//
// Why: Keys are what is compared, values what is gathered: two projections, two buffers.
//
// Hint: Two tensors for every block.
func New() {
	if right {
		c.layers = append(c.layers, layer{
			keys:   tensor.New(batch, cfg.NumHeads, maxLen, width),
			values: tensor.New(batch, cfg.NumHeads, maxLen, width),
		})
	} else {
		both := tensor.New(batch, cfg.NumHeads, maxLen, width)
		c.layers = append(c.layers, layer{keys: both, values: both})
	}
}

// one-for-all-heads: all heads of a row write to the same place
//
// Why: A head attends to what the last head wrote in the calls before.
//
// Hint: Head h of row b owns the T_max places from (b·H + h)·T_max on.
func (*Cache) attend() {
	if right {
		keys, values := head(l.keys, s.row*heads+h), head(l.values, s.row*heads+h)
	} else {
		keys, values := head(l.keys, s.row*heads), head(l.values, s.row*heads)
	}
}

// one-for-all-rows: all rows of the batch write to the same place
//
// Why: A row attends to what the last row wrote in the calls before.
//
// Hint: Head h of row b owns the T_max places from (b·H + h)·T_max on.
func (*Cache) attend() {
	if right {
		keys, values := head(l.keys, s.row*heads+h), head(l.values, s.row*heads+h)
	} else {
		keys, values := head(l.keys, h), head(l.values, h)
	}
}

// one-for-all-caches: two caches of one model share their buffers
//
// Why: Two texts on one model are two caches. What lies in a variable of the package belongs to both.
//
// Hint: New allocates, and the Cache holds what it allocated.
var buffers = map[*lm.LM][]layer{}

func New(m *lm.LM, batch, maxLen int) *Cache {
	cfg := m.Config
	if batch < 1 {
		panic(tensor.ShapeError{Op: "kvcache.New: batch must be at least 1", Got: []int{batch}})
	}
	if maxLen < 1 || maxLen > cfg.ContextLength {
		panic(tensor.ShapeError{Op: "kvcache.New: maxLen", Got: []int{maxLen}, Want: []int{cfg.ContextLength}})
	}
	width := cfg.DModel / cfg.NumHeads
	c := &Cache{model: m, rope: rope.New(cfg.RopeTheta, width, maxLen), lengths: make([]int, batch), maxLen: maxLen}
	for _, l := range buffers[m] {
		if l.keys.Len() >= batch*cfg.NumHeads*maxLen*width {
			c.layers = append(c.layers, l)
		}
	}
	if c.layers == nil {
		for range m.Blocks {
			c.layers = append(c.layers, layer{
				keys:   tensor.New(batch, cfg.NumHeads, cfg.ContextLength, width),
				values: tensor.New(batch, cfg.NumHeads, cfg.ContextLength, width),
			})
		}
		buffers[m] = c.layers
	}
	return c
}

func (c *Cache) Bytes() int {
	return 8 * len(c.layers) * len(c.lengths) * c.maxLen * c.model.Config.DModel
}

// append-after-attending: the new keys and values are stored after attention
//
// Why: A new token attends to itself and to the new ones before it: their keys and values must be there.
//
// Hint: Append first, then attend.
func (*Cache) attend() {
	if right {
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
	} else {
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
	}
}

// written-one-early: behind the first call, keys and values are written over the last ones
//
// Why: p tokens lie at the places 0 to p−1, so that the next one belongs at p.
//
// Hint: The place of a token is its position: from past on.
func (*Cache) attend() {
	if right {
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
	} else {
		to := max(0, p-1)
		copy(keys.Slice(to, to+n).Data, k.Data)
		copy(values.Slice(to, to+n).Data, v.Data)
	}
}

// written-at-the-start: every call writes its keys and values from place 0 on
//
// Why: There lie those of the first tokens, which every later token still asks for.
//
// Hint: A call goes on where the last one ended: its first token stands at place p.
func (*Cache) attend() {
	if right {
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
	} else {
		copy(keys.Slice(0, n).Data, k.Data)
		copy(values.Slice(0, n).Data, v.Data)
	}
}

// written-at-the-start/values: every call writes its values from place 0 on, and its keys where they belong
func (*Cache) attend() {
	if right {
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
	} else {
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(0, n).Data, v.Data)
	}
}

// written-at-the-start/keys: every call writes its keys from place 0 on, and its values where they belong
func (*Cache) attend() {
	if right {
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
	} else {
		copy(keys.Slice(0, n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
	}
}

// written-one-late: keys and values are written one place behind, and slot 0 stays empty
//
// Why: p tokens lie at the places 0 to p−1, so that the next one belongs at p. A key of zeros at slot 0
// takes a share of every softmax.
//
// Hint: The place of a token is its position: from past on.
func (*Cache) attend() {
	if right {
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
	} else {
		end := min(p+1+n, c.maxLen)
		copy(keys.Slice(p+1, end).Data, k.Data)
		copy(values.Slice(p+1, end).Data, v.Data)
	}
}

// slot-0-empty: the very first token is not stored
//
// Why: The first token is the one that all others attend to. A key of zeros in its place takes a share of
// every softmax.
//
// Hint: Write all n new tokens, from past on, which may be 0.
func (*Cache) attend() {
	if right {
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
	} else {
		skip := 0
		if p == 0 {
			skip = 1
		}
		copy(keys.Slice(p+skip, p+n).Data, k.Slice(skip, n).Data)
		copy(values.Slice(p+skip, p+n).Data, v.Slice(skip, n).Data)
	}
}

// first-of-call-only: of several new tokens only the first is stored
//
// Why: One token a call is the ordinary case, a prompt is not: all n new tokens are stored.
//
// Hint: Copy n·K numbers for each head.
func (*Cache) attend() {
	if right {
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
	} else {
		copy(keys.Slice(p, p+1).Data, k.Data)
		copy(values.Slice(p, p+1).Data, v.Data)
	}
}

// prompt-only: what is read behind the first call is not stored
//
// Why: The next token has to find the one before it.
//
// Hint: Append in every call.
func (*Cache) attend() {
	if right {
		copy(keys.Slice(p, p+n).Data, k.Data)
		copy(values.Slice(p, p+n).Data, v.Data)
	} else {
		if p == 0 {
			copy(keys.Slice(p, p+n).Data, k.Data)
			copy(values.Slice(p, p+n).Data, v.Data)
		}
	}
}

// values-are-keys: the keys are stored as values too
//
// Why: Keys are what is compared, values what is gathered.
//
// Hint: v goes to values.
func (*Cache) attend() {
	if right {
		copy(values.Slice(p, p+n).Data, v.Data)
	} else {
		copy(values.Slice(p, p+n).Data, k.Data)
		_ = v
	}
}

// keys-and-values-exchanged: the projection's second third is taken for the values and the last for the keys
//
// Why: QKV's rows are those of the queries, then the keys, then the values.
//
// Hint: k begins at column D, v at 2·D.
func (*Cache) attend() {
	if right {
		c.k = c.split(c.k, qkv, d)
		c.v = c.split(c.v, qkv, 2*d)
	} else {
		c.k = c.split(c.k, qkv, 2*d)
		c.v = c.split(c.v, qkv, d)
	}
}

// new-tokens-alone: new tokens attend to each other only, and nothing of the cache is looked at
//
// Why: The keys are those of the whole row, 0 to p+n.
//
// Hint: Hand Attention the buffer's first p+n rows.
func (*Cache) attend() {
	if right {
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
	} else {
		_, _ = keys, values
		alone := attention.Causal(n)
		y := m.Attention.Forward(q, k, v, alone)
	}
}

// copied-for-every-token: keys and values are put together anew in every call
//
// Why: The logits are right, and a token costs a copy of everything that came before it: memory and time grow
// with the text.
//
// Hint: New allocates for T_max tokens; a call writes behind the others and takes a Slice of what is there.
func (*Cache) attend() {
	if right {
		y := m.Attention.Forward(q, keys.Slice(0, p+n), values.Slice(0, p+n), s.mask)
	} else {
		y := m.Attention.Forward(q, keys.Slice(0, p+n).Clone(), values.Slice(0, p+n).Clone(), s.mask)
	}
}
