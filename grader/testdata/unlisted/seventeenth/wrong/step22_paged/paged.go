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
	"math/rand/v2"
	"slices"
	"sync"
)

// copies-only-what-was-open-at-fork: copies only what was open at fork
//
// Why: Whether a last page may have to be copied is noted when the text is forked: if the last page had room then.
// Full pages are taken for finished. But after Truncate a text may end in the middle of a page that was full and
// shared at the fork, or shared since an earlier one; the next Append does not copy it and Write changes what the
// other text reads. Contract of Append: "If its last page has room and others hold it, too, it takes a copy of it
// first, since what the others see may not change". The pages are then counted one too few, too.
type Text struct {
	pool   *Pool
	pages  []int // the table
	length int
	shared bool // the last page had room when the text was forked
}

func (t *Text) Fork() *Text {
	for _, page := range t.pages {
		t.pool.holders[page]++
	}
	if _, open := t.open(); open {
		t.shared = true
	}
	return &Text{pool: t.pool, pages: slices.Clone(t.pages), length: t.length, shared: t.shared}
}

func (p *Pool) need(texts []*Text, more []int) int {
	need, copied := 0, map[int]int{} // copies that were taken of each page
	for i, t := range texts {
		need += p.pagesFor(t.length+more[i]) - len(t.pages)
		if page, open := t.open(); open && t.shared && more[i] > 0 && p.holders[page]-copied[page] > 1 {
			copied[page]++
			need++
		}
	}
	return need
}

func (t *Text) grow(n int) {
	p := t.pool
	if page, open := t.open(); open && t.shared && n > 0 && p.holders[page] > 1 {
		own := p.take()
		for l := range p.keys {
			copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
			copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
		}
		p.release(page)
		t.pages[len(t.pages)-1] = own
	}
	t.shared = t.shared && n == 0
	t.length += n
	for len(t.pages) < p.pagesFor(t.length) {
		t.pages = append(t.pages, p.take())
	}
}

// draws-from-p-and-compares: draws from p and compares
//
// Why: Verify draws a token from p[i] and goes on as long as it is the drafted one. Every token is distributed as
// p says, and for certain distributions (temperature 0) it is the same. But a token is kept with the probability
// p[i][x] only, and not, as the contract says, "with the probability min(1, p[i][x]/q[i][x])": with p = q spread
// over many tokens, which must never be refused, nearly all are, and Stats.Accepted is far too small. (The lesson
// names it as another rule that keeps less.)
func Verify(p, q [][]float32, drafted []int, rng *rand.Rand) []int {
	// (5) y from p[i]; xᵢ stands if y = xᵢ, and else y is the last
	// (7) behind γ that stand, one from p[γ]
	checkDistributions(p, q, drafted)
	for i, x := range drafted {
		if y := lm.Draw(p[i], rng); y != x { // (5)
			return append(slices.Clone(drafted[:i]), y)
		}
	}
	return append(slices.Clone(drafted), lm.Draw(p[len(drafted)], rng)) // (7)
}

// empty-rows-are-skipped-before-the-checks: empty rows are skipped before the checks
//
// Why: Forward passes over texts whose row of new tokens is empty before it has looked at them. So a text of
// another pool, and a text that is there twice, are accepted as long as the row at their place is empty. Contract
// of Forward: "Errors are: [...] a text that is there twice or lies in another pool", without regard to the row;
// "A row may be empty" says only that the row may be.
func (r *Reader) fits(texts []*Text, ids [][]int) error {
	if len(ids) != len(texts) {
		return fmt.Errorf("Reader: %d rows of ids; want %d, one for each text", len(ids), len(texts))
	}
	more := make([]int, len(texts))
	var reading []*Text
	for i, t := range texts {
		more[i] = len(ids[i])
		if more[i] == 0 {
			continue
		}
		switch longest := r.model.Config.ContextLength; {
		case t.pool != r.pool:
			return fmt.Errorf("Reader: text %d lies in another pool", i)
		case slices.Contains(reading, t):
			return fmt.Errorf("Reader: text %d is there twice; a text reads once in a call", i)
		case t.length+more[i] > longest:
			return fmt.Errorf("Reader: text %d has %d tokens, and %d more are more than the context of %d",
				i, t.length, more[i], longest)
		}
		reading = append(reading, t)
	}
	if need := r.pool.need(texts, more); need > len(r.pool.free) {
		return fmt.Errorf("Reader: the new tokens need %d pages, and %d are free", need, len(r.pool.free))
	}
	return nil
}

