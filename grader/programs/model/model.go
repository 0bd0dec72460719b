// Package model opens the model of a run's folder, for the programs that are made of the
// student's code.
package model

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/programs/fresh"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	training "github.com/stubformer/stubformer/steps/step11_training"
)

// Config is a configuration in the student's terms.
func Config(c run.Config) lm.Config {
	m := c.Model
	return lm.Config{VocabSize: c.VocabSize, ContextLength: m.ContextLength, DModel: m.DModel, NumLayers: m.NumLayers,
		NumHeads: m.NumHeads, DFF: m.DFF, RopeTheta: m.RopeTheta}
}

// Product is what is under all products of a model: the student's own of step 11, or
// the kit's in bfloat16.
func Product(c run.Config) tensor.Product {
	if c.Recipe.Precision == run.BF16 {
		return tensor.ProductBF16
	}
	return training.MatMul
}

// Load returns the model of a folder with its trained or imported parameters. An
// imported model needs nothing of step 11; one that was trained runs on the
// matrix product that it was trained with.
func Load(dir string, c run.Config) (*lm.LM, error) {
	params, err := weights.Read(filepath.Join(dir, run.WeightsFile))
	if errors.Is(err, fs.ErrNotExist) {
		tensor.UseProduct(Product(c))
		var s *training.State
		if s, err = training.Load(filepath.Join(dir, run.CheckpointFile)); err == nil {
			params = s.Params
		}
	}
	if err != nil {
		return nil, err
	}
	m := fresh.Model(Config(c), params)
	return m, m.LoadState(params)
}

// State returns the parameters of a model by name.
func State(m *lm.LM) map[string]*tensor.Tensor {
	out := map[string]*tensor.Tensor{}
	for _, p := range m.Params() {
		out[p.Name] = p.Value
	}
	return out
}
