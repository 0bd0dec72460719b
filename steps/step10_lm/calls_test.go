package lm_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step01_init"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	. "github.com/stubformer/stubformer/steps/step10_lm"
)

// learn runs forward and backward on a batch and returns share of its loss. If
// there are arguments "refused", the model is asked in between for those ids, which
// it must turn down.
func learn(m *LM, in subject.Args, share float32) (float64, error) {
	logits, err := m.Forward(in.IDs("ids"))
	if err != nil {
		return 0, err
	}
	loss, dlogits, err := loss(logits, in.IDs("targets"), share)
	if err != nil {
		return 0, err
	}
	if in.Has("refused") {
		if _, err := m.Forward(in.Rows("refused")); err == nil {
			return 0, subject.Broken("a Forward that had to be refused was not")
		}
	}
	m.Backward(dlogits)
	return loss, nil
}

// loss returns share of a batch's loss, and its gradient.
func loss(logits *tensor.Tensor, targets [][]int, share float32) (float64, *tensor.Tensor, error) {
	var c softmax.CrossEntropy
	loss, err := c.Forward(logits, targets)
	if err != nil {
		return 0, nil, err
	}
	dlogits := c.Backward().Clone()
	for i := range dlogits.Data {
		dlogits.Data[i] *= share
	}
	return float64(share) * loss, dlogits, nil
}

// divide deals the rows of a batch out to some workers: worker i takes the rows i,
// i+3, … All run forward before any of them runs backward, as at the same time.
func divide(workers []*LM, ids, targets [][]int) (total float64, err error) {
	backward := make([]func(), 0, len(workers))
	for i, w := range workers {
		var x, y [][]int
		for b := i; b < len(ids); b += len(workers) {
			x, y = append(x, ids[b]), append(y, targets[b])
		}
		if len(x) == 0 {
			continue
		}
		logits, err := w.Forward(x)
		if err != nil {
			return 0, err
		}
		part, dlogits, err := loss(logits, y, float32(len(x))/float32(len(ids)))
		if err != nil {
			return 0, err
		}
		total += part
		backward = append(backward, func() { w.Backward(dlogits) })
	}
	for _, run := range backward {
		run()
	}
	return total, nil
}

// side runs a model and a replica side by side, each on its own text, and returns what
// the first of them learns: of the model, or of the replica if there is an argument
// "swapped".
func side(in subject.Args, workers []*LM) (wire.Values, error) {
	first, second := workers[0], workers[1]
	if in.Has("swapped") {
		first, second = second, first
	}
	if in.Has("meetings") {
		return amid(in, []*LM{first, second, workers[2]})
	}
	ids, targets := in.IDs("other_ids"), in.IDs("other_targets")
	logits, err := first.Forward(in.IDs("ids"))
	if err != nil {
		return nil, err
	}
	others, err := second.Forward(ids)
	if err != nil {
		return nil, err
	}
	total, dlogits, err := loss(logits, in.IDs("targets"), 1)
	if err != nil {
		return nil, err
	}
	_, dothers, err := loss(others, targets, 1)
	if err != nil {
		return nil, err
	}
	first.Backward(dlogits)
	second.Backward(dothers)
	return gradients(total, first), nil
}

// amid lets the first worker learn while the others learn from other texts.
func amid(in subject.Args, workers []*LM) (wire.Values, error) {
	round := func(m *LM, ids, targets [][]int) wire.Values {
		for _, p := range m.Params() {
			clear(p.Grad.Data)
		}
		logits, err := m.Forward(ids)
		if err != nil {
			panic(err)
		}
		total, dlogits, err := loss(logits, targets, 1)
		if err != nil {
			panic(err)
		}
		m.Backward(dlogits)
		return gradients(total, m)
	}
	ids, targets := in.IDs("ids"), in.IDs("targets")
	others, next := in.IDs("other_ids"), in.IDs("other_targets")
	return in.Amid(in.Int("meetings"), func() wire.Values { return round(workers[0], ids, targets) },
		func(i int) { round(workers[1+i], others, next) }), nil
}

// names are those of a model's parameters, in the order of Params. Each call returns
// a list of its own, which the caller may sort as it likes.
func names(m *LM) string {
	slices.Reverse(m.Params())
	var all []string
	for _, p := range m.Params() {
		all = append(all, p.Name)
	}
	return strings.Join(all, " ")
}

// backwardOnly runs Backward with a gradient that is given, after a Forward if
// there are ids.
func backwardOnly(m *LM, in subject.Args) (wire.Values, error) {
	if in.Has("ids") {
		if _, err := m.Forward(in.IDs("ids")); err != nil {
			return nil, err
		}
	}
	m.Backward(in.Tensor("dlogits"))
	return gradients(0, m), nil
}

// ragged returns the ids. If there is an argument "ragged", the last row is a token
// shorter than the others.
func ragged(in subject.Args) [][]int {
	ids := in.IDs("ids")
	if in.Has("ragged") {
		last := &ids[len(ids)-1]
		*last = (*last)[:len(*last)-1]
	}
	return ids
}

// fresh returns New's model. A panic with the error of a wrong configuration is
// returned as an error.
func fresh(cfg Config, seed uint64) (m *LM, err error) {
	wrong := cfg.Validate()
	if wrong == nil {
		return New(cfg, seed), nil
	}
	defer func() {
		if r := recover(); r != nil {
			if _, isError := r.(error); !isError {
				panic(subject.Broken("New panicked with a %T, %v; want the error of Validate itself", r, r))
			}
			if !strings.Contains(fmt.Sprint(r), wrong.Error()) {
				panic(r)
			}
			err = wrong
		}
	}()
	return New(cfg, seed), nil
}

// drawn is what a fresh parameter holds: what step 01 draws from the stream of its
// name.
func drawn(p *tensor.Param, seed uint64) *tensor.Tensor {
	rng := initializers.Rand(seed, p.Name)
	switch shape := p.Value.Shape; {
	case len(shape) == 1:
		return initializers.Gain(shape[0])
	case p.Name == "token_embeddings.weight":
		return initializers.EmbeddingWeight(shape[0], shape[1], rng)
	default:
		return initializers.LinearWeight(shape[0], shape[1], rng)
	}
}

// gradients returns the loss and the sum of the workers' gradients.
func gradients(loss float64, workers ...*LM) wire.Values {
	out := wire.Values{"loss": wire.Float(loss)}
	for _, p := range workers[0].Params() {
		out["grad."+p.Name] = wire.Float32s(slices.Clone(p.Grad.Data), p.Grad.Shape...)
	}
	for _, w := range workers[1:] {
		for _, p := range w.Params() {
			for i, g := range p.Grad.Data {
				out["grad."+p.Name].F32[i] += g
			}
		}
	}
	return out
}