// fork-shares-the-table: fork shares the table
//
// Why: Fork gives the new text the same slice of pages; only a copy on write makes a table of its own. If the
// slice has spare capacity and the fork was made at the end of a full page, both texts append their next page to
// the same element of memory, and the first then names the page of the second. With 1, 2, 4 or 8 pages, where
// append has to move, and with an open last page all is right. Contract of Fork: "What is appended to one of them,
// the other does not see"; of Pool: "a text holds the pages that its table names".
func (t *Text) Fork() *Text {
	for _, page := range t.pages {
		t.pool.holders[page]++
	}
	return &Text{pool: t.pool, pages: t.pages, length: t.length}
}

func (t *Text) Truncate(n int) {
	if n < 0 || n > t.length {
		panic(tensor.IndexError{Op: "Text.Truncate: n", Got: n, Limit: t.length + 1})
	}
	keep := t.pool.pagesFor(n)
	for _, page := range t.pages[keep:] {
		t.pool.release(page)
	}
	t.pages, t.length = slices.Clip(t.pages[:keep]), n
}

func (t *Text) grow(n int) {
	p := t.pool
	if page, open := t.open(); open && n > 0 && p.holders[page] > 1 {
		own := p.take()
		for l := range p.keys {
			copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
			copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
		}
		p.release(page)
		t.pages = append(slices.Clone(t.pages[:len(t.pages)-1]), own)
	}
	t.length += n
	for len(t.pages) < p.pagesFor(t.length) {
		t.pages = append(t.pages, p.take())
	}
}

// gathers-keys-first: gathers keys first
//
// Why: Attend copies all keys and all values of the text from the pages to two new tensors (H, Len, K), in every
// call and layer, and multiplies with the copies. The numbers are right. The contract of Text.Attend says "It
// reads keys and values where they lie": for one new token this allocates and writes 2·H·Len·K numbers for each
// layer, memory and work that grow with the text beside the products themselves; the lesson's hint names "a part
// of a page without a copy".
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
	heads, width := q.Dim(0), q.Dim(2)
	k, v := tensor.New(heads, t.length, width), tensor.New(heads, t.length, width)
	for h := range heads {
		for first, page := range t.blocks() {
			rows := min(p.size, t.length-first)
			tensor.Copy(k.MatrixAt(h).Block(first, 0, rows, width), p.block(p.keys[layer], page, h, rows))
			tensor.Copy(v.MatrixAt(h).Block(first, 0, rows, width), p.block(p.values[layer], page, h, rows))
		}
	}
	for h := range heads {
		tensor.Mul(p.s.Matrix(), q.MatrixAt(h), k.MatrixAt(h).T()) // (1)
		kernel.Scale(float32(1/math.Sqrt(float64(width))), p.s.Data)
		for i := range n { // (2) the i-th stands at Len − n + i
			hidden := p.s.Row(i)[t.length-n+i+1:]
			for j := range hidden {
				hidden[j] = float32(math.Inf(-1))
			}
		}
		softmax.Softmax(p.s, p.s, 1)                             // (3)
		tensor.Mul(p.y.MatrixAt(h), p.s.Matrix(), v.MatrixAt(h)) // (4)
	}
	return p.y
}

