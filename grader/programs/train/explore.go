package main

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/stubformer/stubformer/grader/programs/answers"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// explore answers questions until there are no more. A question that cannot be
// answered is refused, and the next one is read.
func (p program) explore(f folder, questions io.Reader) error {
	a, err := answers.New(f.after)
	if err != nil {
		return err
	}
	for d := json.NewDecoder(questions); ; {
		var q inside.Question
		if err := d.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer, err := a.Answer(q)
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

// after returns the model with the parameters after a step; nil is as it is.
func (f folder) after(step *int) (*lm.LM, error) {
	if step == nil {
		return f.load()
	}
	params, err := weights.Read(run.Snapshot(f.dir, *step))
	if err != nil {
		return nil, err
	}
	m := lm.New(f.model(), 0)
	return m, m.LoadState(params)
}
