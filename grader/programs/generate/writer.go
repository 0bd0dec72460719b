// Package writer continues a text with a model, one token at a time: with the
// cache of step 12 where it is written, with the layers of step 13 or the ring of step 21
// where these stand in the model, and by reading the whole text again for every token where
// none is.
package writer

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// Writer continues a text, token by token, as LM.Generate does: with a cache as
// long as the text fits the model's context, and after that, when every token
// moves to another position, by reading the last ContextLength tokens anew.
type Writer struct {
	model    *lm.LM
	cache    Cache  // nil if there is none
	ring     reader // for a model that sees through a window, instead of the cache; or nil
	sampling lm.Sampling
	rng      *rand.Rand
	text     []int
}

// reader returns the logits (V) of the token after a text, which grows from call to call.
type reader interface {
	read(text []int) ([]float32, error)
}

// newRing returns the ring of a model, or nil. It is itself nil in an edition without step 21.
var newRing func(*lm.LM) reader

// Cache is what a model has read so far, a row or several.
type Cache interface {
	Len(row int) int
	Last(ids [][]int) (*tensor.Tensor, error)
	Truncate(row, n int)
}

// NewCache returns a cache of one row for the model's whole context: the layers' own, if
// they are those of step 13, or that of step 12. It panics with a tensor.NotImplemented
// if it is not written, and returns nil if this edition has none, or the model reads whole
// texts alone.
func NewCache(m *lm.LM) Cache {
	if readsWhole(m) {
		return nil
	}
	if c := newGrouped(m); c != nil {
		return c
	}
	return NewBatch(m, 1)
}

// whole is a part of a model that may want a text from its beginning: positions that are
// added to its tokens, a block in another order than that of step 09, attention without
// a softmax.
type whole interface{ ReadsWhole() bool }

// readsWhole reports whether a part of the model wants that.
func readsWhole(m *lm.LM) bool {
	parts := []any{m.Embedding}
	for _, b := range m.Blocks {
		parts = append(parts, b, &b.Attn.Attention)
	}
	return slices.ContainsFunc(parts, func(part any) bool { w, ok := part.(whole); return ok && w.ReadsWhole() })
}

// Written is NewCache, but returns nil also where the cache is not written.
func Written(m *lm.LM) (c Cache) {
	defer func() {
		p := recover()
		if _, todo := p.(tensor.NotImplemented); p != nil && !todo {
			panic(p)
		}
	}()
	return NewCache(m)
}

// New returns a writer that goes on from the prompt, which holds at least one
// token. MaxNew of the sampling is not used.
func New(m *lm.LM, prompt []int, s lm.Sampling, rng *rand.Rand) *Writer {
	w := &Writer{model: m, sampling: s, rng: rng, text: slices.Clone(prompt)}
	if newRing != nil && !readsWhole(m) {
		w.ring = newRing(m)
	}
	if w.ring == nil {
		w.cache = Written(m)
	}
	return w
}

// Cached reports whether the writer has a cache.
func (w *Writer) Cached() bool { return w.cache != nil || w.ring != nil }

// InRing reports whether that is a ring, which does not grow.
func (w *Writer) InRing() bool { return w.ring != nil }

// Next draws the next token, which may be the sampling's Stop. Its errors are
// those of LM.Generate.
func (w *Writer) Next() (int, error) {
	logits, err := w.read()
	if err != nil {
		return 0, err
	}
	next, err := Draw(logits, w.sampling, w.rng)
	if err != nil {
		return 0, err
	}
	w.text = append(w.text, next)
	return next, nil
}

// Draw draws a token from logits (V). It is an error if they are not finite.
func Draw(logits []float32, s lm.Sampling, rng *rand.Rand) (int, error) {
	if slices.ContainsFunc(logits, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) }) {
		return 0, errors.New("the model's logits are not finite; its parameters may have diverged")
	}
	return lm.Draw(lm.Distribution(logits, s.Temperature, s.TopP), rng), nil
}

// read returns the logits of the token after the text.
func (w *Writer) read() ([]float32, error) {
	if w.ring != nil {
		return w.ring.read(w.text)
	}
	longest := w.model.Config.ContextLength
	if w.cache != nil && len(w.text) <= longest {
		logits, err := w.cache.Last([][]int{w.text[w.cache.Len(0):]})
		if err != nil {
			return nil, err
		}
		return logits.Row(0), nil
	}
	context := w.text[max(0, len(w.text)-longest):]
	logits, err := w.model.Forward([][]int{context})
	if err != nil {
		return nil, err
	}
	return logits.Row(len(context) - 1), nil
}
