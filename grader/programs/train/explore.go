package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// explorer answers questions about the model of a folder.
type explorer struct {
	folder
	model    *lm.LM
	snapshot *int     // whose parameters the model has
	reading  *reading // the last
}

// explore answers questions until there are no more. A question that cannot be
// answered is refused, and the next one is read.
func (p program) explore(f folder, questions io.Reader) error {
	m, err := f.load()
	if err != nil {
		return err
	}
	e := explorer{folder: f, model: m}
	for d := json.NewDecoder(questions); ; {
		var q inside.Question
		if err := d.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer, err := e.answer(q)
		if err != nil {
			p.send(run.Event{Refused: err.Error()})
			continue
		}
		data, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		p.send(run.Event{Answer: data})
	}
}

// answer answers a question.
func (e *explorer) answer(q inside.Question) (any, error) {
	if err := e.check(q); err != nil {
		return nil, err
	}
	if err := e.choose(q.Snapshot); err != nil {
		return nil, err
	}
	switch q.Ask {
	case inside.Without:
		return e.each(q)
	case inside.Write:
		return e.write(q)
	}
	r, err := e.read(q)
	if err != nil {
		return nil, err
	}
	switch q.Ask {
	case inside.Read:
		return r.Reading, nil
	case inside.Look:
		return e.look(r, q)
	case inside.Attention:
		return r.attention(q.Layer), nil
	}
	return nil, fmt.Errorf("there is no question %q", q.Ask)
}

// check returns an error unless a question's numbers are in range.
func (e *explorer) check(q inside.Question) error {
	if n := len(q.IDs); n == 0 || q.Ask != inside.Write && n > e.Model.ContextLength {
		return fmt.Errorf("the text has %d tokens; want 1 to %d", n, e.Model.ContextLength)
	}
	layered := q.Ask == inside.Attention || q.Ask == inside.Without
	if layered && (q.Layer < 1 || q.Layer > e.Model.NumLayers) {
		return fmt.Errorf("there is no layer %d; want 1 to %d", q.Layer, e.Model.NumLayers)
	}
	if q.Ask == inside.Look && (q.At < 1 || q.At > len(q.IDs)) {
		return fmt.Errorf("token %d was not foretold; want 1 to %d", q.At, len(q.IDs))
	}
	drawn := q.Ask == inside.Look || q.Ask == inside.Write
	if drawn && (!(q.Temperature >= 0) || math.IsInf(q.Temperature, 0) || !(q.TopP > 0 && q.TopP <= 1)) {
		return fmt.Errorf("the temperature is %g and top-p %g; want a temperature from 0 up, and a top-p above 0 and at most 1",
			q.Temperature, q.TopP)
	}
	known := inside.AllParts(e.Model.NumLayers, e.Model.NumHeads)
	for _, part := range q.Off {
		if !slices.Contains(known, part) {
			return fmt.Errorf("the model has no part %q", part)
		}
	}
	return nil
}

// choose gives the model the parameters after a step.
func (e *explorer) choose(step *int) error {
	same := step == nil && e.snapshot == nil || step != nil && e.snapshot != nil && *step == *e.snapshot
	if same {
		return nil
	}
	m, err := (*lm.LM)(nil), error(nil)
	if step == nil {
		m, err = e.load()
	} else {
		var params map[string]*tensor.Tensor
		if params, err = weights.Read(run.Snapshot(e.dir, *step)); err == nil {
			m = lm.New(e.model.Config, 0)
			err = m.LoadState(params)
		}
	}
	if err == nil {
		e.model, e.snapshot, e.reading = m, step, nil
	}
	return err
}

// each leaves out each part of a layer in turn, besides those that are left out
// anyway.
func (e *explorer) each(q inside.Question) ([]inside.Loss, error) {
	var all []inside.Loss
	for _, part := range inside.Parts(q.Layer, e.Model.NumHeads) {
		err := e.without(append(slices.Clone(q.Off), part), func(m *lm.LM) error {
			logits, err := logitsOf(m, q.IDs)
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

// write draws the tokens that follow. Where they stand decides the draws together
// with the seed, so that it makes no difference how many are asked for at once.
func (e *explorer) write(q inside.Question) ([]int, error) {
	text := slices.Clone(q.IDs)
	err := e.without(q.Off, func(m *lm.LM) error {
		for range q.Tokens {
			logits, err := logitsOf(m, text[max(0, len(text)-e.Model.ContextLength):])
			if err != nil {
				return err
			}
			rng := rand.New(rand.NewPCG(q.Seed, uint64(len(text))))
			next := lm.Draw(lm.Distribution(logits.Row(logits.Rows()-1), q.Temperature, q.TopP), rng)
			if next == q.Stop {
				return nil
			}
			text = append(text, next)
		}
		return nil
	})
	return append([]int{}, text[len(q.IDs):]...), err
}

// logitsOf runs a model and returns its logits (1, T, V), all of them finite.
func logitsOf(m *lm.LM, ids []int) (*tensor.Tensor, error) {
	logits, err := m.Forward([][]int{ids})
	if err != nil {
		return nil, err
	}
	tensor.CheckShape("the logits", logits, 1, len(ids), m.Config.VocabSize)
	for _, x := range logits.Data {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, errors.New("the model's logits are not finite; its parameters may have diverged")
		}
	}
	return logits, nil
}

// surprises says how well a text was foretold by its logits (1, T, V).
func surprises(logits *tensor.Tensor, ids []int) inside.Reading {
	r := inside.Reading{Surprise: []float64{}}
	for t, next := range ids[1:] {
		s := surprise(logits.Row(t), next)
		r.Surprise = append(r.Surprise, s)
		r.Loss += s / float64(len(ids)-1)
	}
	return r
}
