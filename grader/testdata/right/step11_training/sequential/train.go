package training

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step07_softmax"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// Options are the choices of a training run.
type Options struct {
	Batch   int `json:"batch"`   // B, sequences in an update
	Context int `json:"context"` // T, tokens in a sequence
	Shards  int `json:"shards"`  // parts that a batch is cut into; see Step

	Steps  int     `json:"steps"`  // updates in all
	Warmup int     `json:"warmup"` // updates before the learning rate is at its largest
	LRMax  float64 `json:"lr_max"`
	LRMin  float64 `json:"lr_min"` // what it has come down to at the end

	Beta1       float64 `json:"beta1"`
	Beta2       float64 `json:"beta2"`
	Eps         float64 `json:"eps"`
	WeightDecay float64 `json:"weight_decay"`
	MaxNorm     float64 `json:"max_norm"` // of the gradient

	Seed uint64 `json:"seed"` // of the fresh parameters and of the batches

	EvalEvery   int    `json:"eval_every"`   // updates between two evaluations; 0 for none
	EvalBatches int    `json:"eval_batches"` // batches in an evaluation
	SaveEvery   int    `json:"save_every"`   // updates between two checkpoints; 0 for one at the end only
	Checkpoint  string `json:"checkpoint"`   // path of the checkpoint; "" for none at all
}

// validate returns an error that names everything that is wrong, or nil.
func (o Options) validate(cfg lm.Config) error {
	var wrong []error
	for _, field := range []struct {
		name       string
		got, least int
	}{
		{"batch", o.Batch, 1}, {"context", o.Context, 1}, {"shards", o.Shards, 1}, {"steps", o.Steps, 0},
		{"warmup", o.Warmup, 0}, {"eval_every", o.EvalEvery, 0}, {"save_every", o.SaveEvery, 0},
	} {
		if field.got < field.least {
			wrong = append(wrong, fmt.Errorf("%s is %d; want at least %d", field.name, field.got, field.least))
		}
	}
	if o.Context > cfg.ContextLength {
		wrong = append(wrong, fmt.Errorf("context is %d, but the model's context_length is %d", o.Context, cfg.ContextLength))
	}
	if o.EvalEvery > 0 && o.EvalBatches < 1 {
		wrong = append(wrong, fmt.Errorf("eval_batches is %d; want at least 1", o.EvalBatches))
	}
	if !(o.MaxNorm > 0) {
		wrong = append(wrong, fmt.Errorf("max_norm is %g; want a number above 0, and a large one for no clipping", o.MaxNorm))
	}
	return errors.Join(append(wrong, cfg.Validate())...)
}

// Trainer gives every shard a replica, keeps the model itself for none of them,
// and sums the gradients in float64.
type Trainer struct {
	Model     *lm.LM
	Optimizer *AdamW
	Options   Options

	shards []*shard
	pcg    *rand.PCG
}

// shard is a part of the batch.
type shard struct {
	model        *lm.LM
	params       []*tensor.Param
	loss         softmax.CrossEntropy
	ids, targets [][]int
	value        float64
	err          error
	panicked     any
}

func NewTrainer(cfg lm.Config, o Options) (*Trainer, error) {
	if err := o.validate(cfg); err != nil {
		return nil, err
	}
	t := &Trainer{Model: lm.New(cfg, o.Seed), Options: o, pcg: rand.NewPCG(o.Seed, o.Seed+1)}
	for range o.Shards {
		m := t.Model.Replica()
		t.shards = append(t.shards, &shard{model: m, params: m.Params()})
	}
	t.Optimizer = NewAdamW(t.Model.Params(), o.Beta1, o.Beta2, o.Eps, o.WeightDecay)
	return t, nil
}

type Update struct{ Loss, Norm float64 }

// learn finds the loss of a shard's sequences, one at a time, and its gradient.
func (s *shard) learn(of int, gradient bool) {
	defer func() { s.panicked = recover() }()
	for _, p := range s.params {
		p.ZeroGrad()
	}
	s.value, s.err = 0, nil
	for i := range s.ids {
		logits, err := s.model.Forward(s.ids[i : i+1])
		if err != nil {
			s.err = err
			return
		}
		loss, err := s.loss.Forward(logits, s.targets[i:i+1])
		if err != nil {
			s.err = err
			return
		}
		s.value += loss / float64(of)
		if !gradient {
			continue
		}
		d := s.loss.Backward()
		for j := range d.Data {
			d.Data[j] /= float32(of)
		}
		s.model.Backward(d)
	}
}

// all lets the shards learn, some at a time, and returns the loss.
func (t *Trainer) all(ids, targets [][]int, gradient bool) (loss float64, err error) {
	n := len(ids)
	if n == 0 || len(targets) != n {
		return 0, fmt.Errorf("a batch of %d sequences and %d targets", n, len(targets))
	}
	for _, row := range ids {
		if len(row) != len(ids[0]) {
			return 0, errors.New("the sequences of a batch are not equally long")
		}
	}
	var done sync.WaitGroup
	turn := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, s := range t.shards {
		from, to := i*n/len(t.shards), (i+1)*n/len(t.shards)
		s.ids, s.targets = ids[from:to], targets[from:to]
		turn <- struct{}{}
		done.Go(func() {
			s.learn(n, gradient)
			<-turn
		})
	}
	done.Wait()
	for _, s := range t.shards {
		if s.panicked != nil {
			panic(s.panicked)
		}
		if s.err != nil {
			return 0, s.err
		}
		loss += s.value
	}
	return loss, nil
}

func (t *Trainer) Step(ids, targets [][]int, lr float64) (Update, error) {
	loss, err := t.all(ids, targets, true)
	if err != nil {
		return Update{}, err
	}
	for i, p := range t.Optimizer.Params {
		for j := range p.Grad.Data {
			sum := 0.0
			for _, s := range t.shards {
				sum += float64(s.params[i].Grad.Data[j])
			}
			p.Grad.Data[j] = float32(sum)
		}
	}
	norm := ClipGradNorm(t.Optimizer.Params, t.Options.MaxNorm)
	t.Optimizer.Step(lr)
	return Update{loss, norm}, nil
}

func (t *Trainer) Loss(ids, targets [][]int) (float64, error) { return t.all(ids, targets, false) }
