package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/grader/programs/talk"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	training "github.com/stubformer/stubformer/steps/step11_training"
	seq2seq "github.com/stubformer/stubformer/steps/step20_seq2seq"
)

// shards is into how many parts a batch is cut, a core each. The gradients are summed in
// order, so that the result does not depend on how many cores there are.
const shards = 2

// pair is a source and its target, in tokens.
type pair struct{ source, target []int }

// worker learns from its part of a batch, with gradients of its own.
type worker struct {
	model  *seq2seq.Transformer
	params []*tensor.Param
	loss   seq2seq.Smoothing
}

// learner is a model that learns.
type learner struct {
	talk.Line
	run.Pairs
	dir     string
	params  []*tensor.Param
	workers []*worker
	adam    *training.AdamW
	log     *run.Log
	states  []state // of which the mean is saved, the oldest first
}

// learn trains until all updates are made or ctx is done, and keeps the result.
func learn(ctx context.Context, l talk.Line, dir string, c run.Pairs) (err error) {
	unlock, err := run.Lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	pairs, err := tokens(c)
	if err != nil {
		return err
	}
	log, err := run.OpenLog(dir, -1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	t := &learner{Line: l, Pairs: c, dir: dir, log: log}
	assemble(c, fresh(c.Seed, &t.params))
	for range shards {
		w := &worker{loss: seq2seq.Smoothing{Epsilon: c.Recipe.Smoothing}}
		w.model = assemble(c, replicas(t.params, &w.params))
		t.workers = append(t.workers, w)
	}
	t.adam = training.NewAdamW(t.params, c.Recipe.Beta1, c.Recipe.Beta2, c.Recipe.Eps, 0)
	return t.run(ctx, pairs)
}

// tokens returns the pairs to learn from.
func tokens(c run.Pairs) ([]pair, error) {
	var pairs []pair
	read, write := c.Source.Encoder(), c.Target.Encoder()
	for _, p := range c.Learnt() {
		source, err := read(p.Source)
		if err != nil {
			return nil, err
		}
		target, err := write(p.Target)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair{source, target})
	}
	return pairs, nil
}

// run makes the updates, each from pairs that are drawn.
func (t *learner) run(ctx context.Context, pairs []pair) error {
	count := 0
	for _, p := range t.params {
		count += p.Value.Len()
	}
	r := t.Recipe
	t.Send(run.Event{Start: &run.Start{Params: count, Steps: r.Steps}})
	batch := make([]pair, r.Batch)
	rng, begun, made := rand.New(rand.NewPCG(t.Seed, 0x7061697273)), cputime.Process(), 0 // "pairs"
	for step := 1; step <= r.Steps && ctx.Err() == nil; step++ {
		for i := range batch {
			batch[i] = pairs[rng.IntN(len(pairs))]
		}
		lr := seq2seq.Rate(step, t.Model.DModel, r.Warmup)
		s, err := t.step(batch, lr)
		if err != nil {
			return err
		}
		s.Step, made = step, step
		if err := t.log.Append(s); err != nil {
			return err
		}
		t.Send(run.Event{Step: &s})
		if step%r.SaveEvery == 0 {
			if err := t.save(step); err != nil {
				return err
			}
		}
	}
	if made > 0 && made%r.SaveEvery != 0 {
		if err := t.save(made); err != nil {
			return err
		}
	}
	t.Send(run.Event{Tuned: &run.Tuned{Params: count, Seconds: (cputime.Process() - begun).Seconds()}})
	return nil
}

// state is what the parameters were after an update.
type state struct {
	step   int
	values []*tensor.Tensor
}

// save writes the mean of the states of the last quarter of the updates, whole: with a rate
// that falls as slowly as that of 2017, each state alone is a little beside the place around
// which the updates move.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, section 6.1.
func (t *learner) save(step int) error {
	now := state{step: step}
	for _, p := range t.params {
		now.values = append(now.values, tensor.From(slices.Clone(p.Value.Data), p.Value.Shape...))
	}
	t.states = slices.DeleteFunc(append(t.states, now), func(s state) bool { return 4*s.step <= 3*step })
	kept := map[string]*tensor.Tensor{}
	for i, p := range t.params {
		kept[p.Name] = tensor.New(p.Value.Shape...)
		for _, s := range t.states {
			kernel.Axpy(1/float32(len(t.states)), s.values[i].Data, kept[p.Name].Data)
		}
	}
	if err := weights.Write(filepath.Join(t.dir, run.WeightsFile), kept); err != nil {
		return err
	}
	t.Send(run.Event{Saved: &run.Saved{Step: step}})
	return nil
}

// step makes one update, and says what was known before it.
func (t *learner) step(batch []pair, lr float64) (run.Step, error) {
	losses, shares, errs := make([]float64, shards), make([]float64, shards), make([]error, shards)
	all := counted(batch)
	var wait sync.WaitGroup
	for i, w := range t.workers {
		part := batch[i*len(batch)/shards : (i+1)*len(batch)/shards]
		if len(part) == 0 {
			continue
		}
		shares[i] = float64(counted(part)) / float64(all)
		wait.Go(func() { losses[i], errs[i] = w.learn(part) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return run.Step{}, err
	}
	loss := 0.0
	for i, w := range t.workers {
		loss += shares[i] * losses[i]
		for j, p := range t.params {
			if i == 0 {
				p.ZeroGrad()
			}
			kernel.Axpy(float32(shares[i]), w.params[j].Grad.Data, p.Grad.Data)
		}
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return run.Step{}, fmt.Errorf("the loss is %g: the training has diverged; another --seed may help, "+
			"or a gradient is wrong: go run ./cmd/grade step20", loss)
	}
	norm := training.ClipGradNorm(t.params, t.Recipe.MaxNorm)
	t.adam.Step(lr)
	return run.Step{Loss: loss, LR: lr, GradNorm: norm}, nil
}

// counted is how many tokens of a batch are to be foretold: those of the targets and an end
// each.
func counted(batch []pair) (n int) {
	for _, p := range batch {
		n += len(p.target) + 1
	}
	return n
}

// learn returns the loss of a part of a batch, and leaves its gradients.
func (w *worker) learn(part []pair) (float64, error) {
	longest := 0
	for _, p := range part {
		longest = max(longest, len(p.source))
	}
	var sources, targets [][]int
	for _, p := range part {
		source := make([]int, longest) // the rest is padding
		copy(source, p.source)
		sources, targets = append(sources, source), append(targets, p.target)
	}
	for _, p := range w.params {
		p.ZeroGrad()
	}
	inputs, labels := seq2seq.Teach(targets)
	logits, err := w.model.Forward(sources, inputs)
	if err != nil {
		return 0, err
	}
	loss, err := w.loss.Forward(logits, labels)
	if err != nil {
		return 0, err
	}
	w.model.Backward(w.loss.Backward())
	return loss, nil
}
