package main

import (
	"math/rand/v2"
	"time"

	"github.com/stubformer/stubformer/grader/train/run"
	"github.com/stubformer/stubformer/grader/train/writer"
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
	"github.com/stubformer/stubformer/steps/step11_training"
)

// trainer is a model in training on tokens drawn at random, which take as long
// as any others.
type trainer struct {
	*training.Trainer
	ids, targets [][]int
}

// vocabularies of the models that are measured: the characters of a small text,
// and the usual size of a byte-pair vocabulary for TinyStories.
var vocabularies = map[string]int{"tiny": 65, "small": 65, "base": 10_000}

// trainer returns the trainer of a named configuration, set up as `grade train`
// does it. base runs with a batch of 8.
func (w *worker) trainer(name string) (*trainer, error) {
	if t := w.trainers[name]; t != nil {
		return t, nil
	}
	settings, err := run.Load(name)
	if err != nil {
		return nil, err
	}
	m, r := settings.Model, settings.Recipe
	batch := min(r.Batch, 12)
	if name == "base" {
		batch = 8
	}
	tensor.UseProduct(training.MatMul)
	t := &trainer{}
	t.Trainer, err = training.NewTrainer(
		lm.Config{VocabSize: vocabularies[name], ContextLength: m.ContextLength, DModel: m.DModel, NumLayers: m.NumLayers,
			NumHeads: m.NumHeads, DFF: m.DFF, RopeTheta: m.RopeTheta},
		training.Options{Batch: batch, Context: m.ContextLength, Shards: r.Shards, Steps: r.Steps, Beta1: r.Beta1,
			Beta2: r.Beta2, Eps: r.Eps, WeightDecay: r.WeightDecay, MaxNorm: r.MaxNorm})
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(2, 0))
	t.ids, t.targets = draw(rng, batch, m.ContextLength, vocabularies[name]), draw(rng, batch, m.ContextLength, vocabularies[name])
	w.trainers[name] = t
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

// train takes whole training steps and returns the seconds of a token.
func (t *trainer) train(d time.Duration) (float64, error) {
	var err error
	seconds := measure(d, func() {
		if _, e := t.Step(t.ids, t.targets, 1e-4); e != nil {
			err = e
		}
	})
	return seconds / float64(t.Options.Batch*t.Options.Context), err
}

// generate writes tokens one at a time, as `grade generate` does, after a prompt
// of one token, and returns the seconds of a token.
func (t *trainer) generate(tokens int) (float64, error) {
	start := time.Now()
	w := writer.New(t.Model, []int{1}, lm.Sampling{Temperature: 0.8, TopP: 1, Stop: -1}, rand.New(rand.NewPCG(3, 0)))
	for range tokens {
		if _, err := w.Next(); err != nil {
			return 0, err
		}
	}
	return time.Since(start).Seconds() / float64(tokens), nil
}
