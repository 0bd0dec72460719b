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
)

// attend-buffers-of-the-package: attend buffers of the package
//
// Why: The buffers of Attend, scores and y, are variables of the package, so that many pools (the large model's
// and the draft's) need them only once. What a text of one pool got is overwritten when a text of another pool
// attends, and two goroutines with a pool each race on them. Contract: "y is valid until a text of the pool
// attends again": of the pool, and not of any other. (The stub of step 22 says nothing about goroutines; that
// of step 20 does: "keep nothing in variables of the package".)
type Pool struct {
	keys, values []*tensor.Tensor // of every layer (P, H, S, K)
	size         int              // S
	holders      []int            // how many texts hold each page
	free         []int            // pages that nobody holds
}

var (
	scores *tensor.Tensor // (n, Len), of one head
	heads  *tensor.Tensor // (H, n, K)
)

func (t *Text) Attend(layer int, q *tensor.Tensor) *tensor.Tensor {
	// (1) S = q·k_pageᵀ, for each page
	// (2) S/√K, −Inf for j > Len − n + i
	// (3) P = softmax(S), over the whole row
	// (4) y = Σ P·v_page, over the pages
	p := t.pool
	n := t.check("Text.Attend", layer, q)
	heads = tensor.Reuse(heads, q.Shape...)
	scores = tensor.Reuse(scores, n, t.length)
	heads.Zero()
	if n == 0 {
		return heads
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
			tensor.MulAdd(heads.MatrixAt(h), s.Block(0, first, n, rows), values) // (4)
		}
	}
	return heads
}

// attend-gathers-first: attend gathers first
//
// Why: Attend copies the keys and values of the whole text, head by head, out of its pages into one piece and
// then multiplies as with one buffer. All numbers are right and the buffers are kept, but for every new token
// in every layer the whole text is moved once more, which is the work that pages were to save. Contract: "It
// reads keys and values where they lie."
type Pool struct {
	keys, values []*tensor.Tensor // of every layer (P, H, S, K)
	size         int              // S
	holders      []int            // how many texts hold each page
	free         []int            // pages that nobody holds

	s    *tensor.Tensor // (n, Len), the scores of one head
	k, v *tensor.Tensor // (Len, K), of one head
	y    *tensor.Tensor // (H, n, K)
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
	width := q.Dim(2)
	p.k, p.v = tensor.Reuse(p.k, t.length, width), tensor.Reuse(p.v, t.length, width)
	for h := range q.Dim(0) {
		for first, page := range t.blocks() {
			rows := min(p.size, t.length-first)
			tensor.Copy(p.k.Matrix().Block(first, 0, rows, width), p.block(p.keys[layer], page, h, rows))
			tensor.Copy(p.v.Matrix().Block(first, 0, rows, width), p.block(p.values[layer], page, h, rows))
		}
		tensor.Mul(p.s.Matrix(), q.MatrixAt(h), p.k.Matrix().T()) // (1)
		kernel.Scale(float32(1/math.Sqrt(float64(width))), p.s.Data)
		for i := range n { // (2) the i-th stands at Len − n + i
			hidden := p.s.Row(i)[t.length-n+i+1:]
			for j := range hidden {
				hidden[j] = float32(math.Inf(-1))
			}
		}
		softmax.Softmax(p.s, p.s, 1)                            // (3)
		tensor.Mul(p.y.MatrixAt(h), p.s.Matrix(), p.v.Matrix()) // (4)
	}
	return p.y
}

// attend-shift-of-first-page: attend shift of first page
//
// Why: The softmax runs page by page with one pass over the values, and takes as shift the maximum of the first
// page's scores, not that of the row. Nothing differs as long as no later score is larger by 88; then e^(s -
// shift) is Inf in float32 and y is NaN, where softmax over the whole row is an ordinary number. Contract: "y =
// softmax(s) v"; lesson (3): "P = softmax(S), over the whole row (n, Len)", whose step 07 subtracts the row's
// own maximum.
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
	scale := float32(1 / math.Sqrt(float64(q.Dim(2))))
	for h := range q.Dim(0) {
		y, shift, sum := p.y.MatrixAt(h), make([]float32, n), make([]float32, n)
		for first, page := range t.blocks() {
			rows := min(p.size, t.length-first)
			p.s = tensor.Reuse(p.s, n, rows)
			keys, values := p.block(p.keys[layer], page, h, rows), p.block(p.values[layer], page, h, rows)
			tensor.Mul(p.s.Matrix(), q.MatrixAt(h), keys.T()) // (1)
			for i := range n {                                // (2) the i-th stands at Len − n + i
				row := p.s.Row(i)
				seen := min(rows, max(0, t.length-n+i+1-first))
				clear(row[seen:])
				row = row[:seen]
				if seen == 0 {
					continue
				}
				kernel.Scale(scale, row)
				if first == 0 {
					shift[i] = kernel.Max(row)
				}
				kernel.AddConst(row, -shift[i], row) // (3)
				kernel.Exp(row, row)
				sum[i] += kernel.Sum(row)
			}
			tensor.MulAdd(y, p.s.Matrix(), values) // (4)
		}
		for i := range n {
			kernel.Scale(1/sum[i], p.y.Row(h*n+i))
		}
	}
	return p.y
}

