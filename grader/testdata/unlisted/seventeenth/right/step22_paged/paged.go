//go:build unlisted

package paged

import (
	"errors"
	"fmt"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step06_rope"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step08_attention"
	"github.com/stubformer/stubformer/steps/step10_lm"
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
)

// bits-for-free-pages-and-one-turn-for-all: bits for free pages and one turn for all
//
// Why: Free pages are bits of words, and the lowest free one is taken; who holds a page more than once is in a
// map; an append takes its new pages before the copy; the reader turns queries and keys of all N tokens by RoPE in
// one call, with the positions of all texts in one row, before it divides them among the texts. Which free page is
// taken, in which order, and how the tokens are gathered is left open; counts, tables ("each page is held by as
// many texts as have it in their tables"), errors and logits are those of the contract.
type Pool struct {
	keys, values []*tensor.Tensor // of every layer (P, H, S, K)
	size         int              // S
	free         []uint64         // a bit for each page that nobody holds
	left         int              // how many bits are set
	others       map[int]int      // of pages that more than one text holds: how many more

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
	p := &Pool{size: size, free: make([]uint64, (pages+63)/64), left: pages, others: map[int]int{}}
	for range layers {
		p.keys = append(p.keys, tensor.New(pages, heads, size, width))
		p.values = append(p.values, tensor.New(pages, heads, size, width))
	}
	for page := range pages {
		p.free[page/64] |= 1 << (page % 64)
	}
	return p
}

func (p *Pool) Free() int {
	return p.left
}

func (t *Text) Append(n int) error {
	if n < 0 {
		panic(tensor.IndexError{Op: "Text.Append: n", Got: n})
	}
	if need := t.pool.need([]*Text{t}, []int{n}); need > t.pool.left {
		return fmt.Errorf("Text: %d more tokens need %d pages, and %d are free", n, need, t.pool.left)
	}
	t.grow(n)
	return nil
}

func (t *Text) Fork() *Text {
	for _, page := range t.pages {
		t.pool.others[page]++
	}
	return &Text{pool: t.pool, pages: slices.Clone(t.pages), length: t.length}
}

func (p *Pool) need(texts []*Text, more []int) int {
	need, copied := 0, map[int]int{} // copies that were taken of each page
	for i, t := range texts {
		need += p.pagesFor(t.length+more[i]) - len(t.pages)
		if page, open := t.open(); open && more[i] > 0 && p.others[page] > copied[page] {
			copied[page]++
			need++
		}
	}
	return need
}

func (t *Text) grow(n int) {
	p := t.pool
	page, open := t.open()
	last := len(t.pages) - 1
	for len(t.pages) < p.pagesFor(t.length+n) {
		t.pages = append(t.pages, p.take())
	}
	if open && n > 0 && p.others[page] > 0 {
		own := p.take()
		for l := range p.keys {
			copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
			copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
		}
		p.release(page)
		t.pages[last] = own
	}
	t.length += n
}

func (p *Pool) take() int {
	word := slices.IndexFunc(p.free, func(w uint64) bool { return w != 0 })
	page := 64*word + bits.TrailingZeros64(p.free[word])
	p.free[word] &= p.free[word] - 1
	p.left--
	return page
}

func (p *Pool) release(page int) {
	switch p.others[page] {
	case 0:
		p.free[page/64] |= 1 << (page % 64)
		p.left++
	case 1:
		delete(p.others, page)
	default:
		p.others[page]--
	}
}

type Reader struct {
	model *lm.LM
	rope  *rope.RoPE
	pool  *Pool

	x      *tensor.Tensor    // (N, D), the stream of activations
	q, k   *tensor.Tensor    // (1, H, N, K), of all texts
	part   [3]*tensor.Tensor // (H, n, K), q, k and v of one
	joined *tensor.Tensor    // (N, D), the heads side by side
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
	if need := r.pool.need(texts, more); need > r.pool.Free() {
		return fmt.Errorf("Reader: the new tokens need %d pages, and %d are free", need, r.pool.Free())
	}
	return nil
}

