package paged

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// Reader reads text after text.
type Reader struct {
	model *lm.LM
	turn  *rope.RoPE
	pool  *Pool
	out   *tensor.Tensor
}

func New(m *lm.LM, pages, size int) *Reader {
	c := m.Config
	width := c.DModel / c.NumHeads
	return &Reader{m, rope.New(c.RopeTheta, width, c.ContextLength), NewPool(c.NumLayers, c.NumHeads, width, pages, size), nil}
}

func (r *Reader) Pool() *Pool { return r.pool }

func (r *Reader) Forward(texts []*Text, ids [][]int) (*tensor.Tensor, error) {
	if len(texts) != len(ids) {
		return nil, errors.New("as many rows as texts, please")
	}
	refs := slices.Clone(r.pool.refs)
	tables, lengths := make([][]int, len(texts)), make([]int, len(texts))
	total := 0
	for i, t := range texts {
		tables[i], lengths[i] = t.Pages(), t.n
		total += len(ids[i])
		if t.pool != r.pool || slices.Contains(texts[:i], t) {
			return nil, fmt.Errorf("text %d is not of this pool, or there twice", i)
		}
		if t.n+len(ids[i]) > r.model.Config.ContextLength {
			return nil, fmt.Errorf("text %d: %d tokens are more than the context of %d", i, t.n+len(ids[i]), r.model.Config.ContextLength)
		}
		if _, err := r.model.Embedding.Forward([][]int{ids[i]}); err != nil {
			return nil, fmt.Errorf("text %d: %w", i, err)
		}
	}
	for i, t := range texts {
		if !t.tryAppend(len(ids[i])) {
			r.pool.refs = refs
			for j, t := range texts {
				t.table, t.n = tables[j], lengths[j]
			}
			return nil, errors.New("too few free pages")
		}
	}
	r.out = tensor.Reuse(r.out, total, r.model.Config.VocabSize)
	at := 0
	for i, t := range texts {
		if n := len(ids[i]); n > 0 {
			copy(r.out.SliceRows(at, at+n).Data, r.one(t, ids[i]).Data)
			at += n
		}
	}
	return r.out, nil
}

// one returns the logits of a text's new tokens.
func (r *Reader) one(t *Text, ids []int) *tensor.Tensor {
	n, c := len(ids), r.model.Config
	embedded, _ := r.model.Embedding.Forward([][]int{ids})
	x := embedded.Reshape(n, c.DModel).Clone()
	positions := make([]int, n)
	for i := range positions {
		positions[i] = t.n - n + i
	}
	width := c.DModel / c.NumHeads
	for l, b := range r.model.Blocks {
		qkv := b.Attn.QKV.Forward(b.Norm1.Forward(x))
		var parts [3]*tensor.Tensor
		for part := range parts {
			parts[part] = tensor.New(1, c.NumHeads, n, width)
			for h := range c.NumHeads {
				tensor.Copy(parts[part].MatrixAt(h), qkv.Matrix().Block(0, part*c.DModel+h*width, n, width))
			}
		}
		for _, part := range parts[:2] {
			r.turn.Forward(part, part, [][]int{positions})
		}
		t.Write(l, parts[1].Reshape(c.NumHeads, n, width), parts[2].Reshape(c.NumHeads, n, width))
		y := t.Attend(l, parts[0].Reshape(c.NumHeads, n, width))
		joined := tensor.New(n, c.DModel)
		for h := range c.NumHeads {
			tensor.Copy(joined.Matrix().Block(0, h*width, n, width), y.MatrixAt(h))
		}
		for i, v := range b.Attn.Output.Forward(joined).Data {
			x.Data[i] += v
		}
		for i, v := range b.FFN.Forward(b.Norm2.Forward(x)).Data {
			x.Data[i] += v
		}
	}
	return r.model.Head.Forward(r.model.Norm.Forward(x))
}
