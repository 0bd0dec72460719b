package windows

import (
	"errors"
	"fmt"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// Cache keeps the keys in the order of the text: where there is no room, all but the sinks
// move up by one. It counts positions from 1, which changes no distance.
type Cache struct {
	m                     *lm.LM
	turn                  *rope.RoPE
	keys, values          [][]float32 // for every layer (s+W, D)
	window, sinks, maxLen int
	read, kept            int
	x, row, scores        *tensor.Tensor
}

func Slot(p, window, sinks int) int {
	for p >= sinks+window {
		p -= window * max(1, (p-sinks-window)/window)
	}
	return p
}

func New(m *lm.LM, window, sinks, maxLen int) *Cache {
	if window <= 0 || sinks < 0 || maxLen <= 0 {
		panic(tensor.ShapeError{Op: fmt.Sprintf("windows.New: %d sinks, window and maxLen", sinks), Got: []int{window, maxLen}, Want: []int{1, 1}})
	}
	width := m.Config.DModel / m.Config.NumHeads
	c := &Cache{m: m, turn: rope.New(m.Config.RopeTheta, width, maxLen+1), window: window, sinks: sinks, maxLen: maxLen}
	for range m.Blocks {
		c.keys = append(c.keys, make([]float32, (sinks+window)*m.Config.DModel))
		c.values = append(c.values, make([]float32, (sinks+window)*m.Config.DModel))
	}
	c.row, c.scores = tensor.New(1, m.Config.DModel), tensor.New(1, sinks+window)
	return c
}

func (c *Cache) Len() int { return c.read }

func (c *Cache) Bytes() int {
	return 2 * 4 * len(c.m.Blocks) * (c.sinks + c.window) * c.m.Config.DModel
}

func (c *Cache) Forward(ids []int) (*tensor.Tensor, error) {
	if len(ids) > c.maxLen-c.read {
		return nil, errors.New("Cache: the text is longer than may be read")
	}
	x, err := c.m.Embedding.Forward([][]int{ids})
	if err != nil {
		return nil, err
	}
	c.x = tensor.Reuse(c.x, len(ids), c.m.Config.DModel)
	copy(c.x.Data, x.Data)
	before := c.kept
	for l, b := range c.m.Blocks {
		c.kept = before
		qkv := b.Attn.QKV.Forward(b.Norm1.Forward(c.x))
		joined := tensor.New(c.x.Shape...)
		for i := range ids {
			c.token(joined.Row(i), qkv.Row(i), l, c.read+i+1)
		}
		kernel.Add(c.x.Data, c.x.Data, b.Attn.Output.Forward(joined).Data)
		kernel.Add(c.x.Data, c.x.Data, b.FFN.Forward(b.Norm2.Forward(c.x)).Data)
	}
	c.read += len(ids)
	return c.m.Head.Forward(c.m.Norm.Forward(c.x)), nil
}

// token is one token's attention in layer l, of all heads.
func (c *Cache) token(y, qkv []float32, l, position int) {
	d, heads := c.m.Config.DModel, c.m.Config.NumHeads
	width, keys, values := d/heads, c.keys[l], c.values[l]
	if c.kept == c.sinks+c.window {
		copy(keys[c.sinks*d:], keys[(c.sinks+1)*d:])
		copy(values[c.sinks*d:], values[(c.sinks+1)*d:])
		c.kept--
	}
	at := [][]int{{position}}
	for h := range heads {
		turned := c.turn.Forward(nil, tensor.From(append([]float32(nil), qkv[d+h*width:][:width]...), 1, 1, width), at)
		copy(keys[c.kept*d+h*width:], turned.Data)
	}
	copy(values[c.kept*d:], qkv[2*d:])
	c.kept++
	clear(y)
	for h := range heads {
		q := c.turn.Forward(nil, tensor.From(append([]float32(nil), qkv[h*width:][:width]...), 1, 1, width), at)
		scores := c.scores.Data[:c.kept]
		for j := range scores {
			scores[j] = kernel.Dot(q.Data, keys[j*d+h*width:][:width]) * scale(width)
		}
		p := softmax.Softmax(nil, tensor.From(scores, 1, c.kept), -1)
		for j, w := range p.Data {
			kernel.Axpy(w, values[j*d+h*width:][:width], y[h*width:][:width])
		}
	}
}
