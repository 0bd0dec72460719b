package training_test

import (
	"slices"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/wire"
	. "github.com/stubformer/stubformer/steps/step11_training"
)

// badBatch makes a step from a batch that is to be refused, or finds its loss if there is
// an argument "loss"; with "evaluate" it evaluates on a text of its ids. It returns
// whether the batch was refused, with which words, and whether that changed the trainer.
// Then the trainer is given a good batch, and badBatch returns whether it goes on
// otherwise than a trainer that was not asked. Before
// Loss both make an update, which leaves a gradient.
func badBatch(in subject.Args) (wire.Values, error) {
	cfg, o := configure(in)
	o.EvalBatches = 2
	good := func(t *Trainer) error {
		_, err := t.Step(in.IDs("good_ids"), in.IDs("good_targets"), o.LRMax)
		return err
	}
	var trainers [2]*Trainer
	for i := range trainers {
		t, err := NewTrainer(cfg, o)
		if err == nil && in.Has("loss") {
			err = good(t)
		}
		if err != nil {
			return nil, err
		}
		trainers[i] = t
	}
	asked, other := trainers[0], trainers[1]
	changed, err := changes(asked, in.Has("loss"), func() (err error) {
		switch {
		case in.Has("evaluate"):
			err = withTokens(slices.Concat(in.IDs("ids")...), func(text *Tokens) error {
				_, err := asked.Evaluate(text)
				return err
			})
		case in.Has("loss"):
			_, err = asked.Loss(ragged(in, "ids"), ragged(in, "targets"))
		default:
			_, err = asked.Step(ragged(in, "ids"), ragged(in, "targets"), o.LRMax)
		}
		return err
	})
	refused, message := refusal(err)
	out := wire.Values{"refused": refused, "message": message, "changed": flag(changed), "after": flag(false)}
	if !in.Has("good_ids") {
		return out, nil
	}
	if err := good(other); err != nil {
		return nil, err
	}
	if err := good(asked); err != nil {
		out["after"], out["message"] = flag(true), wire.String(err.Error())
		return out, nil
	}
	out["after"] = flag(!same(snapshot(asked, true), snapshot(other, true)))
	return out, nil
}

// ragged returns integers. If there is an argument "ragged", the last row of targets
// is one shorter than the others.
func ragged(in subject.Args, name string) [][]int {
	all := in.IDs(name)
	if name == "targets" && in.Has("ragged") {
		last := &all[len(all)-1]
		*last = (*last)[:len(*last)-1]
	}
	return all
}

// changes reports whether a call changes a trainer, and returns its error.
func changes(t *Trainer, gradients bool, call func() error) (changed bool, err error) {
	before := snapshot(t, gradients)
	err = call()
	return !same(before, snapshot(t, gradients)), err
}

// snapshot is a copy of a trainer's state, with its model's gradients if asked for.
func snapshot(t *Trainer, gradients bool) wire.Values {
	s := t.State()
	out := wire.Values{"step": wire.Int(t.Optimizer.Steps), "rng": wire.String(string(s.RNG))}
	for i, p := range t.Model.Params() {
		out[p.Name], out["m/"+p.Name], out["v/"+p.Name] = wire.Tensor(p.Value), wire.Tensor(t.Optimizer.M[i]),
			wire.Tensor(t.Optimizer.V[i])
		if gradients {
			out["grad/"+p.Name] = wire.Tensor(p.Grad)
		}
	}
	return out.Clone()
}

func same(a, b wire.Values) bool {
	for name, x := range a {
		if y := b[name]; !slices.Equal(x.F32, y.F32) || !slices.Equal(x.I64, y.I64) || x.Text != y.Text {
			return false
		}
	}
	return true
}