func (r *Reader) attend(
	layer int, m *attention.MultiHead, x *tensor.Tensor, texts []*Text, ids [][]int,
) *tensor.Tensor {
	d, heads, width := x.Dim(1), r.model.Config.NumHeads, 2*r.rope.Cos.Dim(1)
	qkv := m.QKV.Forward(x) // (N, 3D)
	r.joined = tensor.Reuse(r.joined, x.Shape...)
	var all []int
	for i, t := range texts {
		all = append(all, places(t.length-len(ids[i]), len(ids[i]))...)
	}
	r.q, r.k = r.split(r.q, qkv.Matrix(), 0), r.split(r.k, qkv.Matrix(), d)
	r.q = r.rope.Forward(r.q, r.q, [][]int{all})
	r.k = r.rope.Forward(r.k, r.k, [][]int{all})
	first := 0
	for i, t := range texts {
		n := len(ids[i])
		if n == 0 {
			continue
		}
		for at := range r.part {
			r.part[at] = tensor.Reuse(r.part[at], heads, n, width)
		}
		for h := range heads {
			tensor.Copy(r.part[0].MatrixAt(h), r.q.MatrixAt(h).Block(first, 0, n, width))
			tensor.Copy(r.part[1].MatrixAt(h), r.k.MatrixAt(h).Block(first, 0, n, width))
			tensor.Copy(r.part[2].MatrixAt(h), qkv.Matrix().Block(first, 2*d+h*width, n, width))
		}
		t.Write(layer, r.part[1], r.part[2])
		y := t.Attend(layer, r.part[0])
		for h := range heads {
			tensor.Copy(r.joined.Matrix().Block(first, h*width, n, width), y.MatrixAt(h))
		}
		first += n
	}
	return m.Output.Forward(r.joined)
}

// heads-in-two-goroutines: heads in two goroutines
//
// Why: Attend divides the heads among at most two goroutines, each with a buffer of scores of its own, and waits
// for both before it returns; small calls stay in one. Each goroutine writes only the rows of y of its heads, so
// nothing is shared, and the numbers are the same. The contract says what Attend returns and how long y is valid,
// not who computes it.
type Pool struct {
	keys, values []*tensor.Tensor // of every layer (P, H, S, K)
	size         int              // S
	holders      []int            // how many texts hold each page
	free         []int            // pages that nobody holds

	s [2]*tensor.Tensor // (n, Len), the scores of one head, for each worker
	y *tensor.Tensor    // (H, n, K)
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
	if n == 0 {
		return p.y
	}
	const worthwhile = 1 << 15
	heads := q.Dim(0)
	half := heads
	if heads > 1 && heads*n*t.length*q.Dim(2) >= worthwhile {
		half = (heads + 1) / 2
	}
	var wait sync.WaitGroup
	if half < heads {
		wait.Go(func() { t.attendHeads(layer, q, 1, half, heads) })
	}
	t.attendHeads(layer, q, 0, 0, half)
	wait.Wait()
	return p.y
}

func (t *Text) attendHeads(layer int, q *tensor.Tensor, worker, from, end int) {
	p, n := t.pool, q.Dim(1)
	scores := tensor.Reuse(p.s[worker], n, t.length)
	p.s[worker] = scores
	s := scores.Matrix()
	for h := from; h < end; h++ {
		for first, page := range t.blocks() {
			rows := min(p.size, t.length-first)
			keys := p.block(p.keys[layer], page, h, rows)
			tensor.Mul(s.Block(0, first, n, rows), q.MatrixAt(h), keys.T()) // (1)
		}
		kernel.Scale(float32(1/math.Sqrt(float64(q.Dim(2)))), scores.Data)
		for i := range n { // (2) the i-th stands at Len − n + i
			hidden := scores.Row(i)[t.length-n+i+1:]
			for j := range hidden {
				hidden[j] = float32(math.Inf(-1))
			}
		}
		softmax.Softmax(scores, scores, 1) // (3)
		for first, page := range t.blocks() {
			rows := min(p.size, t.length-first)
			values := p.block(p.values[layer], page, h, rows)
			tensor.MulAdd(p.y.MatrixAt(h), s.Block(0, first, n, rows), values) // (4)
		}
	}
}

