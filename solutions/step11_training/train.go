// Package training turns a fresh model into one that has learnt: the matrix
// product under everything, the optimiser, the data, the checkpoints, and the
// loop that brings them together.
//
// Letters: B batch, T time (context), V vocabulary; m, n and k are the sizes of
// a matrix product.
package training

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/stubformer/stubformer/reference/kernel"
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

// Trainer trains one model. Its methods are not to be called by several
// goroutines at the same time; it divides the work by itself.
type Trainer struct {
	Model     *lm.LM
	Optimizer *AdamW // its Steps are the updates made so far
	Options   Options

	shards    []*shard
	used      []*shard   // those that have a part of the current batch
	learn     bool       // whether they go backward too
	passes    *team      // runs the shards
	sums      *team      // adds up their gradients
	generator *rand.PCG  // its state goes into checkpoints
	rng       *rand.Rand // draws the batches from generator
}

// batchStream keeps the batches' random numbers apart from those of the
// parameters, which start from the same seed.
const batchStream = 0x6261746368 // "batch"

// NewTrainer returns a trainer of a fresh model. The error names everything that
// is wrong with the configuration and the options.
func NewTrainer(cfg lm.Config, o Options) (*Trainer, error) {
	if err := o.validate(cfg); err != nil {
		return nil, err
	}
	model := lm.New(cfg, o.Seed)
	t := &Trainer{Model: model, Options: o, generator: rand.NewPCG(o.Seed, batchStream)}
	t.rng = rand.New(t.generator)
	t.passes, t.sums = newTeam(func(i int) { t.used[i].run(t.learn) }), newTeam(t.sum)
	t.shards = append(t.shards, newShard(model)) // the first works on the model itself
	for range o.Shards - 1 {
		t.shards = append(t.shards, newShard(model.Replica()))
	}
	t.Optimizer = NewAdamW(t.shards[0].params, o.Beta1, o.Beta2, o.Eps, o.WeightDecay)
	return t, nil
}

// Update is what one step reports.
type Update struct {
	Loss float64 // mean cross-entropy of the batch before the update, in nats
	Norm float64 // length of the gradient before it was clipped
}

// Step makes one update from a batch: ids and targets are (B, T), lr is the
// learning rate.
//
//	loss, gradient   mean over all B·T tokens
//	gradient         clipped to MaxNorm
//	parameters       moved by AdamW
//
// The batch is cut into Options.Shards parts of neighbouring sequences. Each has
// a replica of the model to itself, so that they run at the same time, and their
// gradients are summed in the order of the parts. How many parts there are is an
// option and not the number of cores: the result is the same on every machine
// with the same arithmetic, bit for bit.
//
// A batch that the model turns down, such as one with an unknown id, is an
// error, and then no parameter has changed.
func (t *Trainer) Step(ids, targets [][]int, lr float64) (Update, error) {
	loss, err := t.run(ids, targets, true)
	if err != nil {
		return Update{}, err
	}
	params := t.Optimizer.Params
	t.sums.run(len(params))
	norm := ClipGradNorm(params, t.Options.MaxNorm)
	t.Optimizer.Step(lr)
	return Update{Loss: loss, Norm: norm}, nil
}

// Loss returns the mean cross-entropy of a batch (B, T) and changes nothing.
func (t *Trainer) Loss(ids, targets [][]int) (float64, error) {
	return t.run(ids, targets, false)
}

// run puts a batch to the shards, backward too if they are to learn, and returns
// the mean loss.
func (t *Trainer) run(ids, targets [][]int, learn bool) (loss float64, err error) {
	if len(ids) == 0 || len(targets) != len(ids) {
		return 0, tensor.ShapeError{Op: "Trainer: sequences of targets", Got: []int{len(targets)}, Want: []int{max(1, len(ids))}}
	}
	t.used = t.shards[:min(len(t.shards), len(ids))]
	used := t.used
	t.learn = learn
	for i, s := range used {
		from, to := i*len(ids)/len(used), (i+1)*len(ids)/len(used)
		s.ids, s.targets = ids[from:to], targets[from:to]
		s.share = float64(to-from) / float64(len(ids))
	}
	t.passes.run(len(used))
	for _, s := range used {
		if s.err != nil {
			return 0, s.err
		}
		loss += s.share * s.loss
	}
	return loss, nil
}

