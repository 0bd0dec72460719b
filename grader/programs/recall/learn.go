package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sync"

	"github.com/stubformer/stubformer/grader/programs/model"
	"github.com/stubformer/stubformer/grader/programs/talk"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/corpus"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/kernel"
	"github.com/stubformer/stubformer/reference/tensor"
	softmax "github.com/stubformer/stubformer/steps/step07_softmax"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	training "github.com/stubformer/stubformer/steps/step11_training"
)

// shards is into how many parts a batch is cut, a core each. The gradients are summed in
// order, so that the result does not depend on how many cores there are.
const shards = 2

// worker learns from its part of a batch, with gradients of its own.
type worker struct {
	model  *lm.LM
	params []*tensor.Param
	loss   softmax.CrossEntropy

	asked, back *tensor.Tensor // (B, N, V), logits where something is asked; (B, 3N, V), their gradient
}

// learner is a model that learns.
type learner struct {
	talk.Line
	run.Recall
	workers []*worker // the first works on the model itself
	adam    *training.AdamW
}

// learn trains until all updates are made, asks for what was kept back, and keeps the result.
func learn(ctx context.Context, l talk.Line, dir string, c run.Recall) (err error) {
	unlock, err := run.Lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	log, err := run.OpenLog(dir, -1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	t := newLearner(l, c)
	params := t.workers[0].params
	count := 0
	for _, p := range params {
		count += p.Value.Len()
	}
	t.Send(run.Event{Start: &run.Start{Params: count, Steps: c.Recipe.Steps}})
	rng, begun := rand.New(rand.NewPCG(c.Seed, 0x726563616c6c)), cputime.Process() // "recall"
	for step := 1; step <= c.Recipe.Steps; step++ {
		if ctx.Err() != nil {
			return nil
		}
		s, err := t.step(step, t.batch(rng))
		if err != nil {
			return err
		}
		if err := log.Append(s); err != nil {
			return err
		}
		t.Send(run.Event{Step: &s})
	}
	if t.Scores, err = t.examine(); err != nil {
		return err
	}
	if err := weights.Write(filepath.Join(dir, run.WeightsFile), model.State(t.workers[0].model)); err != nil {
		return err
	}
	if err := t.Write(dir); err != nil {
		return err
	}
	t.Send(run.Event{Tuned: &run.Tuned{Params: count, Seconds: (cputime.Process() - begun).Seconds()}})
	t.Send(run.Event{Saved: &run.Saved{Step: c.Recipe.Steps}})
	return nil
}

func newLearner(l talk.Line, c run.Recall) *learner {
	t := &learner{Line: l, Recall: c}
	m := lm.New(model.Config(c.Config()), c.Seed)
	t.workers = append(t.workers, &worker{model: m, params: m.Params()})
	for range shards - 1 {
		m := m.Replica()
		t.workers = append(t.workers, &worker{model: m, params: m.Params()})
	}
	r := c.Recipe
	t.adam = training.NewAdamW(t.workers[0].params, r.Beta1, r.Beta2, r.Eps, r.WeightDecay)
	return t
}

// batch draws the texts of an update, all of as many pairs.
func (t *learner) batch(rng *rand.Rand) []corpus.Recall {
	pairs := t.Recipe.Pairs[rng.IntN(len(t.Recipe.Pairs))]
	return corpus.Recalls(rng.Uint64(), max(shards, t.Recipe.Answers/pairs), pairs, false)
}

// step makes one update, and says what was known before it.
func (t *learner) step(step int, batch []corpus.Recall) (run.Step, error) {
	losses, errs := make([]float64, shards), make([]error, shards)
	share := func(i int) (part []corpus.Recall, share float64) {
		part = batch[i*len(batch)/shards : (i+1)*len(batch)/shards]
		return part, float64(len(part)) / float64(len(batch))
	}
	var wait sync.WaitGroup
	for i, w := range t.workers {
		part, _ := share(i)
		wait.Go(func() { losses[i], errs[i] = w.learn(part) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return run.Step{}, err
	}
	loss, params := 0.0, t.workers[0].params
	for i, w := range t.workers {
		_, share := share(i)
		loss += share * losses[i]
		for j, p := range params {
			kernel.Scale(float32(share), w.params[j].Grad.Data)
			if i > 0 {
				kernel.Add(p.Grad.Data, p.Grad.Data, w.params[j].Grad.Data)
			}
		}
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return run.Step{}, fmt.Errorf("the loss is %g: the training has diverged; another --seed may help, "+
			"or a gradient is wrong: go run ./cmd/grade all --own-stack", loss)
	}
	r := t.Recipe
	s := run.Step{Step: step, Loss: loss, LR: training.CosineSchedule(step, r.LRMax, r.LRMin, r.Warmup, r.Steps)}
	s.GradNorm = training.ClipGradNorm(params, r.MaxNorm)
	t.adam.Step(s.LR)
	return s, nil
}

// learn returns the loss of a part of a batch, and leaves its gradients.
func (w *worker) learn(part []corpus.Recall) (float64, error) {
	for _, p := range w.params {
		p.ZeroGrad()
	}
	answers, err := w.read(part)
	if err != nil {
		return 0, err
	}
	loss, err := w.loss.Forward(w.asked, answers)
	if err != nil {
		return 0, err
	}
	n, pairs := len(part), len(answers[0])
	w.back = tensor.Reuse(w.back, n, 3*pairs, w.asked.Dim(2))
	w.back.Zero() // elsewhere nothing is asked
	gradient := w.loss.Backward()
	for b := range n {
		copy(w.back.SliceRows((3*b+2)*pairs, (3*b+3)*pairs).Data, gradient.SliceRows(b*pairs, (b+1)*pairs).Data)
	}
	w.model.Backward(w.back)
	return loss, nil
}

// read lets the model read some texts, keeps the logits at the places where it is asked, and
// returns what is right there.
func (w *worker) read(texts []corpus.Recall) (answers [][]int, err error) {
	var ids [][]int
	for _, t := range texts {
		ids, answers = append(ids, t.Tokens), append(answers, t.Answers)
	}
	logits, err := w.model.Forward(ids)
	if err != nil {
		return nil, err
	}
	n, pairs := len(texts), len(answers[0])
	tensor.CheckShape("the logits", logits, n, 3*pairs, w.model.Config.VocabSize)
	w.asked = tensor.Reuse(w.asked, n, pairs, logits.Dim(2))
	for b := range n {
		copy(w.asked.SliceRows(b*pairs, (b+1)*pairs).Data, logits.SliceRows((3*b+2)*pairs, (3*b+3)*pairs).Data)
	}
	return answers, nil
}

// examine asks for what was kept back.
func (t *learner) examine() ([]run.RecallScore, error) {
	var all []run.RecallScore
	for _, pairs := range t.Recipe.Pairs {
		s, w, texts := run.RecallScore{Pairs: pairs}, t.workers[0], t.HeldOut(pairs)
		for from := 0; from < len(texts); {
			to := min(len(texts), from+max(1, t.Recipe.Answers/pairs))
			answers, err := w.read(texts[from:to])
			if err != nil {
				return nil, err
			}
			for b, right := range answers {
				for i, value := range right {
					s.Asked++
					if likeliest(w.asked.Row(b*pairs+i)) == value {
						s.Right++
					}
				}
			}
			from = to
		}
		all = append(all, s)
	}
	return all, nil
}

// likeliest returns the token with the largest logit, the first of several.
func likeliest(logits []float32) (token int) {
	for i, x := range logits {
		if x > logits[token] {
			token = i
		}
	}
	return token
}
