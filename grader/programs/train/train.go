package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/stubformer/stubformer/grader/programs/model"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/cputime"
	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	training "github.com/stubformer/stubformer/steps/step11_training"
)

// folder is a run's folder and what it says.
type folder struct {
	dir string
	run.Config
}

func (f folder) path(name string) string { return filepath.Join(f.dir, name) }

// model is the configuration in the student's terms.
func (f folder) model() lm.Config { return model.Config(f.Config) }

func (f folder) options() training.Options {
	r := f.Recipe
	return training.Options{Batch: r.Batch, Context: f.Model.ContextLength, Shards: r.Shards,
		Steps: r.Steps, Warmup: r.Warmup, LRMax: r.LRMax, LRMin: r.LRMin,
		Beta1: r.Beta1, Beta2: r.Beta2, Eps: r.Eps, WeightDecay: r.WeightDecay, MaxNorm: r.MaxNorm, Seed: f.Seed,
		EvalEvery: r.EvalEvery, EvalBatches: r.EvalBatches, SaveEvery: r.SaveEvery, Checkpoint: f.path(run.PendingFile)}
}

// trainer returns a trainer that goes on from the folder's checkpoint, or begins
// if there is none yet: then first is set.
func (f folder) trainer() (t *training.Trainer, first bool, err error) {
	if _, err := os.Stat(f.path(run.CheckpointFile)); errors.Is(err, fs.ErrNotExist) {
		t, err := training.NewTrainer(f.model(), f.options())
		return t, true, err
	}
	t, err = training.Resume(f.path(run.CheckpointFile), f.options())
	if err == nil && t.Model.Config != f.model() {
		err = fmt.Errorf("%s is the checkpoint of another model than %s describes", f.path(run.CheckpointFile), run.ConfigFile)
	}
	return t, false, err
}

