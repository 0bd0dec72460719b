//go:build unlisted

package paged

import (
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step10_lm"
	"iter"
	"math"
	"slices"
	"sync"
)

// attend-heads-in-goroutines: attend heads in goroutines
//
// Why: Every head is computed by a goroutine of its own, query by query and page by page, with a running
// maximum and a running sum in float64; what y holds is scaled down when the maximum grows (the softmax of
// FlashAttention). Keys and values are read where they lie, each head writes its own rows of y, the scratch is
// each goroutine's own, and all are done before Attend returns. Only the order of the additions differs from
// the solution: "In which order the terms are added, and where they lie, makes no difference but for rounding."
type Pool struct {
	keys, values []*tensor.Tensor // of every layer (P, H, S, K)
	size         int              // S
	holders      []int            // how many texts hold each page
	free         []int            // pages that nobody holds

	y *tensor.Tensor // (H, n, K)
}

func (t *Text) Attend(layer int, q *tensor.Tensor) *tensor.Tensor {
	// (1) S = q·k_pageᵀ, for each page
	// (2) S/√K, −Inf for j > Len − n + i
	// (3) P = softmax(S), over the whole row
	// (4) y = Σ P·v_page, over the pages
	p := t.pool
	n := t.check("Text.Attend", layer, q)
	p.y = tensor.Reuse(p.y, q.Shape...)
	p.y.Zero()
	var wg sync.WaitGroup
	for h := range q.Dim(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			scores := make([]float32, p.size)
			for i := range n {
				t.attendRow(p.y.Row(h*n+i), q.Row(h*n+i), scores, layer, h, t.length-n+i)
			}
		}()
	}
	wg.Wait()
	return p.y
}

func (t *Text) attendRow(y, x, scores []float32, layer, h, at int) {
	p := t.pool
	scale, largest, total := float32(1/math.Sqrt(float64(len(x)))), float32(math.Inf(-1)), 0.0
	for first, page := range t.blocks() {
		rows := min(p.size, at+1-first)
		if rows <= 0 {
			break
		}
		base, s := p.row(page, h)*len(x), scores[:rows]
		keys, values := p.keys[layer].Data[base:], p.values[layer].Data[base:]
		for j := range s {
			s[j] = kernel.Dot(x, keys[j*len(x):(j+1)*len(x)]) // (1)
		}
		kernel.Scale(scale, s)
		if m := kernel.Max(s); m > largest { // what is there was for a smaller one
			down := math.Exp(float64(largest) - float64(m))
			largest, total = m, total*down
			kernel.Scale(float32(down), y)
		}
		kernel.AddConst(s, -largest, s)
		kernel.Exp(s, s) // (3)
		total += float64(kernel.Sum(s))
		for j, e := range s {
			kernel.Axpy(e, values[j*len(x):(j+1)*len(x)], y) // (4)
		}
	}
	kernel.Scale(float32(1/total), y)
}

// pool-page-by-page: pool page by page
//
// Why: All layers, keys and values of a page lie together, (P, L, 2, S, H*K), so that a copy on write is one
// copy, and a token's heads side by side; a head is a strided view in place, not a copy. Free pages are found
// by a scan of who holds them. "the fields are yours": the same pages are taken and given back at the same
// times, all memory is allocated in NewPool, and Attend reads where they lie.
type Pool struct {
	store         *tensor.Tensor // (P, L, 2, S, H·K), keys and then values
	layers, heads int
	size          int   // S
	holders       []int // how many texts hold each page
	unused        int   // pages that nobody holds

	s *tensor.Tensor // (n, Len), the scores of one head
	y *tensor.Tensor // (H, n, K)
}

func NewPool(layers, heads, width, pages, size int) *Pool {
	for _, n := range []int{layers, heads, width, pages, size} {
		if n < 1 {
			op := "paged.NewPool: layers, heads, width, pages and size must be at least 1"
			panic(tensor.ShapeError{Op: op, Got: []int{layers, heads, width, pages, size}})
		}
	}
	return &Pool{store: tensor.New(pages, layers, 2, size, heads*width), layers: layers, heads: heads, size: size,
		holders: make([]int, pages), unused: pages}
}

func (p *Pool) Free() int {
	return p.unused
}

func (p *Pool) Bytes() int {
	return 4 * p.store.Len()
}

func (t *Text) Append(n int) error {
	if n < 0 {
		panic(tensor.IndexError{Op: "Text.Append: n", Got: n})
	}
	if need := t.pool.need([]*Text{t}, []int{n}); need > t.pool.unused {
		return fmt.Errorf("Text: %d more tokens need %d pages, and %d are free", n, need, t.pool.unused)
	}
	t.grow(n)
	return nil
}

func (t *Text) Write(layer int, k, v *tensor.Tensor) {
	p := t.pool
	n := t.check("Text.Write", layer, k)
	tensor.CheckShape("Text.Write: v", v, k.Shape...)
	for h := range k.Dim(0) {
		for i := range n {
			pos := t.length - n + i
			copy(p.at(t.pages[pos/p.size], layer, 0, h, pos%p.size), k.Row(h*n+i))
			copy(p.at(t.pages[pos/p.size], layer, 1, h, pos%p.size), v.Row(h*n+i))
		}
	}
}

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
			keys := p.block(page, layer, 0, h, rows)
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
			values := p.block(page, layer, 1, h, rows)
			tensor.MulAdd(p.y.MatrixAt(h), s.Block(0, first, n, rows), values) // (4)
		}
	}
	return p.y
}

func (t *Text) grow(n int) {
	p := t.pool
	if page, open := t.open(); open && n > 0 && p.holders[page] > 1 {
		own := p.take()
		copy(p.store.Slice(own, own+1).Data, p.store.Slice(page, page+1).Data)
		p.release(page)
		t.pages[len(t.pages)-1] = own
	}
	t.length += n
	for len(t.pages) < p.pagesFor(t.length) {
		t.pages = append(t.pages, p.take())
	}
}

func (p *Pool) take() int {
	page := slices.Index(p.holders, 0)
	p.holders[page] = 1
	p.unused--
	return page
}

func (p *Pool) release(page int) {
	if p.holders[page]--; p.holders[page] == 0 {
		p.unused++
	}
}

func (p *Pool) width() int { return p.store.Dim(-1) / p.heads }

func (p *Pool) at(page, layer, half, head, place int) []float32 {
	row := p.store.Row(((page*p.layers+layer)*2+half)*p.size + place)
	return row[head*p.width() : (head+1)*p.width()]
}

func (p *Pool) block(page, layer, half, head, rows int) tensor.Matrix {
	return p.store.MatrixAt((page*p.layers+layer)*2+half).Block(0, head*p.width(), rows, p.width())
}

func (t *Text) check(op string, layer int, x *tensor.Tensor) int {
	p := t.pool
	if layer < 0 || layer >= p.layers {
		panic(tensor.IndexError{Op: op + ": layer", Got: layer, Limit: p.layers})
	}
	tensor.CheckShape(op, x, p.heads, tensor.Any, p.width())
	if n := x.Dim(1); n > t.length {
		panic(tensor.ShapeError{Op: op + ": tokens", Got: []int{n}, Want: []int{t.length}})
	}
	return x.Dim(1)
}

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
	if need := r.pool.need(texts, more); need > r.pool.unused {
		return fmt.Errorf("Reader: the new tokens need %d pages, and %d are free", need, r.pool.unused)
	}
	return nil
}

func (p *Pool) row(page, head int) int { panic("nobody calls this") }
