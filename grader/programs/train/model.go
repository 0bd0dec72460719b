package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/host/whole"
	writer "github.com/stubformer/stubformer/grader/programs/generate"
	"github.com/stubformer/stubformer/grader/programs/model"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	training "github.com/stubformer/stubformer/steps/step11_training"
)

// load returns the folder's model with its trained or imported parameters.
func (f folder) load() (*lm.LM, error) { return model.Load(f.dir, f.Config) }

// generate writes tokens until there are enough, the stop token comes or ctx is
// done.
func (p program) generate(ctx context.Context, f folder, options []byte) error {
	var g run.Generation
	if err := json.Unmarshal(options, &g); err != nil {
		return err
	}
	m, err := f.load()
	if err != nil {
		return err
	}
	w := writer.New(m, g.Prompt, lm.Sampling{Temperature: g.Temperature, TopP: g.TopP, Stop: g.Stop},
		rand.New(rand.NewPCG(g.Seed, 0)))
	for range g.Tokens {
		// One token at a time, so that it can be read at once.
		next, err := w.Next()
		if err != nil {
			return err
		}
		if next == g.Stop || ctx.Err() != nil {
			return nil
		}
		p.Send(run.Event{Tokens: []int{next}})
	}
	return nil
}

// export writes the parameters to a file.
func export(f folder, path string) error {
	m, err := f.load()
	if err != nil {
		return err
	}
	return weights.Write(path, model.State(m))
}

// begin writes what a run begins with, for another program to do the same: the
// first parameters as first.npz, and the sequences that the run draws, in order,
// as batches.bin: for every step B sequences of T+1 tokens, each 16 bits,
// little-endian.
func begin(f folder, dir string) error {
	if err := f.CheckData(f.dir); err != nil {
		return err
	}
	text, err := training.OpenTokens(f.path(run.TrainFile))
	if err != nil {
		return err
	}
	defer text.Close()
	t, err := training.NewTrainer(f.model(), f.options())
	if err != nil {
		return err
	}
	if err := weights.Write(filepath.Join(dir, "first.npz"), model.State(t.Model)); err != nil {
		return err
	}
	var generator rand.PCG
	if err := generator.UnmarshalBinary(t.State().RNG); err != nil {
		return fmt.Errorf("the trainer's random generator cannot be read: %w", err)
	}
	rng := rand.New(&generator)
	var out []byte
	for range f.Recipe.Steps {
		ids, targets, err := text.Batch(rng, f.Recipe.Batch, f.Model.ContextLength)
		if err != nil {
			return err
		}
		for b, row := range ids {
			for _, id := range append(row[:len(row):len(row)], targets[b][len(row)-1]) {
				out = binary.LittleEndian.AppendUint16(out, uint16(id))
			}
		}
	}
	return whole.Write(filepath.Join(dir, "batches.bin"), out)
}