// one-store-token-by-token: one store token by token
//
// Why: All keys and values of all layers lie in one tensor (L, P, S, 2, H, K): a row of 2·H·K numbers for every
// token, instead of (P, H, S, K) for each layer and half. Parts of a page are views with a stride, so Attend still
// reads "keys and values where they lie"; Bytes is the same number, all is allocated in NewPool, and the layout is
// the student's ("the fields are yours").
type Pool struct {
	store                *tensor.Tensor // (L·P·S, 2·H·K): the keys of a token, and its values
	layers, heads, width int            // L, H, K
	pages, size          int            // P, S
	holders              []int          // how many texts hold each page
	free                 []int          // pages that nobody holds

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
	p := &Pool{layers: layers, heads: heads, width: width, pages: pages, size: size, holders: make([]int, pages),
		store: tensor.New(layers*pages*size, 2*heads*width)}
	for page := range pages {
		p.free = append(p.free, pages-1-page) // page 0 is taken first
	}
	return p
}

func (p *Pool) Bytes() int {
	return 4 * p.store.Len()
}

func (t *Text) Write(layer int, k, v *tensor.Tensor) {
	p := t.pool
	n := t.check("Text.Write", layer, k)
	tensor.CheckShape("Text.Write: v", v, k.Shape...)
	for i := range n {
		pos := t.length - n + i
		row := p.store.Row(p.row(layer, t.pages[pos/p.size]) + pos%p.size)
		for h := range p.heads {
			copy(row[h*p.width:], k.Row(h*n+i))
			copy(row[(p.heads+h)*p.width:], v.Row(h*n+i))
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
			keys := p.block(layer, page, h, rows)
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
			values := p.block(layer, page, p.heads+h, rows)
			tensor.MulAdd(p.y.MatrixAt(h), s.Block(0, first, n, rows), values) // (4)
		}
	}
	return p.y
}

func (t *Text) grow(n int) {
	p := t.pool
	if page, open := t.open(); open && n > 0 && p.holders[page] > 1 {
		own := p.take()
		used := t.length % p.size
		for l := range p.layers {
			for i := range used {
				copy(p.store.Row(p.row(l, own)+i), p.store.Row(p.row(l, page)+i))
			}
		}
		p.release(page)
		t.pages[len(t.pages)-1] = own
	}
	t.length += n
	for len(t.pages) < p.pagesFor(t.length) {
		t.pages = append(t.pages, p.take())
	}
}

func (p *Pool) row(layer, page int) int { return (layer*p.pages + page) * p.size }

func (p *Pool) block(layer, page, column, rows int) tensor.Matrix {
	return p.store.Matrix().Block(p.row(layer, page), column*p.width, rows, p.width)
}

func (t *Text) check(op string, layer int, x *tensor.Tensor) int {
	p := t.pool
	if layer < 0 || layer >= p.layers {
		panic(tensor.IndexError{Op: op + ": layer", Got: layer, Limit: p.layers})
	}
	tensor.CheckShape(op, x, p.heads, tensor.Any, p.width)
	if n := x.Dim(1); n > t.length {
		panic(tensor.ShapeError{Op: op + ": tokens", Got: []int{n}, Want: []int{t.length}})
	}
	return x.Dim(1)
}

