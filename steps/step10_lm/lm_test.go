// You need not edit this file: it connects the names that the grader uses to
// the functions of this package. Grading lays the original over it.
package lm_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step10_lm"
)

func TestStep10(t *testing.T) { subject.Test(t, "step10", functions) }

var functions = subject.Functions{
	"lm.forward": func(in subject.Args) (wire.Values, error) {
		m, err := model(in)
		if err != nil {
			return nil, err
		}
		logits, err := m.Forward(ragged(in))
		if err != nil {
			return nil, err
		}
		in.Watch("logits", logits)
		return wire.Values{"logits": wire.Tensor(logits)}, nil
	},
	"lm.backward": func(in subject.Args) (wire.Values, error) {
		m, err := model(in)
		if err == nil && in.Has("dlogits") {
			return backwardOnly(m, in)
		}
		if err != nil {
			return nil, err
		}
		var loss float64
		for range 2 { // the gradients of both halves must add up
			half, err := learn(m, in, 0.5)
			if err != nil {
				return nil, err
			}
			loss += half
		}
		return gradients(loss, m), nil
	},
	"lm.replica": func(in subject.Args) (wire.Values, error) {
		workers, err := models(in, 2)
		if err != nil {
			return nil, err
		}
		if in.Has("other_ids") {
			return side(in, workers)
		}
		loss, err := divide(workers, in.IDs("ids"), in.IDs("targets"))
		if err != nil {
			return nil, err
		}
		return gradients(loss, workers...), nil
	},
	"lm.init": func(in subject.Args) (wire.Values, error) {
		cfg := Config{VocabSize: in.Int("vocab_size"), ContextLength: in.Int("context_length"),
			DModel:    in.Int("d_model"),
			NumLayers: in.Int("num_layers"), NumHeads: in.Int("num_heads"), DFF: in.Int("d_ff"),
			RopeTheta: in.Float("rope_theta")}
		m, err := fresh(cfg, uint64(in.Int("seed")))
		if err != nil {
			return nil, err
		}
		out := wire.Values{}
		if in.Has("expected") {
			out["names"] = wire.String(names(m))
		}
		for _, p := range m.Params() {
			out[p.Name] = wire.Tensor(p.Value)
			if in.Has("expected") {
				out["expected."+p.Name] = wire.Tensor(drawn(p, uint64(in.Int("seed"))))
			}
		}
		return out, nil
	},
	"lm.accounting": func(in subject.Args) (wire.Values, error) {
		cfg := Config{VocabSize: in.Int("vocab_size"), ContextLength: in.Int("context_length"),
			DModel:    in.Int("d_model"),
			NumLayers: in.Int("num_layers"), NumHeads: in.Int("num_heads"), DFF: in.Int("d_ff")}
		return wire.Values{"params": wire.Int(NumParams(cfg)),
			"forward_flops": wire.Int(ForwardFLOPs(cfg, in.Int("batch"), in.Int("seq")))}, nil
	},
	"sample.probs": func(in subject.Args) (wire.Values, error) {
		probs := Distribution(in.Tensor("logits").Data, in.Float("temperature"), in.Float("top_p"))
		if in.Has("next") {
			Distribution(in.Tensor("next").Data, in.Float("temperature"), in.Float("top_p"))
		}
		return wire.Values{"probs": wire.Float32s(probs, len(probs))}, nil
	},
	"sample.draw": func(in subject.Args) (wire.Values, error) {
		var source rand.Source = rand.NewPCG(uint64(in.Int("seed")), 0)
		if in.Has("bits") { // the same ones for ever
			source = fixed(in.Int("bits"))
		}
		rng := rand.New(source)
		ids := make([]int, in.Int("n"))
		for i := range ids {
			ids[i] = Draw(in.Tensor("probs").Data, rng)
		}
		return wire.Values{"ids": integers(ids)}, nil
	},
	"lm.generate": func(in subject.Args) (wire.Values, error) {
		m, err := model(in)
		if err != nil {
			return nil, err
		}
		s := Sampling{MaxNew: in.Int("max_new"), Temperature: in.Float("temperature"), TopP: in.Float("top_p"),
			Stop: in.Int("stop")}
		ids, err := m.Generate(in.Ints("prompt"), s, rand.New(rand.NewPCG(uint64(in.Int("seed")), 0)))
		if err == nil && in.Has("next") {
			_, err = m.Generate(in.Ints("next"), s, rand.New(rand.NewPCG(uint64(in.Int("seed")), 0)))
		}
		return wire.Values{"ids": integers(ids)}, err
	},
}

// model returns the model that the arguments describe.
func model(in subject.Args) (*LM, error) {
	var err error
	m := subject.Kept(in, func() *LM {
		var all []*LM
		if all, err = models(in, 0); err != nil {
			return nil
		}
		return all[0]
	}, subject.NoParams, nil)
	if err != nil {
		return nil, err
	}
	return m, m.LoadState(state(in))
}

// state is the state dictionary among the arguments.
func state(in subject.Args) map[string]*tensor.Tensor {
	state := map[string]*tensor.Tensor{}
	for _, name := range in.Names() {
		if strings.HasSuffix(name, ".weight") {
			state[name] = in.Tensor(name)
		}
	}
	return state
}

// models returns the model that the arguments describe, every …weight an entry
// of its state dictionary, and some replicas of it. These are made before the
// state is loaded into the model, so they know it only if they share it.
func models(in subject.Args, replicas int) ([]*LM, error) {
	cfg, state := Config{ContextLength: in.Int("context_length"), NumHeads: in.Int("num_heads"),
		RopeTheta: in.Float("rope_theta"), DFF: 1}, state(in)
	for name, t := range state {
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
	all := []*LM{New(cfg, 0)}
	if replicas > 0 { // a replica may be made of a model that has read something
		if _, err := all[0].Forward([][]int{{0}}); err != nil {
			return nil, err
		}
	}
	for range replicas {
		all = append(all, all[0].Replica())
	}
	return all, all[0].LoadState(state)
}

func integers(ids []int) wire.Value {
	v := wire.Ints(make([]int64, len(ids)), len(ids))
	for i, id := range ids {
		v.I64[i] = int64(id)
	}
	return v
}

// fixed is a generator that is stuck.
type fixed uint64

func (f fixed) Uint64() uint64 { return uint64(f) }