// fork-shares-table: fork shares table
//
// Why: Fork hands the slice of the table on without a copy; copy on write and Truncate put a new one in its
// place, but a page that is appended behind full ones goes into the memory that both tables still share. If the
// text was forked at the end of a page and its slice has spare capacity (3, 5, 6, 7 ... pages), the second text
// to append overwrites the first one's new entry: both write to one page, and the other is lost. Contract:
// "What is appended to one of them, the other does not see."
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
	t.pages, t.length = slices.Clone(t.pages[:keep]), n
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
		t.pages = append(slices.Clone(t.pages[:len(t.pages)-1]), own) // a table of its own
	}
	t.length += n
	for len(t.pages) < p.pagesFor(t.length) {
		t.pages = append(t.pages, p.take())
	}
}

// reader-counts-copies-apart: reader counts copies apart
//
// Why: Before a call each text's need is counted as if it were alone, and the counts are added. Of m texts that
// share an open page all m count a copy, though the last of them to grow writes in place; so a call is refused
// for want of a page that nobody needs. Contract: the error is "too few free pages for all of them", and Append
// "takes no more pages than that"; lesson: "For several texts in one call count in their order: who copies a
// page leaves it to the next."
func (r *Reader) fits(texts []*Text, ids [][]int) error {
	if len(ids) != len(texts) {
		return fmt.Errorf("Reader: %d rows of ids; want %d, one for each text", len(ids), len(texts))
	}
	need := 0
	for i, t := range texts {
		more := len(ids[i])
		switch longest := r.model.Config.ContextLength; {
		case t.pool != r.pool:
			return fmt.Errorf("Reader: text %d lies in another pool", i)
		case slices.Contains(texts[:i], t):
			return fmt.Errorf("Reader: text %d is there twice; a text reads once in a call", i)
		case t.length+more > longest:
			return fmt.Errorf("Reader: text %d has %d tokens, and %d more are more than the context of %d",
				i, t.length, more, longest)
		}
		need += r.pool.need([]*Text{t}, []int{more})
	}
	if need > len(r.pool.free) {
		return fmt.Errorf("Reader: the new tokens need %d pages, and %d are free", need, len(r.pool.free))
	}
	return nil
}

// reader-on-a-replica: reader on a replica
//
// Why: The reader is made on m.Replica(), "so that it may not get in the model's way": values are shared, and
// the logits are right. But each reader allocates gradients of the size of the whole model that nobody uses,
// for every reader, and a Param whose Value the owner replaces afterwards (linear.New: "its owner may put
// others in their place") is not followed. Contract: "It reads with the model's own layers and parameters, as
// the cache of step 12 does".
func New(m *lm.LM, pages, size int) *Reader {
	cfg := m.Config
	return &Reader{
		model: m.Replica(),
		rope:  rope.New(cfg.RopeTheta, cfg.DModel/cfg.NumHeads, cfg.ContextLength),
		pool:  NewPool(cfg.NumLayers, cfg.NumHeads, cfg.DModel/cfg.NumHeads, pages, size),
	}
}