// page-by-page-with-a-running-maximum: page by page with a running maximum
//
// Why: Attend goes through the pages once and keeps for every query the largest score so far, the sum of weights
// (float64) and the unnormalised y, which is rescaled when a page raises the maximum; y is divided by the sum at
// the end. There is no row of Len scores, only (n, S). It is the same softmax over the whole row but for rounding
// ("In which order the terms are added, and where they lie, makes no difference but for rounding"), keys and
// values are read where they lie.
type Pool struct {
	keys, values []*tensor.Tensor // of every layer (P, H, S, K)
	size         int              // S
	holders      []int            // how many texts hold each page
	free         []int            // pages that nobody holds

	s       *tensor.Tensor // (n, S), the scores of one head in one page
	y       *tensor.Tensor // (H, n, K)
	largest []float32      // (n), of the pages so far
	sum     []float64      // (n), of the weights so far
}

func (t *Text) Attend(layer int, q *tensor.Tensor) *tensor.Tensor {
	// (1) S = q·k_pageᵀ, for each page
	// (2) S/√K, −Inf for j > Len − n + i
	// (3) P = softmax(S), over the whole row
	// (4) y = Σ P·v_page, over the pages
	p := t.pool
	n := t.check("Text.Attend", layer, q)
	p.y = tensor.Reuse(p.y, q.Shape...)
	p.s = tensor.Reuse(p.s, n, p.size)
	p.largest, p.sum = slices.Grow(p.largest[:0], n)[:n], slices.Grow(p.sum[:0], n)[:n]
	p.y.Zero()
	if n == 0 {
		return p.y
	}
	s, scale := p.s.Matrix(), float32(1/math.Sqrt(float64(q.Dim(2))))
	for h := range q.Dim(0) {
		for i := range n {
			p.largest[i], p.sum[i] = float32(math.Inf(-1)), 0
		}
		y := p.y.MatrixAt(h)
		for first, page := range t.blocks() {
			rows := min(p.size, t.length-first)
			keys, values := p.block(p.keys[layer], page, h, rows), p.block(p.values[layer], page, h, rows)
			tensor.Mul(s.Block(0, 0, n, rows), q.MatrixAt(h), keys.T()) // (1)
			for i := range n {
				row := p.s.Row(i)[:rows]
				seen := min(rows, max(0, t.length-n+i+1-first)) // (2)
				clear(row[seen:])
				p.weigh(i, row[:seen], y.Data[i*y.Down:][:y.Cols], scale)
			}
			tensor.MulAdd(y, s.Block(0, 0, n, rows), values) // (4)
		}
		for i := range n {
			if p.sum[i] != 0 {
				kernel.Scale(float32(1/p.sum[i]), y.Data[i*y.Down:][:y.Cols])
			}
		}
	}
	return p.y
}

func (p *Pool) weigh(i int, row, y []float32, scale float32) {
	kernel.Scale(scale, row)
	largest := kernel.Max(row)
	if !(largest <= p.largest[i]) {
		fade := math.Exp(float64(p.largest[i]) - float64(largest))
		p.largest[i] = largest
		p.sum[i] *= fade
		kernel.Scale(float32(fade), y)
	}
	if math.IsInf(float64(p.largest[i]), -1) {
		clear(row)
		return
	}
	kernel.AddConst(row, -p.largest[i], row) // (3)
	kernel.Exp(row, row)
	for _, w := range row {
		p.sum[i] += float64(w)
	}
}

// residual-by-refusing-and-a-loop-of-its-own: residual by refusing and a loop of its own
//
// Why: Where a drafted token is refused, Verify draws y from p[i] until u·p[y] < p[y] − q[y]: y is then
// distributed as max(0, p − q) over its sum, exactly the Residual; after 32 tries in vain (p and q nearly equal)
// it draws from Residual itself, which is the same distribution, so the mixture is, too. Speculate is written
// without a helper type, cuts both texts before a round instead of after it, and sums Residual from the other end.
// Tokens, Stats, pages and errors are those of the contract; which numbers are taken from rng is not in it.
func Residual(dst, p, q []float32) {
	if len(q) != len(p) || len(dst) != len(p) {
		panic(tensor.ShapeError{Op: "Residual", Got: []int{len(dst), len(q)}, Want: []int{len(p), len(p)}})
	}
	// (6) max(0, p − q) over its sum
	sum := 0.0
	for x := len(p) - 1; x >= 0; x-- {
		sum += max(0, float64(p[x])-float64(q[x]))
	}
	if sum == 0 {
		copy(dst, p)
		return
	}
	for x := range p {
		dst[x] = float32(max(0, float64(p[x])-float64(q[x])) / sum) // (6)
	}
}

