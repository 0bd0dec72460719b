package training

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

type Options struct {
	Batch, Context, Shards            int
	Steps, Warmup                     int
	LRMax, LRMin                      float64
	Beta1, Beta2, Eps, WeightDecay    float64
	MaxNorm                           float64
	Seed                              uint64
	EvalEvery, EvalBatches, SaveEvery int
	Checkpoint                        string
}

type Trainer struct {
	Model     *lm.LM
	Optimizer *AdamW
	Options   Options

	workers []*worker
	source  *rand.PCG
}

type worker struct {
	net  *lm.LM
	ce   softmax.CrossEntropy
	loss float64
	err  error
}

func NewTrainer(cfg lm.Config, o Options) (*Trainer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if o.Shards < 1 || o.Context > cfg.ContextLength {
		return nil, fmt.Errorf("shards is %d and context %d", o.Shards, o.Context)
	}
	t := &Trainer{Model: lm.New(cfg, o.Seed), Options: o, source: rand.NewPCG(o.Seed, 2)}
	for i := range o.Shards {
		w := &worker{net: t.Model}
		if i > 0 {
			w.net = t.Model.Replica()
		}
		t.workers = append(t.workers, w)
	}
	t.Optimizer = NewAdamW(t.Model.Params(), o.Beta1, o.Beta2, o.Eps, o.WeightDecay)
	return t, nil
}

type Update struct{ Loss, Norm float64 }

func (t *Trainer) Step(ids, targets [][]int, lr float64) (Update, error) {
	for _, w := range t.workers {
		for _, p := range w.net.Params() {
			p.ZeroGrad()
		}
	}
	loss, err := t.share(ids, targets, true)
	if err != nil {
		return Update{}, err
	}
	for _, w := range t.workers[1:] {
		others := w.net.Params()
		for i, p := range t.Optimizer.Params {
			for j, g := range others[i].Grad.Data {
				p.Grad.Data[j] += g
			}
		}
	}
	norm := ClipGradNorm(t.Optimizer.Params, t.Options.MaxNorm)
	t.Optimizer.Step(lr)
	return Update{Loss: loss, Norm: norm}, nil
}

func (t *Trainer) Loss(ids, targets [][]int) (float64, error) { return t.share(ids, targets, false) }

// share gives every worker its part of the batch.
func (t *Trainer) share(ids, targets [][]int, backward bool) (loss float64, err error) {
	if len(ids) == 0 || len(ids) != len(targets) {
		return 0, tensor.ShapeError{Op: "Trainer", Got: []int{len(targets)}, Want: []int{len(ids)}}
	}
	n := min(len(ids), len(t.workers))
	var done sync.WaitGroup
	weights := make([]float64, n)
	for i, w := range t.workers[:n] {
		lo, hi := len(ids)*i/n, len(ids)*(i+1)/n
		weights[i] = float64(hi-lo) / float64(len(ids))
		done.Go(func() { w.work(ids[lo:hi], targets[lo:hi], weights[i], backward) })
	}
	done.Wait()
	for i, w := range t.workers[:n] {
		if w.err != nil {
			return 0, w.err
		}
		loss += weights[i] * w.loss
	}
	return loss, nil
}

func (w *worker) work(ids, targets [][]int, weight float64, backward bool) {
	var logits *tensor.Tensor
	if logits, w.err = w.net.Forward(ids); w.err != nil {
		return
	}
	if w.loss, w.err = w.ce.Forward(logits, targets); w.err != nil || !backward {
		return
	}
	d := w.ce.Backward()
	for i := range d.Data {
		d.Data[i] *= float32(weight)
	}
	w.net.Backward(d)
}
