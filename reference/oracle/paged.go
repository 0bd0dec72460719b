package oracle

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/reference/autodiff"
	"github.com/stubformer/stubformer/reference/wire"
)

func init() {
	answer("pages.script", pagesScript)
	answer("pages.bytes", func(c *call) (wire.Values, error) {
		for _, name := range []string{"layers", "heads", "width", "pages", "size"} {
			if c.int(name) < 1 {
				return nil, c.refuse(name, "at least 1")
			}
		}
		const key, value, float32Bytes = 1, 1, 4
		tokens := c.int("pages") * c.int("size")
		return wire.Values{"bytes": wire.Int((key + value) * float32Bytes * c.int("layers") * c.int("heads") * tokens * c.int("width"))}, nil
	})
	answer("paged.forward", pagedForward)
	answer("spec.residual", func(c *call) (wire.Values, error) {
		return wire.Values{"r": result(Residual(c.tensor("p"), c.tensor("q")))}, nil
	})
	answer("spec.verify", specVerify)
	answer("spec.greedy", specGreedy)
}

// page is a piece of a text; how many texts hold it. Two texts share what is one pointer.
type page struct{ holders int }

// paged is a text and its pages.
type paged struct {
	tokens []int
	pages  []*page
}

// pool counts pages.
type pool struct {
	size, free int
	texts      []*paged
}

// newPool returns a pool with one text, which has no tokens.
func (c *call) newPool() (*pool, error) {
	for _, name := range []string{"pages", "size"} {
		if c.int(name) < 1 {
			return nil, c.refuse(name, "at least 1")
		}
	}
	return &pool{size: c.int("size"), free: c.int("pages"), texts: []*paged{{}}}, nil
}

func (p *pool) take() *page {
	p.free--
	return &page{holders: 1}
}

func (p *pool) release(given *page) {
	if given.holders--; given.holders == 0 {
		p.free++
	}
}

// append adds tokens to a text, and reports whether there are enough pages: otherwise
// nothing has changed.
func (p *pool) append(t *paged, tokens []int) bool {
	if len(tokens) == 0 {
		return true
	}
	last := len(t.pages) - 1
	shared := len(t.tokens)%p.size != 0 && t.pages[last].holders > 1
	more := (len(t.tokens)+len(tokens)+p.size-1)/p.size - len(t.pages)
	need := more
	if shared {
		need++
	}
	if need > p.free {
		return false
	}
	if shared {
		p.release(t.pages[last])
		t.pages[last] = p.take()
	}
	for range more {
		t.pages = append(t.pages, p.take())
	}
	t.tokens = append(t.tokens, tokens...)
	return true
}

func (p *pool) fork(t *paged) *paged {
	for _, shared := range t.pages {
		shared.holders++
	}
	other := &paged{slices.Clone(t.tokens), slices.Clone(t.pages)}
	p.texts = append(p.texts, other)
	return other
}

func (p *pool) cut(t *paged, n int) {
	keep := (n + p.size - 1) / p.size
	for _, given := range t.pages[keep:] {
		p.release(given)
	}
	t.pages, t.tokens = t.pages[:keep], t.tokens[:n]
}

// pagesScript answers for every text as if its keys and values lay side by side.
func pagesScript(c *call) (wire.Values, error) {
	p, err := c.newPool()
	if err != nil {
		return nil, err
	}
	q, k, v, layers := c.tensor("q"), c.tensor("k"), c.tensor("v"), c.sizes["L"]
	y := autodiff.Zeros(q.Shape...)
	var free, lengths []int
	at := 0
	for op := range slices.Chunk(c.indices("ops").Data, 3) {
		kind, n := op[0], op[2]
		if kind > 3 || op[1] >= len(p.texts) {
			return nil, c.refuse("ops", "kinds from 0 to 3, and texts that there are")
		}
		t := p.texts[op[1]]
		next := func() (tokens []int) {
			for range n {
				tokens, at = append(tokens, at), at+1
			}
			return tokens
		}
		if (kind == 0 || kind == 3) && at+n > c.sizes["N"] || kind >= 2 && n > len(t.tokens) {
			return nil, c.refuse("ops", "tokens that there are")
		}
		switch kind {
		case 0:
			if tokens := next(); p.append(t, tokens) {
				t.attend(y, q, k, v, layers, tokens)
			}
		case 1:
			t = p.fork(t)
		case 2:
			p.cut(t, n)
		case 3:
			t.attend(y, q, k, v, layers, next())
		}
		free, lengths = append(free, p.free), append(lengths, len(t.tokens))
	}
	return wire.Values{"y": result(y), "free": integers(free), "length": integers(lengths)}, nil
}

// attend writes to y what the queries of some tokens, as the last of the text, find in it.
func (t *paged) attend(y, q, k, v *autodiff.Tensor, layers int, queries []int) {
	n, m := len(queries), len(t.tokens)
	mask := make([]bool, n*m)
	for at := range mask {
		mask[at] = at%m <= at/m+m-n
	}
	for head := range layers * q.Shape[1] {
		found, _ := Attention(rowsOf(q, head, queries), rowsOf(k, head, t.tokens), rowsOf(v, head, t.tokens), mask)
		width := q.Shape[3]
		for i, token := range queries {
			copy(y.Data[(head*q.Shape[2]+token)*width:][:width], found.Data[i*width:])
		}
	}
}

