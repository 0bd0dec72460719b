package paged

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// Pool has a tensor for every page, and finds free ones by looking.
type Pool struct {
	layers, heads, width, size int
	store                      []*tensor.Tensor // of each page, (2·L·H, S, K): keys, then values
	refs                       []int

	attention attention.Attention
	side      [2]*tensor.Tensor // keys and values of one head, side by side
	y         *tensor.Tensor
}

// Text is a table and a length.
type Text struct {
	pool  *Pool
	table []int
	n     int
}

func NewPool(layers, heads, width, pages, size int) *Pool {
	sizes := []int{layers, heads, width, pages, size}
	if slices.Min(sizes) < 1 {
		panic(tensor.ShapeError{Op: "NewPool: all must be at least 1", Got: sizes})
	}
	p := &Pool{layers: layers, heads: heads, width: width, size: size, refs: make([]int, pages)}
	for range pages {
		p.store = append(p.store, tensor.New(2*layers*heads, size, width))
	}
	return p
}

func (p *Pool) Free() int {
	n := 0
	for _, refs := range p.refs {
		if refs == 0 {
			n++
		}
	}
	return n
}

func (p *Pool) Bytes() int { return len(p.store) * p.store[0].Len() * 4 }

func (p *Pool) NewText() *Text { return &Text{pool: p} }

func (t *Text) Len() int { return t.n }

func (t *Text) Pages() []int { return append([]int{}, t.table...) }

// Append takes page after page, and puts everything back if there is none.
func (t *Text) Append(n int) error {
	if n < 0 {
		panic(tensor.IndexError{Op: "Append", Got: n})
	}
	refs, table, length := slices.Clone(t.pool.refs), slices.Clone(t.table), t.n
	if t.tryAppend(n) {
		return nil
	}
	t.pool.refs, t.table, t.n = refs, table, length
	return fmt.Errorf("%d tokens more: no page is free", n)
}

func (t *Text) tryAppend(n int) bool {
	p := t.pool
	for range n {
		place := t.n % p.size
		if place == 0 {
			page := slices.Index(p.refs, 0)
			if page < 0 {
				return false
			}
			p.refs[page] = 1
			t.table = append(t.table, page)
		} else if last := t.table[len(t.table)-1]; p.refs[last] > 1 {
			page := slices.Index(p.refs, 0)
			if page < 0 {
				return false
			}
			p.refs[page] = 1
			p.refs[last]--
			copy(p.store[page].Data, p.store[last].Data)
			t.table[len(t.table)-1] = page
		}
		t.n++
	}
	return true
}

func (t *Text) fits(layer int, x *tensor.Tensor) {
	if layer < 0 || layer >= t.pool.layers {
		panic(tensor.IndexError{Op: "layer", Got: layer, Limit: t.pool.layers})
	}
	tensor.CheckShape("keys, values or queries", x, t.pool.heads, tensor.Any, t.pool.width)
	if x.Dim(1) > t.n {
		panic(tensor.ShapeError{Op: "tokens", Got: []int{x.Dim(1)}, Want: []int{t.n}})
	}
}

func (t *Text) Write(layer int, k, v *tensor.Tensor) {
	t.fits(layer, k)
	t.fits(layer, v)
	if !k.SameShape(v) {
		panic(tensor.ShapeError{Op: "Write: v", Got: v.Shape, Want: k.Shape})
	}
	n := k.Dim(1)
	for half, x := range []*tensor.Tensor{k, v} {
		for i := range n {
			at := t.n - n + i
			page := t.pool.store[t.table[at/t.pool.size]]
			for h := range t.pool.heads {
				to := (half*t.pool.layers+layer)*t.pool.heads + h
				copy(page.Row(to*t.pool.size+at%t.pool.size), x.Row(h*n+i))
			}
		}
	}
}

// Attend gathers a head's keys and values and asks the attention of step 08.
func (t *Text) Attend(layer int, q *tensor.Tensor) *tensor.Tensor {
	t.fits(layer, q)
	p, n := t.pool, q.Dim(1)
	p.y = tensor.Reuse(p.y, q.Shape...)
	if n == 0 {
		return p.y
	}
	mask := &attention.Mask{N: n, M: t.n, Attend: make([]bool, n*t.n)}
	for i := range n {
		for j := range t.n - n + i + 1 {
			mask.Attend[i*t.n+j] = true
		}
	}
	for h := range p.heads {
		for half := range p.side {
			p.side[half] = tensor.Reuse(p.side[half], t.n, p.width)
			from := (half*p.layers+layer)*p.heads + h
			for at := range t.n {
				copy(p.side[half].Row(at), p.store[t.table[at/p.size]].Row(from*p.size+at%p.size))
			}
		}
		y := p.attention.Forward(tensor.From(q.SliceRows(h*n, (h+1)*n).Data, n, p.width), p.side[0], p.side[1], mask)
		copy(p.y.SliceRows(h*n, (h+1)*n).Data, y.Data)
	}
	return p.y
}

func (t *Text) Fork() *Text {
	for _, page := range t.table {
		t.pool.refs[page]++
	}
	return &Text{pool: t.pool, table: t.Pages(), n: t.n}
}

func (t *Text) Truncate(n int) {
	if n < 0 || n > t.n {
		panic(tensor.IndexError{Op: "Truncate", Got: n, Limit: t.n + 1})
	}
	for t.n = n; len(t.table) > 0 && (len(t.table)-1)*t.pool.size >= n; t.table = t.table[:len(t.table)-1] {
		t.pool.refs[t.table[len(t.table)-1]]--
	}
}
