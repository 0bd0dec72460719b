package main

import (
	"github.com/stubformer/stubformer/grader/programs/answers"
	"github.com/stubformer/stubformer/grader/programs/talk"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
)

// explore answers questions until there are no more.
func (p program) explore(f folder) error {
	a, err := answers.New(f.after)
	if err != nil {
		return err
	}
	return talk.Serve(p.Line, func(q inside.Question) (any, error) { return a.Answer(q) })
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
