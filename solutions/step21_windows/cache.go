package windows

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// Cache is what a model has read of one text through a window: for every layer the keys
// and values of the last W tokens and of the first s, in a ring that never grows.
//
// It reads with the model's own layers and parameters, as the cache of step 12 does: any
// number of caches may take turns on one model, but between a Forward of the model and its
// Backward none of them is used.
//
// Source: Xiao et al., 2023, section 3.2; a ring as in Jiang et al., "Mistral 7B", 2023.
type Cache struct {
	model         *lm.LM
	rope          *rope.RoPE
	rings         []ring // one for each block
	window, sinks int
	length        int // tokens that have been read
	maxLen        int // T_max

	attention attention.Attention // of one query
	positions [][]int             // (1, N)
	x         *tensor.Tensor      // (N, D), the stream of activations
	q, k, v   *tensor.Tensor      // (1, H, N, K)
	joined    *tensor.Tensor      // (N, D), the heads side by side
}

// ring holds the keys of one block after RoPE, and the values as they are: both
// (H, s+W, K). The token of position p lies at Slot(p, W, s).
type ring struct{ keys, values *tensor.Tensor }

// Slot returns where the token of position p lies in a buffer of sinks + window places:
//
//	p                   for p < s, the sinks, which stay
//	s + (p − s) mod W   for the others: each takes the place of the one W before it
func Slot(p, window, sinks int) int {
	if p < sinks {
		return p
	}
	return sinks + (p-sinks)%window
}

// New returns an empty cache for a text of at most maxLen tokens, which may be more than
// the model's ContextLength. All memory of keys and values is allocated here, and does not
// depend on maxLen: for every layer two buffers (H, s+W, K).
//
// It panics with a ShapeError unless window and maxLen are at least 1 and sinks at least 0.
func New(m *lm.LM, window, sinks, maxLen int) *Cache {
	if window < 1 || sinks < 0 || maxLen < 1 {
		op := "windows.New: window and maxLen must be at least 1, sinks at least 0"
		panic(tensor.ShapeError{Op: op, Got: []int{window, maxLen, sinks}})
	}
	heads, width := m.Config.NumHeads, m.Config.DModel/m.Config.NumHeads
	c := &Cache{model: m, window: window, sinks: sinks, maxLen: maxLen}
	c.rope = rope.New(m.Config.RopeTheta, width, maxLen)
	for range m.Blocks {
		c.rings = append(c.rings, ring{
			keys:   tensor.New(heads, sinks+window, width),
			values: tensor.New(heads, sinks+window, width),
		})
	}
	return c
}

// Len returns how many tokens have been read.
func (c *Cache) Len() int { return c.length }

// Bytes returns the size of all keys and values, 2·L·(s+W)·D numbers of four bytes,
// however many tokens have been read.
func (c *Cache) Bytes() int {
	numbers := 0
	for _, r := range c.rings {
		numbers += r.keys.Len() + r.values.Len()
	}
	return 4 * numbers
}

// Forward reads ids, the next tokens of the text, and returns the logits (N, V) after every
// one of them. They are those of the model whose every query sees through the window, see
// Window, on the whole text at once, however it is cut into calls. The first new token
// stands at position Len(), in RoPE and everywhere.
//
// The logits are valid until the model or one of its caches reads again. A text that would
// be longer than T_max and an id outside the vocabulary are errors; after an error
// everything is as before.
func (c *Cache) Forward(ids []int) (*tensor.Tensor, error) {
	if c.length+len(ids) > c.maxLen {
		return nil, fmt.Errorf("Cache: %d tokens have been read, and %d more are more than the %d that may be",
			c.length, len(ids), c.maxLen)
	}
	x, err := c.model.Embedding.Forward([][]int{ids})
	if err != nil {
		return nil, fmt.Errorf("Cache: %w", err)
	}
	c.positions = append(c.positions[:0], c.next(len(ids)))
	c.x = tensor.Reuse(c.x, len(ids), c.model.Config.DModel)
	copy(c.x.Data, x.Data)
	stream := c.x.Data
	for l, b := range c.model.Blocks {
		kernel.Add(stream, stream, c.attend(b.Attn, c.rings[l], b.Norm1.Forward(c.x)).Data)
		kernel.Add(stream, stream, b.FFN.Forward(b.Norm2.Forward(c.x)).Data)
	}
	c.length += len(ids)
	return c.model.Head.Forward(c.model.Norm.Forward(c.x)), nil
}

// next returns the positions of n new tokens.
func (c *Cache) next(n int) []int {
	positions := make([]int, n)
	for i := range positions {
		positions[i] = c.length + i
	}
	return positions
}

// attend is MultiHead.Forward for new tokens x (N, D): token by token, each first takes
// its place in the ring and then attends to all that lies there.
//
//	keys[Slot(p)] = k,  values[Slot(p)] = v                 p = length, length+1, …
//	y = Attention(q, keys[0 : seen], values[0 : seen])      seen = min(p+1, s+W)
//
// The token that it takes the place of stands at p − W, and no query from p on sees that.
// So nothing is lost that is still to be read, and nothing is to be hidden: what lies in
// the ring is what the query sees. In what order makes no difference.
func (c *Cache) attend(m *attention.MultiHead, r ring, x *tensor.Tensor) *tensor.Tensor {
	d, heads, places := x.Dim(1), c.model.Config.NumHeads, c.sinks+c.window
	qkv := m.QKV.Forward(x) // (N, 3D)
	c.q, c.k, c.v = c.split(c.q, qkv, 0), c.split(c.k, qkv, d), c.split(c.v, qkv, 2*d)
	c.q = c.rope.Forward(c.q, c.q, c.positions)
	c.k = c.rope.Forward(c.k, c.k, c.positions)
	c.joined = tensor.Reuse(c.joined, x.Shape...)
	for h := range heads {
		q, k, v := head(c.q, h), head(c.k, h), head(c.v, h)
		keys, values := head(r.keys, h), head(r.values, h) // (s+W, K)
		for i := range x.Dim(0) {
			p := c.length + i
			slot, seen := Slot(p, c.window, c.sinks), min(p+1, places)
			copy(keys.Row(slot), k.Row(i))
			copy(values.Row(slot), v.Row(i))
			y := c.attention.Forward(q.Slice(i, i+1), keys.Slice(0, seen), values.Slice(0, seen), nil)
			copy(c.joined.Row(i)[h*d/heads:], y.Data)
		}
	}
	return m.Output.Forward(c.joined)
}

// head returns matrix i of t (…, H, N, K) as (N, K).
func head(t *tensor.Tensor, i int) *tensor.Tensor {
	return t.SliceRows(i*t.Dim(-2), (i+1)*t.Dim(-2))
}

// split copies the D columns of qkv (N, 3D) that begin at first to dst (1, H, N, K):
// head h owns K of them.
func (c *Cache) split(dst, qkv *tensor.Tensor, first int) *tensor.Tensor {
	n, heads, width := qkv.Dim(0), c.model.Config.NumHeads, 2*c.rope.Cos.Dim(1)
	dst = tensor.Reuse(dst, 1, heads, n, width)
	for h := range heads {
		tensor.Copy(dst.MatrixAt(h), qkv.Matrix().Block(0, first+h*width, n, width))
	}
	return dst
}
