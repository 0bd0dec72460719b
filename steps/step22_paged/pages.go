// Package paged keeps the keys and values of many texts in pages that they share, and
// lets a small model write ahead for a large one.
//
// Letters: L layers, H heads, K d_k, P pages of S tokens; n new tokens of a text, N those of
// all texts together; D d_model, V vocabulary; γ tokens that are drafted, p and q the
// distributions of the large model and of the draft.
package paged

import "github.com/stubformer/stubformer/reference/tensor"

// Pool is a memory of P pages. A page has room for the keys and values of S tokens of one
// text, in all layers and heads; a text holds the pages that its table names. A page may be
// held by several texts, and is free again when none holds it.
//
// Source: Kwon et al., "Efficient Memory Management for Large Language Model Serving with
// PagedAttention", 2023, sections 4.1 to 4.4.
type Pool struct {
	// For every layer keys and values (P, H, S, K), who holds what, and buffers: the fields
	// are yours.
}

// Text is one text in a pool: how many tokens it has, and the table of its pages. Position
// p lies in page Pages()[p/S], at place p mod S.
type Text struct {
	// The pool, the table, the length: the fields are yours.
}

// NewPool returns a pool of free pages. All memory of keys and values is allocated here.
// It panics with a ShapeError unless all five are at least 1.
func NewPool(layers, heads, width, pages, size int) *Pool {
	panic(tensor.TODO("step22: NewPool"))
}

// Free returns how many pages nobody holds.
func (p *Pool) Free() int {
	panic(tensor.TODO("step22: Pool.Free"))
}

// Bytes returns the size of all keys and values, 2·L·P·H·S·K numbers of four bytes,
// however many are in use.
func (p *Pool) Bytes() int {
	panic(tensor.TODO("step22: Pool.Bytes"))
}

// NewText returns a text without tokens, which holds no page.
func (p *Pool) NewText() *Text {
	panic(tensor.TODO("step22: Pool.NewText"))
}

// Len returns how many tokens the text has.
func (t *Text) Len() int {
	panic(tensor.TODO("step22: Text.Len"))
}

// Pages returns the text's table, ⌈Len/S⌉ pages in the order of the text, as a copy.
func (t *Text) Pages() []int {
	panic(tensor.TODO("step22: Text.Pages"))
}

// Append makes the text n tokens longer. Their keys and values are whatever lies there
// until Write writes them. The text takes a free page where its last one is full. If its
// last page has room and others hold it, too, it takes a copy of it first, since what the
// others see may not change (copy on write). It takes no more pages than that.
//
// If too few pages are free it returns an error, and everything is as before. It panics
// with an IndexError if n is negative.
func (t *Text) Append(n int) error {
	panic(tensor.TODO("step22: Text.Append"))
}

// Write sets the keys and values (H, n, K) of the last n tokens in a layer, 0 ≤ n. They
// have been appended since the text was forked or read.
//
// It panics with a ShapeError if k or v does not fit the pool or n is more than Len, and
// with an IndexError unless 0 ≤ layer < L.
func (t *Text) Write(layer int, k, v *tensor.Tensor) {
	panic(tensor.TODO("step22: Text.Write"))
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
	panic(tensor.TODO("step22: Text.Attend"))
}

// Fork returns another text of the same tokens. It holds the same pages; no key and no
// value is copied. What is appended to one of them, the other does not see.
func (t *Text) Fork() *Text {
	panic(tensor.TODO("step22: Text.Fork"))
}

// Truncate makes the text forget all but its first n tokens, and gives back the pages that
// it then has no tokens in. Truncate(0) gives back all. It panics with an IndexError unless
// 0 ≤ n ≤ Len.
func (t *Text) Truncate(n int) {
	panic(tensor.TODO("step22: Text.Truncate"))
}