// grows-in-the-prompt: grows in the prompt
//
// Why: Speculate appends the new tokens to the caller's prompt instead of to a copy. If the prompt's slice has
// spare capacity, the tokens are written into the caller's memory behind it, and what is returned lies there, too:
// a second call with the same prompt overwrites the result of the first. The contract says "returns the new tokens
// only, as LM.Generate does": a result that a later call changes, and writing to memory that belongs to the
// caller, are neither. With a prompt without spare capacity all is right.
func Speculate(large, draft *Reader, prompt []int, ahead int, s lm.Sampling, rng *rand.Rand) ([]int, Stats, error) {
	if err := checkSpeculate(large, draft, prompt, ahead, s); err != nil {
		return nil, Stats{}, err
	}
	w := &writer{sampling: s, rng: rng, text: prompt,
		large: large.pool.NewText(), draft: draft.pool.NewText()}
	defer w.large.Truncate(0)
	defer w.draft.Truncate(0)
	// (8) both keep what is in the text, but for its last token, which nobody has read
	var stats Stats
	for missing := s.MaxNew; missing > 0; missing = len(prompt) + s.MaxNew - len(w.text) {
		took, err := w.round(large, draft, min(ahead, missing-1), &stats)
		if err != nil {
			return nil, Stats{}, err
		}
		if end := slices.Index(took, s.Stop); end >= 0 {
			w.text = append(w.text, took[:end]...)
			break
		}
		w.text = append(w.text, took...)
		for _, t := range []*Text{w.large, w.draft} { // what was not taken is forgotten
			t.Truncate(min(t.Len(), len(w.text)-1)) // (8)
		}
	}
	return w.text[len(prompt):], stats, nil
}

// holders-in-a-byte: holders in a byte
//
// Why: How many texts hold a page is counted in a uint8. Up to 255 texts all is right; with the 256th fork of a
// prompt the count is 0 and with the 257th 1: then the next writer believes to be alone and writes into the shared
// page, and the first Truncate frees a page that 256 texts still have in their tables. Contract of Pool: "A page
// may be held by several texts, and is free again when none holds it", without a limit.
type Pool struct {
	keys, values []*tensor.Tensor // of every layer (P, H, S, K)
	size         int              // S
	holders      []uint8          // how many texts hold each page
	free         []int            // pages that nobody holds

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
	p := &Pool{size: size, holders: make([]uint8, pages)}
	for range layers {
		p.keys = append(p.keys, tensor.New(pages, heads, size, width))
		p.values = append(p.values, tensor.New(pages, heads, size, width))
	}
	for page := range pages {
		p.free = append(p.free, pages-1-page) // page 0 is taken first
	}
	return p
}

func (p *Pool) need(texts []*Text, more []int) int {
	need, copied := 0, map[int]int{} // copies that were taken of each page
	for i, t := range texts {
		need += p.pagesFor(t.length+more[i]) - len(t.pages)
		if page, open := t.open(); open && more[i] > 0 && int(p.holders[page])-copied[page] > 1 {
			copied[page]++
			need++
		}
	}
	return need
}

// largest-score-at-least-zero: largest score at least zero
//
// Why: Attend has a softmax of its own whose maximum begins at 0, so the shift is max(0, largest score). It does
// not overflow, and for scores of usual size it is right. If all visible scores of a query are below about −104,
// all exponentials are 0 and the row is 0/0 = NaN; between −87 and −104 they are denormal and inexact. Contract:
// "y = softmax(s) v", where the shift is the row's own maximum (step 07), which cancels whatever the scores are.
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
		for i := range n { // (3)
			weigh(p.s.Row(i))
		}
		for first, page := range t.blocks() {
			rows := min(p.size, t.length-first)
			values := p.block(p.values[layer], page, h, rows)
			tensor.MulAdd(p.y.MatrixAt(h), s.Block(0, first, n, rows), values) // (4)
		}
	}
	return p.y
}

