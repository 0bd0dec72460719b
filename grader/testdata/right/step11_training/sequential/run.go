package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

type Report struct {
	Step                       int
	Loss, Norm, LR, Validation float64
	Saved                      bool
}

func (t *Trainer) Run(ctx context.Context, text, validation *Tokens, report func(Report)) error {
	o, rng, saved := t.Options, rand.New(t.pcg), -1
	save := func() error {
		if o.Checkpoint == "" || saved == t.Optimizer.Steps {
			return nil
		}
		saved = t.Optimizer.Steps
		return Save(o.Checkpoint, t.State())
	}
	for t.Optimizer.Steps < o.Steps && ctx.Err() == nil {
		step := t.Optimizer.Steps + 1
		ids, targets, err := text.Batch(rng, o.Batch, o.Context)
		if err != nil {
			return err
		}
		r := Report{Step: step, LR: CosineSchedule(step, o.LRMax, o.LRMin, o.Warmup, o.Steps), Validation: math.NaN()}
		u, err := t.Step(ids, targets, r.LR)
		if err != nil {
			return err
		}
		r.Loss, r.Norm = u.Loss, u.Norm
		if validation != nil && o.EvalEvery > 0 && step%o.EvalEvery == 0 {
			if r.Validation, err = t.Evaluate(validation); err != nil {
				return err
			}
		}
		if step == o.Steps || ctx.Err() != nil || o.SaveEvery > 0 && step%o.SaveEvery == 0 {
			if err := save(); err != nil {
				return err
			}
			r.Saved = o.Checkpoint != ""
		}
		if report != nil {
			report(r)
		}
	}
	err := save()
	if t.Optimizer.Steps < o.Steps {
		err = errors.Join(ctx.Err(), err)
	}
	return err
}

func (t *Trainer) Evaluate(text *Tokens) (float64, error) {
	rng, total := rand.New(rand.NewPCG(t.Options.Seed, 12345)), 0.0
	for range t.Options.EvalBatches {
		ids, targets, err := text.Batch(rng, t.Options.Batch, t.Options.Context)
		if err != nil {
			return 0, err
		}
		loss, err := t.Loss(ids, targets)
		if err != nil {
			return 0, err
		}
		total += loss
	}
	return total / float64(t.Options.EvalBatches), nil
}

func (t *Trainer) State() *State {
	s := &State{Config: t.Model.Config, Step: t.Optimizer.Steps, Params: map[string]*tensor.Tensor{},
		M: map[string]*tensor.Tensor{}, V: map[string]*tensor.Tensor{}}
	for i, p := range t.Optimizer.Params {
		s.Params[p.Name], s.M[p.Name], s.V[p.Name] = p.Value, t.Optimizer.M[i], t.Optimizer.V[i]
	}
	s.RNG, _ = t.pcg.MarshalBinary()
	return s
}

func (t *Trainer) Restore(s *State) error {
	pcg := rand.NewPCG(0, 0)
	if err := pcg.UnmarshalBinary(s.RNG); err != nil {
		return err
	}
	if s.Config != t.Model.Config || s.Step < 0 {
		return fmt.Errorf("the state is that of another model: %+v", s.Config)
	}
	own := t.State()
	pairs := []struct{ to, from map[string]*tensor.Tensor }{{own.Params, s.Params}, {own.M, s.M}, {own.V, s.V}}
	for _, pair := range pairs {
		for name, to := range pair.to {
			if from := pair.from[name]; from == nil || !from.SameShape(to) {
				return fmt.Errorf("%s is missing or has another shape", name)
			}
		}
		if len(pair.from) != len(pair.to) {
			return fmt.Errorf("the state holds %d tensors of a kind; want %d", len(pair.from), len(pair.to))
		}
	}
	for _, pair := range pairs {
		for name, to := range pair.to {
			copy(to.Data, pair.from[name].Data)
		}
	}
	t.Optimizer.Steps, *t.pcg = s.Step, *pcg
	return nil
}

func Resume(path string, o Options) (*Trainer, error) {
	s, err := Load(path)
	if err != nil {
		return nil, err
	}
	t, err := NewTrainer(s.Config, o)
	if err != nil {
		return nil, err
	}
	return t, t.Restore(s)
}
