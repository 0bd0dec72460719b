// Package paged keeps the keys and values of many texts in pages that they share, and
// lets a small model write ahead for a large one.
//
// Letters: L layers, H heads, K d_k, P pages of S tokens; n new tokens of a text, N those of
// all texts together; D d_model, V vocabulary; γ tokens that are drafted, p and q the
// distributions of the large model and of the draft.
package paged

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
)

// Pool is a memory of P pages. A page has room for the keys and values of S tokens of one
// text, in all layers and heads; a text holds the pages that its table names. A page may be
// held by several texts, and is free again when none holds it.
//
// Source: Kwon et al., "Efficient Memory Management for Large Language Model Serving with
// PagedAttention", 2023, sections 4.1 to 4.4.
type Pool struct {
	keys, values []*tensor.Tensor // of every layer (P, H, S, K)
	size         int              // S
	holders      []int            // how many texts hold each page
	free         []int            // pages that nobody holds

	s *tensor.Tensor // (n, Len), the scores of one head
	y *tensor.Tensor // (H, n, K)
}

// Text is one text in a pool: how many tokens it has, and the table of its pages. Position
// p lies in page Pages()[p/S], at place p mod S.
type Text struct {
	pool   *Pool
	pages  []int // the table
	length int
}

// NewPool returns a pool of free pages. All memory of keys and values is allocated here.
// It panics with a ShapeError unless all five are at least 1.
func NewPool(layers, heads, width, pages, size int) *Pool {
	for _, n := range []int{layers, heads, width, pages, size} {
		if n < 1 {
			op := "paged.NewPool: layers, heads, width, pages and size must be at least 1"
			panic(tensor.ShapeError{Op: op, Got: []int{layers, heads, width, pages, size}})
		}
	}
	p := &Pool{size: size, holders: make([]int, pages)}
	for range layers {
		p.keys = append(p.keys, tensor.New(pages, heads, size, width))
		p.values = append(p.values, tensor.New(pages, heads, size, width))
	}
	for page := range pages {
		p.free = append(p.free, pages-1-page) // page 0 is taken first
	}
	return p
}

// Free returns how many pages nobody holds.
func (p *Pool) Free() int {
	return len(p.free)
}

// Bytes returns the size of all keys and values, 2·L·P·H·S·K numbers of four bytes,
// however many are in use.
func (p *Pool) Bytes() int {
	return 4 * 2 * len(p.keys) * p.keys[0].Len()
}

// NewText returns a text without tokens, which holds no page.
func (p *Pool) NewText() *Text {
	return &Text{pool: p}
}

// Len returns how many tokens the text has.
func (t *Text) Len() int {
	return t.length
}

// Pages returns the text's table, ⌈Len/S⌉ pages in the order of the text, as a copy.
func (t *Text) Pages() []int {
	return slices.Clone(t.pages)
}

// Append makes the text n tokens longer. Their keys and values are whatever lies there
// until Write writes them. The text takes a free page where its last one is full. If its
// last page has room and others hold it, too, it takes a copy of it first, since what the
// others see may not change (copy on write). It takes no more pages than that.
//
// If too few pages are free it returns an error, and everything is as before. It panics
// with an IndexError if n is negative.
func (t *Text) Append(n int) error {
	if n < 0 {
		panic(tensor.IndexError{Op: "Text.Append: n", Got: n})
	}
	if need := t.pool.need([]*Text{t}, []int{n}); need > len(t.pool.free) {
		return fmt.Errorf("Text: %d more tokens need %d pages, and %d are free", n, need, len(t.pool.free))
	}
	t.grow(n)
	return nil
}

// Write sets the keys and values (H, n, K) of the last n tokens in a layer, 0 ≤ n. They
// have been appended since the text was forked or read.
//
// It panics with a ShapeError if k or v does not fit the pool or n is more than Len, and
// with an IndexError unless 0 ≤ layer < L.
func (t *Text) Write(layer int, k, v *tensor.Tensor) {
	p := t.pool
	n := t.check("Text.Write", layer, k)
	tensor.CheckShape("Text.Write: v", v, k.Shape...)
	for h := range k.Dim(0) {
		for i := range n {
			pos := t.length - n + i
			row := p.row(t.pages[pos/p.size], h) + pos%p.size
			copy(p.keys[layer].Row(row), k.Row(h*n+i))
			copy(p.values[layer].Row(row), v.Row(h*n+i))
		}
	}
}

