package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/stubformer/stubformer/grader/programs/model"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	training "github.com/stubformer/stubformer/steps/step11_training"
	lora "github.com/stubformer/stubformer/steps/step17_lora"
)

// optimizer is AdamW: that of step 11, or the one that step 17 returns, which was made
// before its layer stood in the model.
type optimizer interface{ Step(lr float64) }

// pupil is a model, what of it is trained, and how that is saved.
type pupil struct {
	*lm.LM
	trained   []*tensor.Param
	optimizer optimizer
	state     func() map[string]*tensor.Tensor
}

// learn trains what a job says on its examples, and writes the result whole.
func (p program) learn(ctx context.Context, m *lm.LM, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var j run.Job
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	pupil, err := prepare(m, j)
	if err != nil {
		return err
	}
	count := 0
	for _, param := range pupil.trained {
		count += param.Value.Len()
	}
	p.Send(run.Event{Start: &run.Start{Params: count, Steps: j.Steps}})
	var examples []lora.Example
	for _, e := range j.Examples {
		examples = append(examples, lora.NewExample(e.Prompt, e.Answer, j.End))
	}
	rng, begun := rand.New(rand.NewPCG(j.Seed, 0x74756e65)), cputime.Process() // "tune"
	slices.SortStableFunc(examples, func(a, b lora.Example) int { return len(a.IDs) - len(b.IDs) })
	for step := 1; step <= j.Steps; step++ {
		if ctx.Err() != nil {
			return nil
		}
		// Neighbours have about one length, so that little is filled up.
		from := rng.IntN(max(1, len(examples)-j.Batch+1))
		batch := examples[from:min(from+j.Batch, len(examples))]
		lr := training.CosineSchedule(step, j.LR, j.LR/10, j.Warmup, j.Steps)
		loss, err := pupil.step(batch, j, lr)
		if err != nil {
			return err
		}
		p.Send(run.Event{Step: &run.Step{Step: step, Loss: loss, LR: lr}})
	}
	if err := weights.Write(j.Out, pupil.state()); err != nil {
		return err
	}
	p.Send(run.Event{Tuned: &run.Tuned{Params: count, Seconds: (cputime.Process() - begun).Seconds()}})
	return nil
}

// prepare gives the model fresh adapters, or lets all of its parameters be trained.
func prepare(m *lm.LM, j run.Job) (pupil, error) {
	if j.Rank == 0 {
		return pupil{m, m.Params(), training.NewAdamW(m.Params(), j.Beta1, j.Beta2, j.Eps, j.WeightDecay),
			func() map[string]*tensor.Tensor { return model.State(m) }}, nil
	}
	layers := adapted(m)
	if len(layers) == 0 {
		return pupil{}, fmt.Errorf("the model has no layer for an adapter")
	}
	rng, fresh := rand.New(rand.NewPCG(j.Seed, 0x6c6f7261)), map[string]*tensor.Tensor{} // "lora"
	names := slices.Sorted(maps.Keys(layers))
	for _, name := range names {
		out, in := layers[name].Weight.Value.Dim(0), layers[name].Weight.Value.Dim(1)
		a, b := lora.Init(out, in, j.Rank, rng)
		fresh[name+".lora_A"], fresh[name+".lora_B"] = a, b
		fresh[name+".alpha"] = tensor.From([]float32{float32(j.Alpha)}, 1)
	}
	if err := lora.Load(layers, fresh); err != nil {
		return pupil{}, err
	}
	var in []*lora.Linear
	u := pupil{LM: m, state: func() map[string]*tensor.Tensor { return lora.State(layers) }}
	for _, name := range names {
		in, u.trained = append(in, layers[name]), append(u.trained, layers[name].Params()...)
	}
	u.optimizer = lora.Optimizer(in, j.Beta1, j.Beta2, j.Eps, j.WeightDecay)
	return u, nil
}

// step makes one update from a batch and returns its loss before.
func (u pupil) step(batch []lora.Example, j run.Job, lr float64) (float64, error) {
	ids, targets, counted := lora.Batch(batch, j.End)
	for _, p := range slices.Concat(u.Params(), u.trained) {
		p.ZeroGrad()
	}
	logits, err := u.Forward(ids)
	if err != nil {
		return 0, err
	}
	var answers lora.AnswerLoss
	loss, err := answers.Forward(logits, targets, counted)
	if err != nil {
		return 0, err
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return 0, fmt.Errorf("the loss is %g: the training has diverged; a smaller learning rate may help, "+
			"or a gradient is wrong: go run ./cmd/grade step17", loss)
	}
	u.Backward(answers.Backward())
	training.ClipGradNorm(u.trained, j.MaxNorm)
	u.optimizer.Step(lr)
	return loss, nil
}