func weigh(row []float32) {
	var largest float32
	for _, x := range row {
		largest = max(largest, x)
	}
	kernel.AddConst(row, -largest, row)
	kernel.Exp(row, row)
	kernel.Scale(1/kernel.Sum(row), row)
}

// luck-of-the-process: luck of the process
//
// Why: Verify takes u from the generator of the process (rand.Float64 of math/rand/v2) and only the tokens
// themselves from rng. The distribution is right. But two calls with equal rngs give different tokens: Speculate
// "continues the prompt […] as LM.Generate does", of which step 10 says "The same rng gives the same tokens", and
// Verify is given the rng for all that it draws.
func Verify(p, q [][]float32, drafted []int, rng *rand.Rand) []int {
	// (5) xᵢ stands if u·q[i][xᵢ] < p[i][xᵢ], u in [0, 1)
	// (7) behind γ that stand, one from p[γ]
	checkDistributions(p, q, drafted)
	for i, x := range drafted {
		if rand.Float64()*float64(q[i][x]) < float64(p[i][x]) { // (5)
			continue
		}
		left := make([]float32, len(p[i]))
		Residual(left, p[i], q[i])
		return append(slices.Clone(drafted[:i]), lm.Draw(left, rng))
	}
	return append(slices.Clone(drafted), lm.Draw(p[len(drafted)], rng)) // (7)
}

// pages-made-when-taken: pages made when taken
//
// Why: NewPool only notes the sizes. The tensors of a page are made when it is taken and let go when nobody holds
// it. All numbers, counts and Bytes are right. The contract of NewPool says "All memory of keys and values is
// allocated here": here every Append that takes a page allocates 2·L tensors, a server allocates and collects for
// ever, and a pool that does not fit into memory is noticed only in the middle of the texts.
type Pool struct {
	keys, values [][]*tensor.Tensor // of every page and layer (H, S, K)
	layers       int                // L
	heads, width int                // H, K
	size         int                // S
	holders      []int              // how many texts hold each page
	free         []int              // pages that nobody holds

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
	p := &Pool{size: size, layers: layers, heads: heads, width: width, holders: make([]int, pages),
		keys: make([][]*tensor.Tensor, pages), values: make([][]*tensor.Tensor, pages)}
	for page := range pages {
		p.free = append(p.free, pages-1-page) // page 0 is taken first
	}
	return p
}

func (p *Pool) Bytes() int {
	return 4 * 2 * p.layers * len(p.holders) * p.heads * p.size * p.width
}

func (t *Text) Write(layer int, k, v *tensor.Tensor) {
	p := t.pool
	n := t.check("Text.Write", layer, k)
	tensor.CheckShape("Text.Write: v", v, k.Shape...)
	for h := range k.Dim(0) {
		for i := range n {
			pos := t.length - n + i
			page, row := t.pages[pos/p.size], h*p.size+pos%p.size
			copy(p.keys[page][layer].Row(row), k.Row(h*n+i))
			copy(p.values[page][layer].Row(row), v.Row(h*n+i))
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
			keys := p.block(p.keys[page][layer], h, rows)
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
			values := p.block(p.values[page][layer], h, rows)
			tensor.MulAdd(p.y.MatrixAt(h), s.Block(0, first, n, rows), values) // (4)
		}
	}
	return p.y
}

func (t *Text) grow(n int) {
	p := t.pool
	if page, open := t.open(); open && n > 0 && p.holders[page] > 1 {
		own := p.take()
		for l := range p.layers {
			copy(p.keys[own][l].Data, p.keys[page][l].Data)
			copy(p.values[own][l].Data, p.values[page][l].Data)
		}
		p.release(page)
		t.pages[len(t.pages)-1] = own
	}
	t.length += n
	for len(t.pages) < p.pagesFor(t.length) {
		t.pages = append(t.pages, p.take())
	}
}

