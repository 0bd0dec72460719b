package windows_test

import (
	"strings"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step10_lm"
	. "github.com/stubformer/stubformer/steps/step21_windows"
)

// read reads a text in its calls, in turn with another cache of the same model and with
// the model itself. later are other embeddings, from the second call on.
func read(in subject.Args, later *tensor.Tensor) (wire.Values, error) {
	m, err := model(in)
	if err != nil {
		return nil, err
	}
	ids, at := in.Ints("ids"), 0
	cache := New(m, in.Int("window"), in.Int("sinks"), in.Int("max_len"))
	other := New(m, in.Int("window"), in.Int("sinks"), len(ids)+1)
	logits := tensor.New(len(ids), m.Config.VocabSize)
	for c, n := range in.Ints("calls") {
		if c == 1 && later != nil {
			copy(m.Embedding.Weight.Value.Data, later.Data)
		}
		if c == 1 && in.Has("refused") {
			if err := turnedDown(cache, in.Ints("refused")); err != nil {
				return nil, err
			}
		}
		if c > 0 && !in.Has("measured") {
			if err := meanwhile(m, other, ids[:1]); err != nil {
				return nil, err
			}
		}
		var got *tensor.Tensor
		in.Cost(func() { got, err = cache.Forward(ids[at : at+n : at+n]) })
		if err != nil {
			return nil, err
		}
		tensor.CheckShape("logits of Cache.Forward", got, n, m.Config.VocabSize)
		copy(logits.Slice(at, at+n).Data, got.Data)
		at += n
	}
	if later != nil {
		return wire.Values{"logits": wire.Tensor(logits)}, nil
	}
	return wire.Values{"logits": wire.Tensor(logits), "length": wire.Int(cache.Len())}, nil
}

// meanwhile lets others use the model between two calls.
func meanwhile(m *lm.LM, other *Cache, ids []int) error {
	if _, err := m.Forward([][]int{ids}); err != nil {
		return err
	}
	_, err := other.Forward(ids)
	return err
}

// turnedDown lets a cache read what it must refuse.
func turnedDown(cache *Cache, ids []int) error {
	before := cache.Len()
	if _, err := cache.Forward(ids); err == nil {
		return subject.Broken("a call that had to be refused was not")
	}
	if after := cache.Len(); after != before {
		return subject.Broken("%d tokens had been read, and after a call that was refused %d", before, after)
	}
	return nil
}

func bytesOf(in subject.Args) (wire.Values, error) {
	cfg := lm.Config{VocabSize: in.Int("vocab_size"), ContextLength: in.Int("context_length"),
		DModel: in.Int("d_model"), NumLayers: in.Int("num_layers"), NumHeads: in.Int("num_heads"),
		DFF: in.Int("d_ff"), RopeTheta: 10000}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c := New(lm.New(cfg, 0), in.Int("window"), in.Int("sinks"), in.Int("max_len"))
	return wire.Values{"bytes": wire.Int(c.Bytes())}, nil
}

// model returns the model whose parameters are among the arguments, by their names.
func model(in subject.Args) (*lm.LM, error) {
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
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	m := lm.New(cfg, 0)
	return m, m.LoadState(state)
}