// rowsOf gathers rows of matrix i of x (L, H, N, K).
func rowsOf(x *autodiff.Tensor, i int, rows []int) *autodiff.Tensor {
	n, width := x.Shape[2], x.Shape[3]
	at := make([]int, len(rows))
	for j, row := range rows {
		at[j] = i*n + row
	}
	return autodiff.Rows(autodiff.Reshape(x, len(x.Data)/width, width), at)
}

// pagedForward answers with the model's logits of every whole text.
func pagedForward(c *call) (wire.Values, error) {
	m, err := c.model()
	if err != nil {
		return nil, err
	}
	p, err := c.newPool()
	if err != nil {
		return nil, err
	}
	prompt, ids, calls := c.indices("prompt").Data, c.indices("ids"), c.indices("calls")
	texts, time, vocab := ids.Shape[0], ids.Shape[1], m.Head.Shape[0]
	if texts == 0 || !p.append(p.texts[0], prompt) || len(prompt) > c.int("context_length") {
		return nil, c.refuse("prompt", "a text, and room for it")
	}
	for range texts - 1 {
		p.fork(p.texts[0])
	}
	read := make([]int, texts)
	var free []int
	for i, n := range calls.Data {
		b := i % texts
		if len(prompt)+read[b]+n > c.int("context_length") || read[b]+n > time || !p.append(p.texts[b], ids.Data[b*time+read[b]:][:n]) {
			return nil, c.refuse("calls", "tokens that there are, and room for them")
		}
		if read[b] += n; b == texts-1 {
			free = append(free, p.free)
		}
	}
	first, logits := autodiff.Zeros(len(prompt), vocab), autodiff.Zeros(texts, time, vocab)
	for b, t := range p.texts {
		if len(t.tokens) == 0 {
			continue
		}
		all := LM(Indices{Shape: []int{1, len(t.tokens)}, Data: t.tokens}, m)
		copy(first.Data, all.Data[:len(prompt)*vocab])
		copy(logits.Data[b*time*vocab:], all.Data[len(prompt)*vocab:])
		read[b] = len(t.tokens)
	}
	return wire.Values{"prompt_logits": result(first), "logits": result(logits), "free": integers(free), "lengths": integers(read)}, nil
}

// Residual returns max(0, p − q) over its sum by the row, and p where the sum is 0.
//
// Source: Leviathan et al. (arXiv:2211.17192), section 2.3.
func Residual(p, q *autodiff.Tensor) *autodiff.Tensor {
	vocab := p.Shape[1]
	out := autodiff.Zeros(p.Shape...)
	for first := 0; first < len(p.Data); first += vocab {
		left, sum := make([]float64, vocab), 0.0
		for x := range left {
			left[x] = max(0, p.Data[first+x]-q.Data[first+x])
			sum += left[x]
		}
		for x := range left {
			out.Data[first+x] = left[x] / sum
			if sum == 0 {
				out.Data[first+x] = p.Data[first+x]
			}
		}
	}
	return out
}

// specVerify answers where p is certain: elsewhere the tokens are random.
func specVerify(c *call) (wire.Values, error) {
	p, drafted, vocab := widen(c.in["p"]), c.indices("drafted").Data, c.sizes["V"]
	if c.sizes["M"] != c.sizes["N"]+1 {
		return nil, c.refuse("p", "a distribution more than there are of q")
	}
	tokens := make([]int, c.sizes["M"])
	stands := true
	for i := range tokens {
		row := p[i*vocab : (i+1)*vocab]
		certain := firstLargest(row)
		if row[certain] <= 0 || slices.ContainsFunc(slices.Delete(slices.Clone(row), certain, certain+1), func(x float64) bool { return x != 0 }) {
			return nil, c.refuse("p", "rows with one token and zeros: others are random")
		}
		tokens[i] = certain
		if !stands {
			tokens[i] = -1
		}
		stands = stands && i < len(drafted) && drafted[i] == certain
	}
	return wire.Values{"tokens": integers(tokens)}, nil
}

// specGreedy writes with the large model alone, and asks the draft beside it what it would
// have written.
func specGreedy(c *call) (wire.Values, error) {
	m, err := c.model()
	if err != nil {
		return nil, err
	}
	prompt, limit := c.indices("prompt").Data, c.int("context_length")
	small := m
	small.Blocks = m.Blocks[:min(len(m.Blocks), c.int("draft_layers"))]
	switch {
	case len(prompt) == 0 || len(prompt)+c.int("max_new") > limit:
		return nil, c.refuse("prompt", fmt.Sprintf("from 1 to %d tokens with the new ones", limit))
	case c.int("ahead") < 1:
		return nil, c.refuse("ahead", "at least 1")
	case c.int("size") < 1 || c.int("pages")*c.int("size") < len(prompt)+c.int("max_new"):
		return nil, c.refuse("pages", "room for the text")
	}
	text := Greedy(prompt, m, limit, c.int("max_new"), -1)
	rounds, drafted, accepted, at, stop := 0, 0, 0, 0, slices.Index(text, c.int("stop"))
	for at < len(text) && (stop < 0 || at <= stop) {
		n := min(c.int("ahead"), len(text)-at-1)
		guess := Greedy(slices.Concat(prompt, text[:at]), small, limit, n, -1)
		right := 0
		for right < n && guess[right] == text[at+right] {
			right++
		}
		rounds, drafted, accepted, at = rounds+1, drafted+n, accepted+right, at+right+1
	}
	if stop >= 0 {
		text = text[:stop]
	}
	pages := c.int("pages")
	return wire.Values{"ids": integers(text), "rounds": wire.Int(rounds), "drafted": wire.Int(drafted), "accepted": wire.Int(accepted),
		"free": integers([]int{pages, pages})}, nil
}
