// Package answers answers what can be asked about a model while it reads a text, see
// package inside, with the student's own functions.
package answers

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// Answerer answers questions about one model.
type Answerer struct {
	load     func(snapshot *int) (*lm.LM, error)
	model    *lm.LM
	snapshot *int     // whose parameters the model has
	reading  *reading // the last
	writing  *writing // the last
}

// New returns what answers questions about a model. load returns it with the parameters
// of a step of its training, or with nil as it is.
func New(load func(snapshot *int) (*lm.LM, error)) (*Answerer, error) {
	m, err := load(nil)
	return &Answerer{load: load, model: m}, err
}

// Answer answers a question.
func (a *Answerer) Answer(q inside.Question) (any, error) {
	if err := a.check(q); err != nil {
		return nil, err
	}
	if err := a.choose(q.Snapshot); err != nil {
		return nil, err
	}
	switch q.Ask {
	case inside.Without:
		return a.each(q)
	case inside.Write:
		return a.write(q)
	}
	r, err := a.read(q)
	if err != nil {
		return nil, err
	}
	switch q.Ask {
	case inside.Read:
		return r.Reading, nil
	case inside.Look:
		return a.look(r, q)
	case inside.Attention:
		return r.attention(q.Layer), nil
	}
	return nil, fmt.Errorf("there is no question %q", q.Ask)
}

// check returns an error unless a question's numbers are in range.
func (a *Answerer) check(q inside.Question) error {
	if n := len(q.IDs); n == 0 || q.Ask != inside.Write && n > a.model.Config.ContextLength {
		return fmt.Errorf("the text has %d tokens; want 1 to %d", n, a.model.Config.ContextLength)
	}
	layered := q.Ask == inside.Attention || q.Ask == inside.Without
	if layered && (q.Layer < 1 || q.Layer > a.model.Config.NumLayers) {
		return fmt.Errorf("there is no layer %d; want 1 to %d", q.Layer, a.model.Config.NumLayers)
	}
	if q.Ask == inside.Look && (q.At < 1 || q.At > len(q.IDs)) {
		return fmt.Errorf("token %d was not foretold; want 1 to %d", q.At, len(q.IDs))
	}
	drawn := q.Ask == inside.Look || q.Ask == inside.Write
	if drawn && (!(q.Temperature >= 0) || math.IsInf(q.Temperature, 0) || !(q.TopP > 0 && q.TopP <= 1)) {
		return fmt.Errorf("the temperature is %g and top-p %g; want a temperature from 0 up, and a top-p above 0 and at most 1",
			q.Temperature, q.TopP)
	}
	known := inside.AllParts(a.model.Config.NumLayers, a.model.Config.NumHeads)
	for _, part := range q.Off {
		if !slices.Contains(known, part) {
			return fmt.Errorf("the model has no part %q", part)
		}
	}
	return nil
}

// choose gives the model the parameters after a step.
func (a *Answerer) choose(step *int) error {
	same := step == nil && a.snapshot == nil || step != nil && a.snapshot != nil && *step == *a.snapshot
	if same {
		return nil
	}
	m, err := a.load(step)
	if err == nil {
		a.model, a.snapshot, a.reading, a.writing = m, step, nil, nil
	}
	return err
}

// each leaves out each part of a layer in turn, besides those that are left out
// anyway.
func (a *Answerer) each(q inside.Question) ([]inside.Loss, error) {
	var all []inside.Loss
	for _, part := range inside.Parts(q.Layer, a.model.Config.NumHeads) {
		err := a.without(append(slices.Clone(q.Off), part), func(m *lm.LM) error {
			logits, err := Logits(m, q.IDs)
			if err == nil {
				all = append(all, inside.Loss{Part: part, Reading: surprises(logits, q.IDs)})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Logits runs a model and returns its logits (1, T, V), all of them finite.
func Logits(m *lm.LM, ids []int) (*tensor.Tensor, error) {
	logits, err := m.Forward([][]int{ids})
	if err != nil {
		return nil, err
	}
	tensor.CheckShape("the logits", logits, 1, len(ids), m.Config.VocabSize)
	return logits, finite(logits)
}

// finite returns an error if a logit is not.
func finite(logits *tensor.Tensor) error {
	for _, x := range logits.Data {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return errors.New("the model's logits are not finite; its parameters may have diverged")
		}
	}
	return nil
}

// surprises says how well a text was foretold by its logits (1, T, V).
func surprises(logits *tensor.Tensor, ids []int) inside.Reading {
	r := inside.Reading{Surprise: []float64{}}
	for t, next := range ids[1:] {
		s := Surprise(logits.Row(t), next)
		r.Surprise = append(r.Surprise, s)
		r.Loss += s / float64(len(ids)-1)
	}
	return r
}

// Surprise is −log p of a token by a row of logits, in nats.
func Surprise(logits []float32, token int) float64 {
	largest := math.Inf(-1)
	for _, x := range logits {
		largest = max(largest, float64(x))
	}
	sum := 0.0
	for _, x := range logits {
		sum += math.Exp(float64(x) - largest)
	}
	return largest + math.Log(sum) - float64(logits[token])
}