// sum adds up what the shards say of parameter i's gradient, in their order.
func (t *Trainer) sum(i int) {
	total := t.used[0].params[i].Grad.Data
	for _, s := range t.used[1:] {
		kernel.Add(total, total, s.params[i].Grad.Data)
	}
}

// shard works on one part of every batch: a model with gradients and
// activations of its own.
type shard struct {
	model        *lm.LM
	params       []*tensor.Param
	crossEntropy softmax.CrossEntropy

	ids, targets [][]int // its part of the batch
	share        float64 // how much of the batch that is
	loss         float64 // mean over its part
	err          error
}

func newShard(model *lm.LM) *shard { return &shard{model: model, params: model.Params()} }

// run computes the loss of the shard's part and, if it is to learn, the part's
// share of the batch's gradient. The sequences pass through the model a few at a
// time and Backward adds up their gradients, so that the logits of a large
// vocabulary, T·V for a sequence, need not all be in memory at once.
func (s *shard) run(learn bool) {
	s.loss, s.err = 0, nil
	if learn {
		for _, p := range s.params {
			p.ZeroGrad() // Backward adds
		}
	}
	few := max(1, maxLogits/(max(1, len(s.ids[0]))*s.model.Config.VocabSize))
	for from := 0; from < len(s.ids) && s.err == nil; from += few {
		to := min(from+few, len(s.ids))
		s.err = s.pass(s.ids[from:to], s.targets[from:to], learn)
	}
}

// maxLogits is how many logits, B·T·V, a shard computes at once if that is more
// than one sequence: 2 MiB of them.
const maxLogits = 1 << 19

// pass takes some of the shard's sequences through the model. The mean over the
// shard is the mean of these means, weighted by the numbers of sequences, and the
// mean over the batch is that of the shards':
//
//	L = Σ_s share_s · L_s,  L_s = Σ_p part_p · L_p    so    ∂L/∂logits_p = share_s · part_p · ∂L_p/∂logits_p
func (s *shard) pass(ids, targets [][]int, learn bool) error {
	logits, err := s.model.Forward(ids)
	if err != nil {
		return err
	}
	loss, err := s.crossEntropy.Forward(logits, targets)
	if err != nil {
		return err
	}
	part := float64(len(ids)) / float64(len(s.ids))
	s.loss += part * loss
	if learn {
		dlogits := s.crossEntropy.Backward()
		kernel.Scale(float32(s.share*part), dlogits.Data)
		s.model.Backward(dlogits)
	}
	return nil
}

// team is some goroutines' work that is done again and again: calls of
// do(0), …, do(n−1), as many at a time as there are processors. It is made once,
// so that a training step allocates nothing.
type team struct {
	do       func(i int)
	n        int64
	next     atomic.Int64 // the i that nobody has taken yet
	others   sync.WaitGroup
	help     func() // work, for a goroutine of its own
	panicked atomic.Pointer[any]
}

func newTeam(do func(i int)) *team {
	t := &team{do: do}
	t.help = func() {
		defer t.others.Done()
		t.work()
	}
	return t
}

// run returns when all calls have returned. If one of them panics, so does run,
// on the caller's goroutine, where somebody can recover it.
func (t *team) run(n int) {
	t.n = int64(n)
	t.next.Store(0)
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		t.others.Add(1)
		go t.help()
	}
	t.work()
	t.others.Wait()
	if p := t.panicked.Swap(nil); p != nil {
		panic(*p)
	}
}

// work takes one call after the other until none is left.
func (t *team) work() {
	defer func() {
		if p := recover(); p != nil {
			first := p
			t.panicked.CompareAndSwap(nil, &first)
		}
	}()
	for i := t.next.Add(1) - 1; i < t.n; i = t.next.Add(1) - 1 {
		t.do(int(i))
	}
}