// train trains until the run is complete or ctx is done.
func (p program) train(ctx context.Context, f folder) error {
	unlock, err := run.Lock(f.dir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := f.CheckData(f.dir); err != nil {
		return err
	}
	tensor.UseProduct(model.Product(f.Config))
	t, first, err := f.trainer()
	if err != nil {
		return err
	}
	if err := rehearse(t.Model); err != nil {
		return err
	}
	text, err := training.OpenTokens(f.path(run.TrainFile))
	if err != nil {
		return err
	}
	defer text.Close()
	validation, err := training.OpenTokens(f.path(run.ValidationFile))
	if err != nil {
		return err
	}
	defer validation.Close()
	w, err := newWatcher(p, f, t, first)
	if err != nil {
		return err
	}
	defer w.log.Close()
	if first {
		loss, err := t.Evaluate(validation)
		if err != nil {
			return err
		}
		w.step(run.Step{ValidationLoss: &loss})
	}
	if first {
		w.keep(0)
	}
	during := validation
	if w.drops != nil { // what is evaluated within Run would be dropped too
		w.validation, during = validation, nil
		w.drops.Drop(f.Seed, uint64(t.Optimizer.Steps))
	}
	w.lap = cputime.Wall()
	err = t.Run(ctx, text, during, w.report)
	// A run that was asked to stop and could save says nothing but that.
	if err != nil && (ctx.Err() == nil || err.Error() != ctx.Err().Error()) {
		return err
	}
	if err := w.save(); err != nil {
		return err
	}
	if w.saved != t.Optimizer.Steps {
		return fmt.Errorf("the trainer ended after step %d and has not written a checkpoint of it, so that the run "+
			"can go on after step %d only; to see what is wrong: go run ./cmd/grade step11", t.Optimizer.Steps, max(0, w.saved))
	}
	p.Send(run.Event{Saved: &run.Saved{Step: w.saved}})
	return nil
}

// rehearse runs the model once, forward and backward, on this goroutine: if an
// earlier step panics, the trace leads to it and not to the trainer's workers.
// The gradients that it leaves are zeros.
func rehearse(m *lm.LM) error {
	logits, err := m.Forward([][]int{make([]int, m.Config.ContextLength)})
	if err == nil {
		m.Backward(tensor.New(logits.Shape...))
	}
	return err
}

// watcher turns the trainer's reports into events and lines of the log.
type watcher struct {
	program
	folder
	trainer *training.Trainer
	tokens  tokenizer.Tokenizer
	log     *run.Log
	saved   int             // step of the checkpoint; −1: there is none
	drops   dropper         // nil where nothing is dropped
	lap     time.Duration   // end of the last step, evaluation and sample, by cputime.Wall
	laps    []time.Duration // of the last steps

	validation *training.Tokens // for a model that drops numbers
}

func newWatcher(p program, f folder, t *training.Trainer, first bool) (*watcher, error) {
	tokens, err := tokenizer.Open(f.dir, f.VocabSize)
	if err != nil {
		return nil, err
	}
	step := t.Optimizer.Steps
	if first {
		step = -1
	}
	log, err := run.OpenLog(f.dir, step)
	if err != nil {
		return nil, err
	}
	perStep := f.Recipe.Batch * f.Model.ContextLength
	p.Send(run.Event{Start: &run.Start{Step: t.Optimizer.Steps, Params: numParams(t.Model), TokensPerStep: perStep,
		// A backward pass has two products for each of the forward pass.
		FLOPsPerToken: 3 * (lm.ForwardFLOPs(f.model(), f.Recipe.Batch, f.Model.ContextLength)/perStep - f.saved() + f.experts())}})
	return &watcher{program: p, folder: f, trainer: t, tokens: tokens, log: log, saved: step, drops: dropping(f, t.Model)}, nil
}

// numParams counts a model's parameters as they are, whatever stands in it.
func numParams(m *lm.LM) int {
	sum := 0
	for _, p := range m.Params() {
		sum += p.Value.Len()
	}
	return sum
}

// saved is how many operations grouped queries save in the forward pass of a token:
// the projections of the keys and values that there are not.
func (f folder) saved() int {
	m := f.Model
	return m.NumLayers * 2 * 2 * m.DModel * (m.DModel / m.NumHeads) * (m.NumHeads - m.KVHeads())
}

// experts is how many operations a mixture of experts adds to the forward pass of a token:
// the networks beyond the first, and the router.
func (f folder) experts() int {
	m := f.Model
	if m.NumExperts == 0 {
		return 0
	}
	return m.NumLayers * 2 * m.DModel * (3*(m.ExpertsPerToken-1)*m.DFF + m.NumExperts)
}

// routed is a feed-forward network that is a mixture of experts, with the two losses of
// what it read last.
type routed interface {
	Losses() (balance, z float64)
}

// routerLosses returns the losses of all layers, 0 where they are no mixtures.
func routerLosses(m *lm.LM) (balance, z float64) {
	for _, b := range m.Blocks {
		if r, ok := any(b.FFN).(routed); ok {
			own, squares := r.Losses()
			balance, z = balance+own, z+squares
		}
	}
	return balance, z
}

// report is called after every update.
func (w *watcher) report(r training.Report) {
	if w.drops != nil {
		w.drops.Keep()
		defer w.drops.Drop(w.Seed, uint64(r.Step))
	}
	s := run.Step{Step: r.Step, Loss: r.Loss, LR: r.LR, GradNorm: r.Norm}
	s.BalanceLoss, s.ZLoss = routerLosses(w.trainer.Model)
	if math.IsNaN(r.Validation) { // no evaluation: the time was the step's alone
		const kept = 20
		w.laps = append(w.laps[max(0, len(w.laps)-kept+1):], cputime.Wall()-w.lap)
	}
	if w.evaluate(&r); !math.IsNaN(r.Validation) {
		s.ValidationLoss = &r.Validation
	}
	w.step(s)
	if s.ValidationLoss != nil {
		w.keep(s.Step)
	}
	if r.Saved {
		if err := w.save(); err != nil {
			w.Fail(err)
		}
		w.Send(run.Event{Saved: &run.Saved{Step: w.saved}})
	}
	w.lap = cputime.Wall()
}

// save makes the checkpoint that the trainer has written count, now that the log
// holds what led to it. It does nothing if there is none.
func (w *watcher) save() error {
	err := w.log.Commit()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	w.saved = w.trainer.Optimizer.Steps
	return err
}

// keep writes down what the parameters are after a step, for grade explore.
func (w *watcher) keep(step int) {
	if !w.Recipe.KeepsSnapshot(step, numParams(w.trainer.Model)) {
		return
	}
	file, err := run.NewSnapshot(w.dir, step)
	if err == nil {
		err = weights.Write(file, model.State(w.trainer.Model))
	}
	if err != nil {
		w.Fail(err)
	}
}

// step writes down a step, with a sample if the model was evaluated. It ends the
// program without saving if a loss is not a number: the checkpoint stays that of
// an earlier step.
func (w *watcher) step(s run.Step) {
	for _, loss := range []*float64{&s.Loss, s.ValidationLoss} {
		if loss != nil && (math.IsNaN(*loss) || math.IsInf(*loss, 0)) {
			w.Fail(fmt.Errorf("the loss of step %d is %g: the training has diverged; a smaller lr_max may help, "+
				"or a gradient is wrong: go run ./cmd/grade all --own-stack", s.Step, *loss))
		}
	}
	if len(w.laps) > 0 {
		var sum time.Duration
		for _, lap := range w.laps {
			sum += lap
		}
		s.TokensPerSecond = float64(len(w.laps)*w.Recipe.Batch*w.Model.ContextLength) / sum.Seconds()
	}
	var err error
	if s.ValidationLoss != nil {
		s.Sample, s.Surprise, err = w.sample(s.Step)
	}
	if err := errors.Join(err, w.log.Append(s)); err != nil {
		w.Fail(err)
	}
	w.Send(run.Event{Step: &s})
}

// sample returns what the model writes by now, and how much each character of it
// surprised the model. It draws from a stream of its own, which leaves the training
// alone.
func (w *watcher) sample(step int) (text string, surprise []float64, err error) {
	const length, temperature = 120, 0.8
	prompt, err := w.tokens.Prompt("")
	if err != nil {
		return "", nil, err
	}
	ids, err := w.trainer.Model.Generate(prompt, lm.Sampling{MaxNew: length, Temperature: temperature, TopP: 1, Stop: w.tokens.Stop()},
		rand.New(rand.NewPCG(w.Seed, uint64(step))))
	if err != nil {
		return "", nil, err
	}
	if text, err = w.tokens.Decode(ids); err != nil {
		return "", nil, err
	}
	nats, err := written(w.trainer.Model, prompt, ids)
	if err != nil {
		return "", nil, err
	}
	surprise, err = byCharacter(text, ids, nats, w.tokens.Decode)
	return text, surprise, err
}
