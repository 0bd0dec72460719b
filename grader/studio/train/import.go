package train

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/llama"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
)

// groupedStep is the elective whose layer reads grouped queries.
const groupedStep = "gqa"

// ImportLlama2c makes the folder dir from a llama2.c checkpoint and its
// tokenizer.bin, for a model with the given electives in it, and returns what model
// it is. The elective with grouped queries is in it, too, if the checkpoint has such.
func ImportLlama2c(checkpoint, pieces, dir string, with []string) (run.Config, error) {
	f, err := open(checkpoint)
	if err != nil {
		return run.Config{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return run.Config{}, err
	}
	h, state, err := weights.ReadLlama2c(f, info.Size())
	if err != nil {
		return run.Config{}, lang.Errorf("%s: %w", checkpoint, err)
	}
	c := run.Config{Schema: run.Schema, VocabSize: h.Vocab, Settings: run.Settings{Model: run.Model{
		ContextLength: h.SeqLen, DModel: h.Dim, NumLayers: h.Layers, NumHeads: h.Heads, DFF: h.HiddenDim, RopeTheta: weights.Llama2cTheta, With: with}}}
	if h.KVHeads != h.Heads {
		c.Model.NumKVHeads = h.KVHeads
		if !slices.Contains(with, groupedStep) {
			c.Model.With = append(slices.Clone(with), groupedStep)
		}
	}
	if err := llama.Family(c.Model.With); err != nil {
		return run.Config{}, lang.Errorf("%s: %w", checkpoint, err)
	}
	if _, err := StandIns(c.Model); err != nil {
		return run.Config{}, lang.Errorf("%s: %w", checkpoint, err)
	}
	t, err := open(pieces)
	if err != nil {
		return run.Config{}, err
	}
	defer t.Close()
	if _, err := tokenizer.ReadPieces(t, h.Vocab); err != nil {
		return run.Config{}, lang.Errorf("%s: %w", pieces, err)
	}
	data, err := os.ReadFile(pieces)
	if err != nil {
		return run.Config{}, err
	}
	return c, fill(dir, c, state, map[string][]byte{tokenizer.PiecesFile: data})
}

// ImportState makes the folder dir from a state dictionary in a .safetensors or
// .npz file, for a model and a tokenizer like those of the folder like.
func ImportState(file, like, dir string) (run.Config, error) {
	return importState(file, like, dir, func(*run.Config) error { return nil })
}

// importState is ImportState with a last change to the configuration.
func importState(file, like, dir string, change func(*run.Config) error) (run.Config, error) {
	c, err := run.Open(like)
	if err != nil {
		return c, err
	}
	state, err := weights.Read(file)
	if err != nil {
		return c, err
	}
	tokens, err := tokenizer.Files(like)
	if err != nil {
		return c, err
	}
	if err := fits(state, c); err != nil {
		return c, lang.Errorf("%s does not fit the model in %s:\n%w", file, like, err)
	}
	c.Corpus, c.Seed, c.Data, c.Recipe = "", 0, nil, run.Recipe{}
	if err := change(&c); err != nil {
		return c, err
	}
	return c, fill(dir, c, state, tokens)
}

// fits names every tensor that a model has and state lacks, or the other way
// round, or that has another shape.
func fits(state map[string]*tensor.Tensor, c run.Config) error {
	want := shapes(c)
	if last := state[weights.LastNorm]; last != nil && slices.Contains(c.Model.With, "layernorm") && len(last.Shape) == 2 {
		want[weights.LastNorm] = []int{2, c.Model.DModel} // GPT-2's has a bias
	}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if t := state[name]; t == nil {
			wrong = append(wrong, lang.Errorf("%s is missing", name))
		} else if !slices.Equal(t.Shape, want[name]) {
			wrong = append(wrong, lang.Errorf("%s has shape %s, want %s", name, tensor.ShapeString(t.Shape), tensor.ShapeString(want[name])))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if want[name] == nil {
			wrong = append(wrong, lang.Errorf("%s does not belong to this model", name))
		}
	}
	return errors.Join(wrong...)
}

// fill writes the folder of a model that came from elsewhere, the configuration
// last.
func fill(dir string, c run.Config, state map[string]*tensor.Tensor, tokens map[string][]byte) error {
	claim, err := run.New(dir)
	if err != nil {
		return err
	}
	err = weights.Write(filepath.Join(dir, run.WeightsFile), state)
	for name, data := range tokens {
		err = errors.Join(err, whole.Write(filepath.Join(dir, name), data))
	}
	if err == nil {
		err = c.Write(dir)
	}
	if err != nil {
		return errors.Join(err, claim.Undo())
	}
	return nil
}

// open opens a file that the user has named.
func open(path string) (*os.File, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lang.Errorf("there is no file %s", path)
	}
	return f, err
}