// Attend lets n queries (H, n, K), those of the last n tokens, attend to the text in a
// layer:
//
//	s[i][j] = q[i]·k[j]/√K    for j ≤ Len − n + i, −Inf behind
//	y       = softmax(s) v    (H, n, K)
//
// It reads keys and values where they lie. y is valid until a text of the pool attends
// again. It panics as Write does.
func (t *Text) Attend(layer int, q *tensor.Tensor) *tensor.Tensor {
	// (1) S = q·k_pageᵀ, for each page
	// (2) S/√K, −Inf for j > Len − n + i
	// (3) P = softmax(S), over the whole row
	// (4) y = Σ P·v_page, over the pages
	p := t.pool
	n := t.check("Text.Attend", layer, q)
	p.y = tensor.Reuse(p.y, q.Shape...)
	p.s = tensor.Reuse(p.s, n, t.length)
	p.y.Zero()
	if n == 0 {
		return p.y
	}
	s := p.s.Matrix()
	for h := range q.Dim(0) {
		for first, page := range t.blocks() {
			rows := min(p.size, t.length-first)
			keys := p.block(p.keys[layer], page, h, rows)
			tensor.Mul(s.Block(0, first, n, rows), q.MatrixAt(h), keys.T()) // (1)
		}
		kernel.Scale(float32(1/math.Sqrt(float64(q.Dim(2)))), p.s.Data)
		for i := range n { // (2) the i-th stands at Len − n + i
			hidden := p.s.Row(i)[t.length-n+i+1:]
			for j := range hidden {
				hidden[j] = float32(math.Inf(-1))
			}
		}
		softmax.Softmax(p.s, p.s, 1) // (3)
		for first, page := range t.blocks() {
			rows := min(p.size, t.length-first)
			values := p.block(p.values[layer], page, h, rows)
			tensor.MulAdd(p.y.MatrixAt(h), s.Block(0, first, n, rows), values) // (4)
		}
	}
	return p.y
}

// Fork returns another text of the same tokens. It holds the same pages; no key and no
// value is copied. What is appended to one of them, the other does not see.
func (t *Text) Fork() *Text {
	for _, page := range t.pages {
		t.pool.holders[page]++
	}
	return &Text{pool: t.pool, pages: slices.Clone(t.pages), length: t.length}
}

// Truncate makes the text forget all but its first n tokens, and gives back the pages that
// it then has no tokens in. Truncate(0) gives back all. It panics with an IndexError unless
// 0 ≤ n ≤ Len.
func (t *Text) Truncate(n int) {
	if n < 0 || n > t.length {
		panic(tensor.IndexError{Op: "Text.Truncate: n", Got: n, Limit: t.length + 1})
	}
	keep := t.pool.pagesFor(n)
	for _, page := range t.pages[keep:] {
		t.pool.release(page)
	}
	t.pages, t.length = t.pages[:keep], n
}

// need returns how many pages texts take that grow by so many tokens each, in this order.
func (p *Pool) need(texts []*Text, more []int) int {
	need, copied := 0, map[int]int{} // copies that were taken of each page
	for i, t := range texts {
		need += p.pagesFor(t.length+more[i]) - len(t.pages)
		if page, open := t.open(); open && more[i] > 0 && p.holders[page]-copied[page] > 1 {
			copied[page]++
			need++
		}
	}
	return need
}

// grow makes the text n tokens longer. There are enough free pages.
func (t *Text) grow(n int) {
	p := t.pool
	if page, open := t.open(); open && n > 0 && p.holders[page] > 1 {
		own := p.take()
		for l := range p.keys {
			copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
			copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
		}
		p.release(page)
		t.pages[len(t.pages)-1] = own
	}
	t.length += n
	for len(t.pages) < p.pagesFor(t.length) {
		t.pages = append(t.pages, p.take())
	}
}

// open returns the text's last page, and reports whether there is one that has room.
func (t *Text) open() (page int, ok bool) {
	if t.length%t.pool.size == 0 {
		return 0, false
	}
	return t.pages[len(t.pages)-1], true
}

// take returns a free page, which is held once then.
func (p *Pool) take() int {
	last := len(p.free) - 1
	page := p.free[last]
	p.free, p.holders[page] = p.free[:last], 1
	return page
}

// release lets a text go of a page.
func (p *Pool) release(page int) {
	if p.holders[page]--; p.holders[page] == 0 {
		p.free = append(p.free, page)
	}
}

// pagesFor returns how many pages n tokens take.
func (p *Pool) pagesFor(n int) int { return (n + p.size - 1) / p.size }

// row returns which row of a layer's keys is the first of a head in a page.
func (p *Pool) row(page, head int) int { return (page*p.keys[0].Dim(1) + head) * p.size }

// block returns the first rows of a head in a page of half a layer, as (rows, K).
func (p *Pool) block(half *tensor.Tensor, page, head, rows int) tensor.Matrix {
	first := p.row(page, head)
	return half.SliceRows(first, first+rows).Matrix()
}

// blocks yields the first position of each page of the text, and the page.
func (t *Text) blocks() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i, page := range t.pages {
			if !yield(i*t.pool.size, page) {
				return
			}
		}
	}
}

// check panics unless x (H, n, K) can be of the last n tokens in a layer, and returns n.
func (t *Text) check(op string, layer int, x *tensor.Tensor) int {
	p := t.pool
	if layer < 0 || layer >= len(p.keys) {
		panic(tensor.IndexError{Op: op + ": layer", Got: layer, Limit: len(p.keys)})
	}
	tensor.CheckShape(op, x, p.keys[0].Dim(1), tensor.Any, p.keys[0].Dim(3))
	if n := x.Dim(1); n > t.length {
		panic(tensor.ShapeError{Op: op + ": tokens", Got: []int{n}, Want: []int{t.length}})
	}
	return x.Dim(1)
}
