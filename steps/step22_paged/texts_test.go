package paged_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step10_lm"
	. "github.com/stubformer/stubformer/steps/step22_paged"
)

// What an op of a script does.
const (
	appends = iota
	forks
	cuts
	attends
)

// scripted is a pool, its texts, and the tokens that they take in turn.
type scripted struct {
	pool    *Pool
	texts   []*Text
	q, k, v *tensor.Tensor // (L, H, N, K)
	y       *tensor.Tensor
	at      int  // tokens that have been taken
	pieces  bool // whether tokens are appended one by one
}

// script goes through a list of ops.
func script(in subject.Args) (wire.Values, error) {
	q, k, v := in.Tensor("q"), in.Tensor("k"), in.Tensor("v")
	s := &scripted{pool: NewPool(k.Dim(0), k.Dim(1), k.Dim(3), in.Int("pages"), in.Int("size")), q: q, k: k, v: v,
		y: tensor.New(q.Shape...), pieces: in.Has("pieces")}
	s.texts = []*Text{s.pool.NewText()}
	var free, lengths []int
	for _, op := range in.IDs("ops") {
		text := s.texts[op[1]]
		in.Cost(func() { text = s.do(text, op[0], op[2]) })
		if err := s.tables(in.Int("size"), in.Int("pages")); err != nil {
			return nil, err
		}
		free, lengths = append(free, s.pool.Free()), append(lengths, text.Len())
	}
	if err := s.free(in.Int("pages")); err != nil {
		return nil, err
	}
	return wire.Values{"y": wire.Tensor(s.y), "free": integers(free), "length": integers(lengths)}, nil
}

// do does one op and returns the text that it is about.
func (s *scripted) do(text *Text, kind, n int) *Text {
	switch kind {
	case forks:
		text = text.Fork()
		s.texts = append(s.texts, text)
	case cuts:
		text.Truncate(n)
	case appends, attends:
		if kind == appends && s.grow(text, n) != nil {
			s.at += n
			return text
		}
		layers := s.k.Dim(0)
		if kind == attends {
			layers = s.q.Dim(0)
		}
		for l := range layers {
			if kind == appends {
				s.write(text, l, n)
			}
			y := text.Attend(l, s.part(s.q, l, n))
			for h := range s.q.Dim(1) {
				first := (l*s.q.Dim(1)+h)*s.q.Dim(2) + s.at
				copy(s.y.SliceRows(first, first+n).Data, y.Data[h*n*s.q.Dim(3):][:n*s.q.Dim(3)])
			}
		}
		s.at += n
	}
	return text
}

// grow appends n tokens, one by one if the script is one in pieces.
func (s *scripted) grow(text *Text, n int) error {
	if !s.pieces {
		return text.Append(n)
	}
	for range n {
		if err := text.Append(1); err != nil {
			return err
		}
	}
	return nil
}

// write sets the keys and values of the last n tokens, in pieces those of the second half
// once more, as something else before.
func (s *scripted) write(text *Text, layer, n int) {
	k, v := s.part(s.k, layer, n), s.part(s.v, layer, n)
	text.Write(layer, k, v)
	if half := n / 2; s.pieces && half > 0 {
		k, v = last(k, half), last(v, half)
		text.Write(layer, v, k)
		text.Write(layer, k, v)
	}
}

// last copies the last n tokens of t (H, N, K).
func last(t *tensor.Tensor, n int) *tensor.Tensor {
	out := tensor.New(t.Dim(0), n, t.Dim(2))
	for h := range t.Dim(0) {
		copy(out.SliceRows(h*n, (h+1)*n).Data, t.SliceRows((h+1)*t.Dim(1)-n, (h+1)*t.Dim(1)).Data)
	}
	return out
}

// part copies the next n tokens of a layer, (H, n, K).
func (s *scripted) part(t *tensor.Tensor, layer, n int) *tensor.Tensor {
	out := tensor.New(t.Dim(1), n, t.Dim(3))
	for h := range t.Dim(1) {
		first := (layer*t.Dim(1)+h)*t.Dim(2) + s.at
		copy(out.SliceRows(h*n, (h+1)*n).Data, t.SliceRows(first, first+n).Data)
	}
	return out
}

// tables returns what is wrong with the texts' tables: each has a page for every size
// tokens, all of the pool and each once.
func (s *scripted) tables(size, pages int) error {
	for i, text := range s.texts {
		table := text.Pages()
		if want := (text.Len() + size - 1) / size; len(table) != want {
			return subject.Broken("text %d has %d tokens and %d pages; want %d of %d tokens each",
				i, text.Len(), len(table), want, size)
		}
		for at, page := range table {
			if page < 0 || page >= pages || slices.Contains(table[:at], page) {
				return subject.Broken("text %d has the pages %v; want each once, from 0 to %d", i, table, pages-1)
			}
			table[at] = -1 // a copy
		}
		if slices.Contains(text.Pages(), -1) {
			return subject.Broken("what Pages has returned was changed, and the table of text %d with it", i)
		}
	}
	return nil
}

// free returns an error if more pages are free in the end than no text has in its table. How many
// are free after each op is an answer of the script.
func (s *scripted) free(pages int) error {
	held := map[int]bool{}
	for _, text := range s.texts {
		for _, page := range text.Pages() {
			held[page] = true
		}
	}
	if free := s.pool.Free(); free > pages-len(held) {
		return subject.Broken("%d of %d pages are free, but the texts have %d in their tables", free, pages, len(held))
	}
	return nil
}