func Verify(p, q [][]float32, drafted []int, rng *rand.Rand) []int {
	// (5) xᵢ stands if u·q[i][xᵢ] < p[i][xᵢ], u in [0, 1)
	// (7) behind γ that stand, one from p[γ]
	checkDistributions(p, q, drafted)
	stand := make([]int, 0, len(p))
	for i, x := range drafted {
		if rng.Float64()*float64(q[i][x]) >= float64(p[i][x]) { // (5)
			return append(stand, again(p[i], q[i], rng))
		}
		stand = append(stand, x)
	}
	return append(stand, lm.Draw(p[len(drafted)], rng)) // (7)
}

func again(p, q []float32, rng *rand.Rand) int {
	for range 32 {
		y := lm.Draw(p, rng)
		if rng.Float64()*float64(p[y]) < float64(p[y])-float64(q[y]) {
			return y
		}
	}
	left := make([]float32, len(p))
	Residual(left, p, q)
	return lm.Draw(left, rng)
}

func Speculate(large, draft *Reader, prompt []int, ahead int, s lm.Sampling, rng *rand.Rand) ([]int, Stats, error) {
	if err := checkSpeculate(large, draft, prompt, ahead, s); err != nil {
		return nil, Stats{}, err
	}
	long, short := large.pool.NewText(), draft.pool.NewText()
	defer func() {
		long.Truncate(0)
		short.Truncate(0)
	}()
	text := make([]int, len(prompt), len(prompt)+max(0, s.MaxNew)+1)
	copy(text, prompt)
	var stats Stats
	end := len(prompt) + s.MaxNew
	for len(text) < end {
		known := len(text)
		for _, t := range []*Text{long, short} { // (8) but for the last token, which nobody has read
			t.Truncate(min(t.Len(), known-1))
		}
		var q [][]float32
		for len(q) < min(ahead, end-known-1) {
			rows, err := distributions(draft, short, text, 1, s)
			if err != nil {
				return nil, Stats{}, err
			}
			q = append(q, rows[0])
			text = append(text, lm.Draw(rows[0], rng))
		}
		p, err := distributions(large, long, text, len(q)+1, s)
		if err != nil {
			return nil, Stats{}, err
		}
		took := Verify(p, q, text[known:], rng)
		stats.Rounds++
		stats.Drafted += len(q)
		stats.Accepted += len(took) - 1
		text = text[:known]
		for _, x := range took {
			if x == s.Stop {
				end = 0
				break
			}
			text = append(text, x)
		}
	}
	return text[len(prompt):], stats, nil
}

func distributions(r *Reader, read *Text, text []int, n int, s lm.Sampling) ([][]float32, error) {
	logits, err := r.Forward([]*Text{read}, [][]int{text[read.Len():]})
	if err != nil {
		return nil, err
	}
	var all [][]float32
	for i := range n {
		row := logits.Row(logits.Dim(0) - n + i)
		for _, x := range row {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, errors.New("Speculate: the model's logits are not finite; its parameters may have diverged")
			}
		}
		all = append(all, lm.Distribution(row, s.Temperature, s.TopP))
	}
	return all, nil
}

func (w *writer) round(large, draft *Reader, ahead int, stats *Stats) ([]int, error) {
	panic("nobody calls this")
}

func (w *writer) next(r *Reader, read *Text, text []int, n int) ([][]float32, error) {
	panic("nobody calls this")
}
