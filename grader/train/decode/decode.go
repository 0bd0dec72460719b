// Package decode runs a language model one token at a time with a cache of keys
// and values (KV cache). What it computes is what the model's Forward computes,
// and every layer of it is the student's: only the keys and values of the tokens
// that came before are kept, instead of being computed anew for every token.
//
// For a model of P parameters a token takes 2·P operations instead of 2·P·T,
// where T is the length of the text so far. All parameters have to be read for
// each, so that the memory sets the pace.
//
// Letters: T time, D d_model, H heads, K d_k = D/H, V vocabulary.
package decode

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step09_block"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// Decoder is a model and what it has read so far, at most ContextLength tokens.
type Decoder struct {
	model  *lm.LM
	rope   *rope.RoPE
	caches []cache // one a block
	length int     // tokens read

	ids, positions [][]int           // (1, N) for the N tokens that are being read
	mask           *attention.Mask   // which of them may attend to what
	stream         *tensor.Tensor    // (1, N, D)
	turned         [2]*tensor.Tensor // (1, H, N, K): queries and keys
	joined         *tensor.Tensor    // (1, N, D)
	q, k, v        tensor.Tensor     // (N, K), (T, K), (T, K) of one head
}

// cache holds the keys and the values of one block, (H, ContextLength, K) each.
type cache struct{ keys, values []float32 }

// New returns a decoder that has read nothing. It shares the model's parameters
// and uses its layers: the model is not to be used for anything else between two
// calls of Read that belong together.
func New(m *lm.LM) *Decoder {
	c := m.Config
	d := &Decoder{model: m, rope: rope.New(c.RopeTheta, c.DModel/c.NumHeads, c.ContextLength),
		ids: make([][]int, 1), positions: make([][]int, 1)}
	for range m.Blocks {
		d.caches = append(d.caches, cache{make([]float32, c.ContextLength*c.DModel), make([]float32, c.ContextLength*c.DModel)})
	}
	return d
}

// Room returns how many more tokens the decoder can read.
func (d *Decoder) Room() int { return d.model.Config.ContextLength - d.length }

// Read reads more tokens, at least one, and returns the logits (V) of the token
// after the last of them, valid until the next Read. It is an error to read an
// id outside the vocabulary or more than there is room for; then nothing has
// been read.
func (d *Decoder) Read(ids ...int) ([]float32, error) {
	if len(ids) == 0 || len(ids) > d.Room() {
		return nil, fmt.Errorf("%d tokens are to be read after %d; want at least 1, and at most %d in all",
			len(ids), d.length, d.model.Config.ContextLength)
	}
	d.ids[0] = ids
	x, err := d.model.Embedding.Forward(d.ids)
	if err != nil {
		return nil, err
	}
	d.place(len(ids))
	for i, b := range d.model.Blocks {
		x = d.block(b, &d.caches[i], x)
	}
	d.length += len(ids)
	logits := d.model.Head.Forward(d.model.Norm.Forward(x))
	return logits.Row(len(ids) - 1), nil
}

// place sets the positions of the next n tokens and what they may attend to: all
// that was read before, themselves, and of each other those before them.
func (d *Decoder) place(n int) {
	d.positions[0] = d.positions[0][:0]
	for i := range n {
		d.positions[0] = append(d.positions[0], d.length+i)
	}
	d.mask = nil // one token may attend to everything that there is
	if n == 1 {
		return
	}
	total := d.length + n
	d.mask = &attention.Mask{N: n, M: total, Attend: make([]bool, n*total)}
	for i := range n {
		for j := range d.length + i + 1 {
			d.mask.Attend[i*total+j] = true
		}
	}
}

// block is Block.Forward with the attention below:
//
//	y = x + Attn(Norm1(x)),  z = y + FFN(Norm2(y))
func (d *Decoder) block(b *block.Block, c *cache, x *tensor.Tensor) *tensor.Tensor {
	d.stream = tensor.Reuse(d.stream, x.Shape...)
	kernel.Add(d.stream.Data, x.Data, d.attend(b.Attn, c, b.Norm1.Forward(x)).Data)
	kernel.Add(d.stream.Data, d.stream.Data, b.FFN.Forward(b.Norm2.Forward(d.stream)).Data)
	return d.stream
}

// attend is MultiHead.Forward for new tokens (1, N, D) behind those in the cache,
// to which it adds theirs.
func (d *Decoder) attend(m *attention.MultiHead, c *cache, x *tensor.Tensor) *tensor.Tensor {
	n, dModel, heads := x.Dim(1), d.model.Config.DModel, d.model.Config.NumHeads
	width := dModel / heads
	qkv := m.QKV.Forward(x) // (1, N, 3D)
	for i := range d.turned {
		d.turned[i] = tensor.Reuse(d.turned[i], 1, heads, n, width)
	}
	for t := range n {
		row := qkv.Row(t)
		for h := range heads {
			copy(d.turned[0].Row(h*n+t), row[h*width:(h+1)*width])
			copy(d.turned[1].Row(h*n+t), row[dModel+h*width:dModel+(h+1)*width])
			copy(d.at(c.values, h, d.length+t), row[2*dModel+h*width:2*dModel+(h+1)*width])
		}
	}
	for i, y := range d.turned {
		d.turned[i] = d.rope.Forward(y, y, d.positions)
	}
	d.joined = tensor.Reuse(d.joined, 1, n, dModel)
	for h := range heads {
		for t := range n {
			copy(d.at(c.keys, h, d.length+t), d.turned[1].Row(h*n+t))
		}
		view(&d.q, d.turned[0].Data[h*n*width:], n, width)
		view(&d.k, d.at(c.keys, h, 0), d.length+n, width)
		view(&d.v, d.at(c.values, h, 0), d.length+n, width)
		y := m.Attention.Forward(&d.q, &d.k, &d.v, d.mask) // (N, K)
		for t := range n {
			copy(d.joined.Row(t)[h*width:(h+1)*width], y.Row(t))
		}
	}
	return m.Output.Forward(d.joined)
}

// at returns what the half of a cache holds for head h from position t on.
func (d *Decoder) at(half []float32, h, t int) []float32 {
	c := d.model.Config
	return half[(h*c.ContextLength+t)*c.DModel/c.NumHeads:]
}

// view makes t a matrix over the beginning of data.
func view(t *tensor.Tensor, data []float32, rows, cols int) {
	t.Shape, t.Data = append(t.Shape[:0], rows, cols), data[:rows*cols]
}
