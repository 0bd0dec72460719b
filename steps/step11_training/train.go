package training

import (
	"errors"
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
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
		wrong = append(wrong, fmt.Errorf("context is %d, but the model's context_length is %d", o.Context,
			cfg.ContextLength))
	}
	if o.EvalEvery > 0 && o.EvalBatches < 1 {
		wrong = append(wrong, fmt.Errorf("eval_batches is %d; want at least 1", o.EvalBatches))
	}
	if !(o.MaxNorm > 0) {
		wrong = append(wrong, fmt.Errorf("max_norm is %g; want a number above 0, and a large one for no clipping",
			o.MaxNorm))
	}
	return errors.Join(append(wrong, cfg.Validate())...)
}

// Trainer trains one model. Its methods are not to be called by several
// goroutines at the same time; it divides the work by itself.
type Trainer struct {
	Model     *lm.LM
	Optimizer *AdamW // its Steps are the updates made so far
	Options   Options

	// Yours: a replica of the model for each shard (lm.LM.Replica; the first
	// shard can use the model itself), and the random generator that draws the
	// batches. Keep the *rand.PCG under your *rand.Rand: its state goes into
	// checkpoints.
}

// NewTrainer returns a trainer of a fresh model: lm.New(cfg, o.Seed). The error
// names everything that is wrong with the configuration and the options.
func NewTrainer(cfg lm.Config, o Options) (*Trainer, error) {
	if err := o.validate(cfg); err != nil {
		return nil, err
	}
	panic(tensor.TODO("step11: NewTrainer"))
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
// For one shard with n_s of the N sequences:
//
//	clear its gradients: Backward adds
//	logits  = Forward(ids);  loss_s = cross-entropy, its mean over the shard
//	dlogits = n_s/N · gradient of loss_s;  Backward(dlogits)
//
// and the batch's loss is Σ n_s/N·loss_s. A batch of fewer sequences than shards
// leaves some shards out. A shard may take its sequences through the model a few
// at a time, each few with their own n/N: Backward adds, and the logits of a
// large vocabulary, T·V for a sequence, need not all be in memory at once.
//
// Run the shards on as many goroutines as there are processors
// (runtime.GOMAXPROCS(0)); a panic on a goroutine of your own cannot be recovered
// elsewhere, so hand it to the caller's.
//
// A batch that the model refuses, such as one with an unknown id, is an error. So is
// one whose ids and targets differ in their number of rows. After an error no
// parameter has changed.
func (t *Trainer) Step(ids, targets [][]int, lr float64) (Update, error) {
	panic(tensor.TODO("step11: Trainer.Step"))
}

// Loss returns the mean cross-entropy of a batch (B, T) and changes nothing.
func (t *Trainer) Loss(ids, targets [][]int) (float64, error) {
	panic(tensor.TODO("step11: Trainer.Loss"))
}