func (p *Pool) take() int {
	last := len(p.free) - 1
	page := p.free[last]
	p.free, p.holders[page] = p.free[:last], 1
	for range p.layers {
		p.keys[page] = append(p.keys[page], tensor.New(p.heads, p.size, p.width))
		p.values[page] = append(p.values[page], tensor.New(p.heads, p.size, p.width))
	}
	return page
}

func (p *Pool) release(page int) {
	if p.holders[page]--; p.holders[page] == 0 {
		p.free = append(p.free, page)
		p.keys[page], p.values[page] = nil, nil
	}
}

func (p *Pool) block(half *tensor.Tensor, head, rows int) tensor.Matrix {
	first := head * p.size
	return half.SliceRows(first, first+rows).Matrix()
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

func (p *Pool) row(page, head int) int { panic("nobody calls this") }

// pool-knows-every-text: pool knows every text
//
// Why: The pool has a list of all texts that were ever made and counts the holders of a page by going through all
// their tables, in each Append, Truncate, Fork and Free. The counts are right. But a text is never taken off the
// list: a text "leaves by Truncate(0)" and a pool serves texts that "come and go" (lesson), each Speculate makes
// two texts, so memory and the time of every later Append grow with the number of texts that have ever been, and
// the table of a dropped text is kept for ever.
type Pool struct {
	keys, values []*tensor.Tensor // of every layer (P, H, S, K)
	size         int              // S
	pages        int              // P
	texts        []*Text          // whose tables say who holds what

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
	p := &Pool{size: size, pages: pages}
	for range layers {
		p.keys = append(p.keys, tensor.New(pages, heads, size, width))
		p.values = append(p.values, tensor.New(pages, heads, size, width))
	}
	return p
}

func (p *Pool) Free() int {
	free := 0
	for _, n := range p.holders() {
		if n == 0 {
			free++
		}
	}
	return free
}

func (p *Pool) holders() []int {
	holders := make([]int, p.pages)
	for _, t := range p.texts {
		for _, page := range t.pages {
			holders[page]++
		}
	}
	return holders
}

func (p *Pool) add(t *Text) *Text {
	p.texts = append(p.texts, t)
	return t
}

func (p *Pool) NewText() *Text {
	return p.add(&Text{pool: p})
}

func (t *Text) Append(n int) error {
	if n < 0 {
		panic(tensor.IndexError{Op: "Text.Append: n", Got: n})
	}
	if need, free := t.pool.need([]*Text{t}, []int{n}), t.pool.Free(); need > free {
		return fmt.Errorf("Text: %d more tokens need %d pages, and %d are free", n, need, free)
	}
	t.grow(n)
	return nil
}

func (t *Text) Fork() *Text {
	return t.pool.add(&Text{pool: t.pool, pages: slices.Clone(t.pages), length: t.length})
}

func (t *Text) Truncate(n int) {
	if n < 0 || n > t.length {
		panic(tensor.IndexError{Op: "Text.Truncate: n", Got: n, Limit: t.length + 1})
	}
	t.pages, t.length = t.pages[:t.pool.pagesFor(n)], n
}

func (p *Pool) need(texts []*Text, more []int) int {
	need, copied, holders := 0, map[int]int{}, p.holders() // copies that were taken of each page
	for i, t := range texts {
		need += p.pagesFor(t.length+more[i]) - len(t.pages)
		if page, open := t.open(); open && more[i] > 0 && holders[page]-copied[page] > 1 {
			copied[page]++
			need++
		}
	}
	return need
}

func (t *Text) grow(n int) {
	p := t.pool
	holders := p.holders()
	if page, open := t.open(); open && n > 0 && holders[page] > 1 {
		own := take(holders)
		for l := range p.keys {
			copy(p.keys[l].Slice(own, own+1).Data, p.keys[l].Slice(page, page+1).Data)
			copy(p.values[l].Slice(own, own+1).Data, p.values[l].Slice(page, page+1).Data)
		}
		t.pages[len(t.pages)-1] = own
	}
	t.length += n
	for len(t.pages) < p.pagesFor(t.length) {
		t.pages = append(t.pages, take(holders))
	}
}

func take(holders []int) int {
	page := slices.Index(holders, 0)
	holders[page] = 1
	return page
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

func (p *Pool) take() int { panic("nobody calls this") }

func (p *Pool) release(page int) { panic("nobody calls this") }

// reads-its-own-copy: reads its own copy
//
// Why: New copies the model's parameters into a model of its own and reads with that, so as not to disturb the
// activations between a Forward and its Backward. The logits are right until the parameters change: after a step
// of training, LoadState or another tensor in a Param the reader still reads with the old ones (and the weights
// lie in memory twice). The contract says "It reads with the model's own layers and parameters, as the cache of
// step 12 does", and the logits "are what LM.Forward would return at the same places of the whole texts".
func New(m *lm.LM, pages, size int) *Reader {
	cfg := m.Config
	own, state := lm.New(cfg, 0), map[string]*tensor.Tensor{}
	for _, p := range m.Params() {
		state[p.Name] = p.Value
	}
	if err := own.LoadState(state); err != nil {
		panic(err)
	}
	return &Reader{
		model: own,
		rope:  rope.New(cfg.RopeTheta, cfg.DModel/cfg.NumHeads, cfg.ContextLength),
		pool:  NewPool(cfg.NumLayers, cfg.NumHeads, cfg.DModel/cfg.NumHeads, pages, size),
	}
}

// rereads-what-was-written: rereads what was written
//
// Why: After every round Speculate cuts both texts to the prompt, and the next call reads everything behind the
// prompt again. Text, Stats and pages at the end are right. The contract says "both forget what was not taken" and
// "What nobody has read yet is read in the next call: at the beginning the prompt, later the token that Verify has
// added": here what was taken is forgotten, too, and the work of M new tokens grows with M².
func Speculate(large, draft *Reader, prompt []int, ahead int, s lm.Sampling, rng *rand.Rand) ([]int, Stats, error) {
	if err := checkSpeculate(large, draft, prompt, ahead, s); err != nil {
		return nil, Stats{}, err
	}
	w := &writer{sampling: s, rng: rng, text: slices.Clone(prompt),
		large: large.pool.NewText(), draft: draft.pool.NewText()}
	defer w.large.Truncate(0)
	defer w.draft.Truncate(0)
	// (8) both go back to the prompt
	var stats Stats
	for missing := s.MaxNew; missing > 0; missing = len(prompt) + s.MaxNew - len(w.text) {
		took, err := w.round(large, draft, min(ahead, missing-1), &stats)
		if err != nil {
			return nil, Stats{}, err
		}
		if end := slices.Index(took, s.Stop); end >= 0 {
			w.text = append(w.text, took[:end]...)
			break
		}
		w.text = append(w.text, took...)
		for _, t := range []*Text{w.large, w.draft} {
			t.Truncate(min(t.Len(), len(prompt))) // (8)
		}
	}
	return w.text[len(prompt):], stats, nil
}

// residual-over-what-is-missing: residual over what is missing
//
// Why: Residual divides by 1 − Σ min(p, q), which the lesson shows to be equal to Σ max(0, p − q) if p sums to 1.
// Rows of float32 sum to 1 only within some 1e-7: where p and q are nearly equal the denominator is rounding, and
// the result sums to anything; where p = q and the sum is a little less than 1 it gives zeros instead of p.
// Contract: "dst[x] = max(0, p[x] − q[x]) / Σ max(0, p − q)" and "It is p where nothing is left, p = q".
func Residual(dst, p, q []float32) {
	if len(q) != len(p) || len(dst) != len(p) {
		panic(tensor.ShapeError{Op: "Residual", Got: []int{len(dst), len(q)}, Want: []int{len(p), len(p)}})
	}
	// (6) max(0, p − q) over 1 − Σ min(p, q)
	sum := 1.0
	for x := range p {
		sum -= min(float64(p[x]), float64(q[x]))
	}
	for x := range p {
		if sum > 0 {
			dst[x] = float32(max(0, float64(p[x])-float64(q[x])) / sum) // (6)
		} else {
			dst[x] = p[x]
		}
	}
}

// rollback-by-truncate: rollback by truncate
//
// Why: Reader.Forward appends text by text, and if an Append fails it truncates those before it to their old
// lengths. If one of these had a shared last page with room, it keeps the copy that it has taken: its table names
// another page and one page fewer is free. The contract of Forward says "After an error everything is as before,
// in all texts" (and of Append: "everything is as before").
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
	for i, t := range texts {
		if err := t.Append(len(ids[i])); err != nil {
			for j, before := range texts[:i] {
				before.Truncate(before.Len() - len(ids[j]))
			}
			return nil, fmt.Errorf("Reader: %w", err)
		}
	}
	x := r.x.Data
	for l, b := range r.model.Blocks {
		kernel.Add(x, x, r.attend(l, b.Attn, b.Norm1.Forward(r.x), texts, ids).Data)
		kernel.Add(x, x, b.FFN.Forward(b.Norm2.Forward(r.x)).Data)
	}
	return r.model.Head.Forward(r.model.Norm.Forward(r.x)), nil
}

func (r *Reader) fits(texts []*Text, ids [][]int) error {
	if len(ids) != len(texts) {
		return fmt.Errorf("Reader: %d rows of ids; want %d, one for each text", len(ids), len(texts))
	}
	for i, t := range texts {
		switch longest := r.model.Config.ContextLength; {
		case t.pool != r.pool:
			return fmt.Errorf("Reader: text %d lies in another pool", i)
		case slices.Contains(texts[:i], t):
			return fmt.Errorf("Reader: text %d is there twice; a text reads once in a call", i)
		case t.length+len(ids[i]) > longest:
			return fmt.Errorf("Reader: text %d has %d tokens, and %d more are more than the context of %d",
				i, t.length, len(ids[i]), longest)
		}
	}
	return nil
}

// rope-tables-by-shape: rope tables by shape
//
// Why: The RoPE tables are shared by all readers through a package variable whose key is the size of a head and
// the context length; RopeTheta is missing in it. The first model of a shape decides the angles for all later
// ones. The contract says that the logits "are what LM.Forward would return at the same places of the whole
// texts": for a second model with another RopeTheta and the same sizes they are not. Each model alone, or models
// with one theta, are right.
func New(m *lm.LM, pages, size int) *Reader {
	cfg := m.Config
	return &Reader{
		model: m,
		rope:  tables(cfg),
		pool:  NewPool(cfg.NumLayers, cfg.NumHeads, cfg.DModel/cfg.NumHeads, pages, size),
	}
}

var ropes = struct {
	sync.Mutex
	made map[[2]int]*rope.RoPE
}{made: map[[2]int]*rope.RoPE{}}

func tables(cfg lm.Config) *rope.RoPE {
	ropes.Lock()
	defer ropes.Unlock()
	width := cfg.DModel / cfg.NumHeads
	key := [2]int{width, cfg.ContextLength}
	if ropes.made[key] == nil {
		ropes.made[key] = rope.New(cfg.RopeTheta, width, cfg.ContextLength)
	}
	return ropes.made[key]
}

// scores-as-wide-as-the-pool: scores as wide as the pool
//
// Why: The rows of scores have a column for every place of the pool (n, P·S), those behind the text set to −Inf,
// so that the buffer has one size. The numbers are right. The lesson says "P = softmax(S), over the whole row (n,
// Len)" and the contract "s[i][j] = q[i]·k[j]/√K for j ≤ Len − n + i": here a text of ten tokens in a large pool
// costs scaling and exponentials for all P·S places in every head and layer, and memory n·P·S; work that grows
// with the pool and not with the text.
func (t *Text) Attend(layer int, q *tensor.Tensor) *tensor.Tensor {
	// (1) S = q·k_pageᵀ, for each page
	// (2) S/√K, −Inf for j > Len − n + i
	// (3) P = softmax(S), over the whole row
	// (4) y = Σ P·v_page, over the pages
	p := t.pool
	n := t.check("Text.Attend", layer, q)
	p.y = tensor.Reuse(p.y, q.Shape...)
	p.s = tensor.Reuse(p.s, n, len(p.holders)*p.size)
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

// scores-of-the-package: scores of the package
//
// Why: The buffer of scores is a variable of the package instead of a field of the pool. In one goroutine all is
// right. Two goroutines that each have a model, a reader and a pool of their own write into the same scores: a
// data race and wrong numbers. The contract lets only texts of one pool depend on each other ("y is valid until a
// text of the pool attends again"; "any number of readers may take turns on one model" speaks of one model): two
// pools of two models have nothing in common.
type Pool struct {
	keys, values []*tensor.Tensor // of every layer (P, H, S, K)
	size         int              // S
	holders      []int            // how many texts hold each page
	free         []int            // pages that nobody holds

	y *tensor.Tensor // (H, n, K)
}

var scores *tensor.Tensor

func (t *Text) Attend(layer int, q *tensor.Tensor) *tensor.Tensor {
	// (1) S = q·k_pageᵀ, for each page
	// (2) S/√K, −Inf for j > Len − n + i
	// (3) P = softmax(S), over the whole row
	// (4) y = Σ P·v_page, over the pages
	p := t.pool
	n := t.check("Text.Attend", layer, q)
	p.y = tensor.Reuse(p.y, q.Shape...)
	scores = tensor.Reuse(scores, n, t.length)
	p.y.Zero()
	if n == 0 {
		return p.y
	}
	s := scores.Matrix()
	for h := range q.Dim(0) {
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
	return p.y
}

// truncate-may-lengthen: truncate may lengthen
//
// Why: Truncate refuses a negative n only. With n a little above Len (in the last page, or within the capacity of
// the table) the text silently becomes longer and sees keys that were never written or were another text's, and
// may name pages again that it has given back and others hold now. Contract: "It panics with an IndexError unless
// 0 ≤ n ≤ Len."
func (t *Text) Truncate(n int) {
	if n < 0 {
		panic(tensor.IndexError{Op: "Text.Truncate: n", Got: n, Limit: t.length + 1})
	}
	keep := t.pool.pagesFor(n)
	for at := keep; at < len(t.pages); at++ {
		t.pool.release(t.pages[at])
	}
	t.pages, t.length = t.pages[:keep], n
}

// writes-where-append-began: writes where append began
//
// Why: Append notes where the new tokens begin and Write puts the first of its n rows there. That is right when
// each Write has exactly the tokens of the last Append. Write is for "the last n tokens in a layer, 0 ≤ n. They
// have been appended since the text was forked or read": after Append(3) a Write of one token must set the third
// and sets the first, and after two Appends of one a Write of two begins one too late.
type Text struct {
	pool   *Pool
	pages  []int // the table
	length int
	begin  int // where the tokens of the last Append begin
}

func (t *Text) Write(layer int, k, v *tensor.Tensor) {
	p := t.pool
	n := t.check("Text.Write", layer, k)
	tensor.CheckShape("Text.Write: v", v, k.Shape...)
	for h := range k.Dim(0) {
		for i := range n {
			pos := t.begin + i
			row := p.row(t.pages[pos/p.size], h) + pos%p.size
			copy(p.keys[layer].Row(row), k.Row(h*n+i))
			copy(p.values[layer].Row(row), v.Row(h*n+i))
		}
	}
}

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
	t.begin = t.length
	t.length += n
	for len(t.pages) < p.pagesFor(t.length) {
		t.pages = append(t.pages, p.take())
	}
}
