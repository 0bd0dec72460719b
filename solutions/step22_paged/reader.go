package paged

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// Reader lets one model read any number of texts, whose keys and values lie in one pool. A
// text joins by being read, and leaves by Truncate(0).
//
// It reads with the model's own layers and parameters, as the cache of step 12 does: any
// number of readers may take turns on one model, but between a Forward of the model and
// its Backward none of them is used.
type Reader struct {
	model *lm.LM
	rope  *rope.RoPE
	pool  *Pool

	x       *tensor.Tensor // (N, D), the stream of activations
	q, k, v *tensor.Tensor // (1, H, n, K)
	joined  *tensor.Tensor // (N, D), the heads side by side
}

// New returns a reader with a pool of pages, each of size tokens. It panics with a
// ShapeError unless both are at least 1.
func New(m *lm.LM, pages, size int) *Reader {
	cfg := m.Config
	return &Reader{
		model: m,
		rope:  rope.New(cfg.RopeTheta, cfg.DModel/cfg.NumHeads, cfg.ContextLength),
		pool:  NewPool(cfg.NumLayers, cfg.NumHeads, cfg.DModel/cfg.NumHeads, pages, size),
	}
}

// Pool returns the reader's pool: Pool().NewText() is a text that it can read.
func (r *Reader) Pool() *Pool {
	return r.pool
}

// Forward reads ids, a row of new tokens for each of the texts, and returns the logits
// (N, V) after every one of them: those of the first text, then those of the second, and
// so on. They are what LM.Forward would return at the same places of the whole texts. The
// first new token of a text stands at position Len(). A row may be empty.
//
// The logits are valid until the model or one of its readers reads again. Errors are:
// another number of rows than of texts; a text that is there twice or lies in another pool;
// one that would be longer than the model's ContextLength; an id outside the vocabulary;
// too few free pages for all of them. They name the text, 0 for the first, but for the
// first and the last. After an error everything is as before, in all texts.
func (r *Reader) Forward(texts []*Text, ids [][]int) (*tensor.Tensor, error) {
	if err := r.fits(texts, ids); err != nil {
		return nil, err
	}
	r.x = tensor.Reuse(r.x, len(slices.Concat(ids...)), r.model.Config.DModel)
	first := 0
	for i := range texts {
		x, err := r.model.Embedding.Forward(ids[i : i+1])
		if err != nil {
			return nil, fmt.Errorf("Reader: text %d: %w", i, err)
		}
		copy(r.x.Slice(first, first+len(ids[i])).Data, x.Data)
		first += len(ids[i])
	}
	for i, t := range texts { // nothing can go wrong any more
		t.grow(len(ids[i]))
	}
	x := r.x.Data
	for l, b := range r.model.Blocks {
		kernel.Add(x, x, r.attend(l, b.Attn, b.Norm1.Forward(r.x), texts, ids).Data)
		kernel.Add(x, x, b.FFN.Forward(b.Norm2.Forward(r.x)).Data)
	}
	return r.model.Head.Forward(r.model.Norm.Forward(r.x)), nil
}

// fits returns an error if the texts cannot read so many more tokens, whatever they are.
func (r *Reader) fits(texts []*Text, ids [][]int) error {
	if len(ids) != len(texts) {
		return fmt.Errorf("Reader: %d rows of ids; want %d, one for each text", len(ids), len(texts))
	}
	more := make([]int, len(texts))
	for i, t := range texts {
		more[i] = len(ids[i])
		switch longest := r.model.Config.ContextLength; {
		case t.pool != r.pool:
			return fmt.Errorf("Reader: text %d lies in another pool", i)
		case slices.Contains(texts[:i], t):
			return fmt.Errorf("Reader: text %d is there twice; a text reads once in a call", i)
		case t.length+more[i] > longest:
			return fmt.Errorf("Reader: text %d has %d tokens, and %d more are more than the context of %d",
				i, t.length, more[i], longest)
		}
	}
	if need := r.pool.need(texts, more); need > len(r.pool.free) {
		return fmt.Errorf("Reader: the new tokens need %d pages, and %d are free", need, len(r.pool.free))
	}
	return nil
}

// attend is MultiHead.Forward for new tokens x (N, D), which have been appended to their
// texts: each text writes its own keys and values and attends to its own pages.
//
//	q, k, v = x W_QKVᵀ, split into heads     (1, H, n, K)    a text's n of all N
//	q, k    = RoPE(q), RoPE(k)               at the positions Len − n, …, Len − 1
//	y       = (Attend(q), joined) W_Oᵀ       (N, D)
func (r *Reader) attend(
	layer int, m *attention.MultiHead, x *tensor.Tensor, texts []*Text, ids [][]int,
) *tensor.Tensor {
	d, heads, width := x.Dim(1), r.model.Config.NumHeads, 2*r.rope.Cos.Dim(1)
	qkv := m.QKV.Forward(x) // (N, 3D)
	r.joined = tensor.Reuse(r.joined, x.Shape...)
	first := 0
	for i, t := range texts {
		n := len(ids[i])
		if n == 0 {
			continue
		}
		rows := qkv.Matrix().Block(first, 0, n, 3*d)
		r.q, r.k, r.v = r.split(r.q, rows, 0), r.split(r.k, rows, d), r.split(r.v, rows, 2*d)
		positions := [][]int{places(t.length-n, n)}
		r.q = r.rope.Forward(r.q, r.q, positions)
		r.k = r.rope.Forward(r.k, r.k, positions)
		t.Write(layer, r.k.Reshape(heads, n, width), r.v.Reshape(heads, n, width))
		y := t.Attend(layer, r.q.Reshape(heads, n, width))
		for h := range heads {
			tensor.Copy(r.joined.Matrix().Block(first, h*width, n, width), y.MatrixAt(h))
		}
		first += n
	}
	return m.Output.Forward(r.joined)
}

// places returns n positions from the first on.
func places(first, n int) []int {
	row := make([]int, n)
	for i := range row {
		row[i] = first + i
	}
	return row
}

// split copies the D columns of rows (n, 3D) that begin at first to dst (1, H, n, K): head
// h owns K of them.
func (r *Reader) split(dst *tensor.Tensor, rows tensor.Matrix, first int) *tensor.Tensor {
	n, heads, width := rows.Rows, r.model.Config.NumHeads, 2*r.rope.Cos.Dim(1)
	dst = tensor.Reuse(dst, 1, heads, n, width)
	for h := range heads {
		tensor.Copy(dst.MatrixAt(h), rows.Block(0, first+h*width, n, width))
	}
	return dst
}
