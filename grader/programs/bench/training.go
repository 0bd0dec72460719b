package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	training "github.com/stubformer/stubformer/steps/step11_training"
)

// trainer is a model in training on tokens drawn at random, which take as long
// as any others.
type trainer struct {
	*training.Trainer
	ids, targets [][]int
}

// config returns the recipe and the model of a named configuration, or of the one in a
// file. The vocabulary of a small model is the characters of a text, that of a larger one
// has the usual size of a byte-pair vocabulary for TinyStories.
func config(name string) (run.Recipe, lm.Config, error) {
	settings, err := run.Load(name)
	m, vocabulary := settings.Model, 10_000
	if m.DModel < 512 {
		vocabulary = 65
	}
	return settings.Recipe, lm.Config{VocabSize: vocabulary, ContextLength: m.ContextLength, DModel: m.DModel, NumLayers: m.NumLayers,
		NumHeads: m.NumHeads, DFF: m.DFF, RopeTheta: m.RopeTheta}, err
}

// wholeBatch and briefBatch say how many sequences a batch has: as many as the recipe says,
// or fewer where a step would take many seconds. The shards are as large in either.
const (
	wholeBatch = math.MaxInt
	briefBatch = 12
)

// trainer returns the trainer of a named configuration, set up as `grade train`
// does it, with --precision bf16 if the name ends in -bf16, and with a batch of no more
// than most sequences.
func (w *worker) trainer(name string, most int) (*trainer, error) {
	settings, halved := strings.CutSuffix(name, "-bf16")
	r, model, err := config(settings)
	if err != nil {
		return nil, err
	}
	if settings == "base" && most == briefBatch {
		most = 8
	}
	batch := min(r.Batch, most)
	key := fmt.Sprint(name, batch)
	if t := w.trainers[key]; t != nil {
		return t, nil
	}
	tensor.UseProduct(training.MatMul)
	if halved {
		tensor.UseProduct(tensor.ProductBF16)
	}
	t := &trainer{}
	t.Trainer, err = training.NewTrainer(
		model,
		training.Options{Batch: batch, Context: model.ContextLength, Shards: max(1, r.Shards*batch/r.Batch), Steps: r.Steps, Beta1: r.Beta1,
			Beta2: r.Beta2, Eps: r.Eps, WeightDecay: r.WeightDecay, MaxNorm: r.MaxNorm})
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(2, 0))
	t.ids, t.targets = draw(rng, batch, model.ContextLength, model.VocabSize), draw(rng, batch, model.ContextLength, model.VocabSize)
	w.trainers[key] = t
	return t, nil
}

func draw(rng *rand.Rand, rows, length, vocabulary int) [][]int {
	out := make([][]int, rows)
	for r := range out {
		out[r] = make([]int, length)
		for i := range out[r] {
			out[r][i] = rng.IntN(vocabulary)
		}
	}
	return out
}

// train returns the seconds of a token in training steps of a brief batch.
func (w *worker) train(name string, d time.Duration) (float64, error) {
	t, err := w.trainer(name, briefBatch)
	if err != nil {
		return 0, err
	}
	seconds, err := t.update(d)
	return seconds / float64(t.Options.Batch*t.Options.Context), err
}

// update returns the seconds of a training step with the recipe's batch.
func (w *worker) update(name string, d time.Duration) (float64, error) {
	t, err := w.trainer(name, wholeBatch)
	if err != nil {
		return 0, err
	}
	if _, err := t.update(0); err != nil { // memory is written to for the first time
		return 0, err
	}
	return t.update(d)
}

// update takes whole training steps and returns the seconds of one.
func (t *trainer) update(d time.Duration) (float64, error) {
	var err error
	seconds := measure(d, func() {
		if _, e := t.Step(t.ids, t.targets, 1e-4); e != nil {
			err = e
		}
	})
	return seconds, err
}
