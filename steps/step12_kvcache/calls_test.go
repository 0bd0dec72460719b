package kvcache_test

import (
	"slices"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step10_lm"
	. "github.com/stubformer/stubformer/steps/step12_kvcache"
)

// reader is a cache and the rows that it is to read, in several calls.
type reader struct {
	model  *lm.LM
	cache  *Cache
	ids    [][]int
	calls  [][]int        // how many tokens of each row every call reads
	at     []int          // how many of each row have been read
	logits *tensor.Tensor // (B, T, V)
}

// read returns a reader of the arguments ids and, if there are any, calls.
func read(in subject.Args) (*reader, error) {
	m, load, err := model(in)
	if err == nil {
		err = load()
	}
	if err != nil {
		return nil, err
	}
	return newReader(in, m, "ids", "calls", "max_len"), nil
}

func newReader(in subject.Args, m *lm.LM, ids, calls, maxLen string) *reader {
	r := &reader{model: m, ids: in.IDs(ids)}
	r.cache = New(m, len(r.ids), in.Int(maxLen))
	r.at = make([]int, len(r.ids))
	if in.Has(calls) {
		r.calls = in.IDs(calls)
	}
	r.logits = tensor.New(len(r.ids), len(r.ids[0]), m.Config.VocabSize)
	return r
}

// next returns the tokens that a call reads.
func (r *reader) next(call int) [][]int {
	rows := make([][]int, len(r.ids))
	for row, n := range r.calls[call] {
		rows[row] = r.ids[row][r.at[row] : r.at[row]+n]
	}
	return rows
}

// forward makes a call and puts its logits where they belong.
func (r *reader) forward(call int) error {
	rows := r.next(call)
	got, err := r.cache.Forward(rows)
	if err != nil {
		return err
	}
	n := 0
	for _, row := range rows {
		n += len(row)
	}
	tensor.CheckShape("logits of Cache.Forward", got, n, r.model.Config.VocabSize)
	n = 0
	for row := range rows {
		for range rows[row] {
			copy(r.logits.Row(row*len(r.ids[0])+r.at[row]), got.Row(n))
			r.at[row]++
			n++
		}
	}
	return nil
}

// lasts makes all calls for the last logits of every row.
func (r *reader) lasts(in subject.Args) (out *tensor.Tensor, err error) {
	out = tensor.New(len(r.calls), len(r.ids), r.model.Config.VocabSize)
	for c := range r.calls {
		rows := r.next(c)
		in.Cost(func() { err = r.last(c, out, rows) })
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// last makes a call for the last logits of every row and puts them where they belong.
func (r *reader) last(call int, out *tensor.Tensor, rows [][]int) error {
	got, err := r.cache.Last(rows)
	if err != nil {
		return err
	}
	tensor.CheckShape("logits of Cache.Last", got, len(rows), r.model.Config.VocabSize)
	copy(out.Slice(call, call+1).Data, got.Data)
	for row := range rows {
		r.at[row] += len(rows[row])
	}
	return nil
}

// refused lets the cache read what it must turn down, if there are such arguments.
func (r *reader) refused(in subject.Args) error {
	if !in.Has("refused") {
		return nil
	}
	before := r.lengths()
	for _, read := range []func([][]int) (*tensor.Tensor, error){r.cache.Forward, r.cache.Last} {
		if _, err := read(in.Rows("refused")); err == nil {
			return subject.Broken("a call that had to be refused was not")
		}
	}
	if after := r.lengths(); !slices.Equal(before.I64, after.I64) {
		return subject.Broken("the rows had read %v tokens, and after calls that were refused %v", before.I64,
			after.I64)
	}
	return nil
}

func (r *reader) lengths() wire.Value {
	lengths := make([]int, len(r.ids))
	for row := range lengths {
		lengths[row] = r.cache.Len(row)
	}
	return integers(lengths)
}

// spent makes all calls and returns what those behind the first took of a processor's
// time, and what the model takes to read the whole text. No call knows of later tokens.
func (r *reader) spent() (logits *tensor.Tensor, own, whole time.Duration, err error) {
	logits = tensor.New(len(r.calls), len(r.ids), r.model.Config.VocabSize)
	if err := r.last(0, logits, r.next(0)); err != nil {
		return nil, 0, 0, err
	}
	defer subject.OneProcessor()()
	for c := 1; c < len(r.calls); c++ {
		rows := r.next(c)
		for i := range rows {
			rows[i] = slices.Clone(rows[i])
		}
		own += subject.Spent(func() { err = r.last(c, logits, rows) })
		if err != nil {
			return nil, 0, 0, err
		}
	}
	whole = subject.Alone(func() { _, err = r.model.Forward(r.ids) })
	return logits, own, whole, err
}

// model returns the model that the arguments describe, every …weight an entry of
// its state dictionary, with parameters of its own until they are loaded.
func model(in subject.Args) (m *lm.LM, load func() error, err error) {
	cfg, state := lm.Config{ContextLength: in.Int("context_length"), NumHeads: in.Int("num_heads"),
		RopeTheta: in.Float("rope_theta"), DFF: 1}, map[string]*tensor.Tensor{}
	for _, name := range in.Names() {
		if !strings.HasSuffix(name, ".weight") {
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
	m, err = fresh(cfg)
	return m, func() error { return m.LoadState(state) }, err
}

// fresh returns a new model, or what is wrong with its configuration.
func fresh(cfg lm.Config) (*lm.LM, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return lm.New(cfg, 0), nil
}

func config(in subject.Args) lm.Config {
	return lm.Config{VocabSize: in.Int("vocab_size"), ContextLength: in.Int("context_length"),
		DModel:    in.Int("d_model"),
		NumLayers: in.Int("num_layers"), NumHeads: in.Int("num_heads"), DFF: in.Int("d_ff"), RopeTheta: 10000}
}

func integers(all []int) wire.Value {
	v := wire.Ints(make([]int64, len(all)), len(all))
	for i, n := range all {
		v.I64[i] = int64(n)
	}
	return v
}