// together lets texts read through one pool.
func together(in subject.Args) (wire.Values, error) {
	m, load, err := model(in, -1)
	if err != nil {
		return nil, err
	}
	r, prompt, ids := New(m, in.Int("pages"), in.Int("size")), in.Ints("prompt"), in.IDs("ids")
	if err := load(); err != nil {
		return nil, err
	}
	texts := []*Text{r.Pool().NewText()}
	got, err := r.Forward(texts, [][]int{prompt})
	if err != nil {
		return nil, err
	}
	tensor.CheckShape("logits of Reader.Forward", got, len(prompt), m.Config.VocabSize)
	first := got.Clone()
	for range ids[1:] {
		texts = append(texts, texts[0].Fork())
	}
	logits, at := tensor.New(len(ids), len(ids[0]), m.Config.VocabSize), make([]int, len(ids))
	var free, lengths []int
	for c, call := range in.IDs("calls") {
		if c == 1 {
			if err := turnedDown(in, r, texts, m); err != nil {
				return nil, err
			}
		}
		next := make([][]int, len(ids))
		for b, n := range call {
			next[b] = ids[b][at[b] : at[b]+n : at[b]+n]
		}
		in.Cost(func() { got, err = r.Forward(texts, next) })
		if err != nil {
			return nil, err
		}
		tensor.CheckShape("logits of Reader.Forward", got, len(slices.Concat(next...)), m.Config.VocabSize)
		row := 0
		for b, n := range call {
			to := b*len(ids[0]) + at[b]
			copy(logits.SliceRows(to, to+n).Data, got.SliceRows(row, row+n).Data)
			row, at[b] = row+n, at[b]+n
		}
		free = append(free, r.Pool().Free())
	}
	for _, text := range texts {
		lengths = append(lengths, text.Len())
	}
	return wire.Values{"prompt_logits": wire.Tensor(first), "logits": wire.Tensor(logits), "free": integers(free),
		"lengths": integers(lengths)}, nil
}

// turnedDown lets the texts read what must be refused, if there are such arguments, and
// others use the model in between.
func turnedDown(in subject.Args, r *Reader, texts []*Text, m *lm.LM) error {
	if in.Has("measured") {
		return nil
	}
	other := New(m, 2, 3)
	if _, err := other.Forward([]*Text{other.Pool().NewText()}, [][]int{{0}}); err != nil {
		return err
	}
	if _, err := m.Forward([][]int{{0}}); err != nil {
		return err
	}
	if !in.Has("refused") {
		return nil
	}
	before := state(r, texts)
	asked := slices.Clone(texts)
	switch {
	case in.Has("foreign"):
		asked[in.Int("foreign")] = other.Pool().NewText()
	case in.Has("twice"):
		asked[in.Int("twice")] = asked[0]
	}
	if _, err := r.Forward(asked, in.Rows("refused")); err == nil {
		return subject.Broken("a call that had to be refused was not")
	}
	if after := state(r, texts); after != before {
		return subject.Broken("%s; after a call that was refused %s", before, after)
	}
	return nil
}

// state says what a pool and texts are like.
func state(r *Reader, texts []*Text) string {
	var said []string
	for i, text := range texts {
		said = append(said, fmt.Sprintf("text %d has %d tokens in the pages %v", i, text.Len(), text.Pages()))
	}
	return fmt.Sprintf("%d pages are free, and %s", r.Pool().Free(), strings.Join(said, ", "))
}

// pair returns readers of a model and of its first blocks.
func pair(in subject.Args) (large, draft *Reader, err error) {
	m, load, err := model(in, -1)
	if err != nil {
		return nil, nil, err
	}
	d, loadDraft, err := model(in, in.Int("draft_layers"))
	if err != nil {
		return nil, nil, err
	}
	if in.Has("other_vocabulary") {
		cfg := d.Config
		cfg.VocabSize++
		d = lm.New(cfg, 0)
	}
	pages := in.Int("pages")
	large = New(m, pages, in.Int("size"))
	if in.Has("draft_pages") {
		pages = in.Int("draft_pages")
	}
	draft = New(d, pages, in.Int("size"))
	if err := load(); err != nil || in.Has("other_vocabulary") {
		return large, draft, err
	}
	return large, draft, loadDraft()
}

// model returns the model whose parameters are among the arguments, by their names, or its
// first blocks, if layers is not -1, and what gives it these parameters: a reader is one of
// its model, whatever parameters that has when the reader is made.
func model(in subject.Args, layers int) (m *lm.LM, load func() error, err error) {
	cfg, state := lm.Config{ContextLength: in.Int("context_length"), NumHeads: in.Int("num_heads"),
		RopeTheta: in.Float("rope_theta"), DFF: 1}, map[string]*tensor.Tensor{}
	for _, name := range in.Names() {
		if !strings.HasSuffix(name, ".weight") || above(name, layers) {
			continue
		}
		t := in.Tensor(name)
		state[name] = t
		switch {
		case name == "token_embeddings.weight":
			cfg.VocabSize, cfg.DModel = t.Dim(0), t.Dim(1)
		case strings.HasSuffix(name, ".ln1.weight"):
			cfg.NumLayers++
		case strings.HasSuffix(name, ".ffn.w1.weight"):
			cfg.DFF = t.Dim(0)
		}
	}
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	m = lm.New(cfg, 0)
	return m, func() error {
		for _, p := range m.Params() { // their owner may put others in their place
			p.Value = tensor.New(p.Value.Shape...)
		}
		return m.LoadState(state)
	}, nil
}

// above reports whether a parameter belongs to a block that a model of so many has not.
func above(name string, layers int) bool {
	var l int
	_, err := fmt.Sscanf(name, "layers.%d.", &l)
	return layers >= 0 && err == nil && l >= layers
}