// reader-rolls-back: reader rolls back
//
// Why: Forward does not count before it takes: it lets text after text Append, and when one finds too few pages
// it truncates those before it to their old lengths. A text that copied its shared last page on the way keeps
// the copy: its table is another, a page less is free than before, and the others no longer share with it.
// Contract: "too few free pages for all of them ... After an error everything is as before, in all texts";
// lesson: "Count first, take afterwards."
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
			for j, before := range texts[:i] { // as it was
				before.Truncate(before.length - len(ids[j]))
			}
			return nil, fmt.Errorf("Reader: text %d: %w", i, err)
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
		more := len(ids[i])
		switch longest := r.model.Config.ContextLength; {
		case t.pool != r.pool:
			return fmt.Errorf("Reader: text %d lies in another pool", i)
		case slices.Contains(texts[:i], t):
			return fmt.Errorf("Reader: text %d is there twice; a text reads once in a call", i)
		case t.length+more > longest:
			return fmt.Errorf("Reader: text %d has %d tokens, and %d more are more than the context of %d",
				i, t.length, more, longest)
		}
	}
	return nil
}

// residual-in-place-nothing-left: residual in place nothing left
//
// Why: The differences are written to dst while they are summed, and where the sum is 0 p is copied there
// afterwards. If dst is p, which is allowed, p has been overwritten with zeros by then, so that the result is 0
// everywhere: no distribution, and Draw panics on it. With a dst of its own, or where something is left, all is
// right. Contract: "It is p where nothing is left, p = q. dst may be p or q."
func Residual(dst, p, q []float32) {
	if len(q) != len(p) || len(dst) != len(p) {
		panic(tensor.ShapeError{Op: "Residual", Got: []int{len(dst), len(q)}, Want: []int{len(p), len(p)}})
	}
	// (6) max(0, p − q) over its sum
	sum := 0.0
	for x := range p {
		dst[x] = max(0, p[x]-q[x])
		sum += float64(dst[x])
	}
	if sum == 0 {
		copy(dst, p)
		return
	}
	for x := range dst {
		dst[x] = float32(float64(dst[x]) / sum) // (6)
	}
}

// speculate-keeps-pages-after-error: speculate keeps pages after error
//
// Why: The text whose model failed gives back its pages, and at the good end both do; but when one model fails
// in the middle, the text in the other model's pool keeps its pages for ever. It can only be seen in the Free
// of the reader that had no error, and after some refused calls that pool is full. Contract: "It reads through
// texts of its own, and gives back their pages at the end, with an error, too."
func Speculate(large, draft *Reader, prompt []int, ahead int, s lm.Sampling, rng *rand.Rand) ([]int, Stats, error) {
	if err := checkSpeculate(large, draft, prompt, ahead, s); err != nil {
		return nil, Stats{}, err
	}
	w := &writer{sampling: s, rng: rng, text: slices.Clone(prompt),
		large: large.pool.NewText(), draft: draft.pool.NewText()}
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
	w.large.Truncate(0)
	w.draft.Truncate(0)
	return w.text[len(prompt):], stats, nil
}

func (w *writer) next(r *Reader, read *Text, text []int, n int) ([][]float32, error) {
	logits, err := r.Forward([]*Text{read}, [][]int{text[read.Len():]})
	if err != nil {
		read.Truncate(0)
		return nil, err
	}
	var all [][]float32
	for i := logits.Dim(0) - n; i < logits.Dim(0); i++ {
		row := logits.Row(i)
		if slices.ContainsFunc(row, func(x float32) bool { return math.IsNaN(float64(x - x)) }) {
			read.Truncate(0)
			return nil, errors.New("Speculate: the model's logits are not finite; its parameters may have diverged")
		}
		all = append(all, lm.Distribution(row, w.sampling.Temperature, w.sampling.TopP))
	}
	return all, nil
}

// speculate-reads-taken-again: speculate reads taken again
//
// Why: Behind a round both texts are cut to where they stood when it began, not to the text without its last
// token: keys of tokens that Verify took are thrown away and read again in the next call. The text, its
// distribution and the Stats are right; the large model reads up to ahead tokens more in every round and so
// does the draft, which is where the gain was. Contract: "both forget what was not taken" and "What nobody has
// read yet is read in the next call"; lesson (8): "Both caches are cut to the length of the text without its
// last token".
func Speculate(large, draft *Reader, prompt []int, ahead int, s lm.Sampling, rng *rand.Rand) ([]int, Stats, error) {
	if err := checkSpeculate(large, draft, prompt, ahead, s); err != nil {
		return nil, Stats{}, err
	}
	w := &writer{sampling: s, rng: rng, text: slices.Clone(prompt),
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
		for _, t := range []*Text{w.large, w.draft} { // what was not taken is forgotten
			t.Truncate(min(t.Len(), len(w.text)-1)) // (8)
		}
		w.text = append(w.text, took...)
	}
	return w.text[len(prompt):], stats, nil
}
