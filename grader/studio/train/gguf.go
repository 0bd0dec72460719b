package train

import (
	"context"
	"io"
	"path/filepath"
	"slices"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/gguf"
	"github.com/stubformer/stubformer/grader/studio/train/llama"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
)

// GGUFExt is how the name of a GGUF file ends.
const GGUFExt = ".gguf"

// ExportGGUF writes the model of a folder to a .gguf file, whose matrices are stored as
// the type t. The file is written whole or not at all.
func ExportGGUF(ctx context.Context, binary, dir, file string, t gguf.Type, prints io.Writer) (err error) {
	c, state, tokens, err := whatIsIn(ctx, binary, dir, prints)
	if err != nil {
		return err
	}
	name, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	made, err := llama.ToGGUF(filepath.Base(name), c, state, tokens, t)
	if err != nil {
		return err
	}
	return whole.Replace(file, func(w io.Writer) error { return gguf.Write(w, made, t) })
}

// whatIsIn returns the model of a folder, its parameters and the files of its tokenizer.
func whatIsIn(ctx context.Context, binary, dir string, prints io.Writer) (c run.Config, state map[string]*tensor.Tensor,
	tokens map[string][]byte, err error) {

	if c, err = run.Open(dir); err != nil {
		return c, nil, nil, err
	}
	if tokens, err = tokenizer.Files(dir); err != nil {
		return c, nil, nil, err
	}
	work, err := scratch.New()
	if err != nil {
		return c, nil, nil, err
	}
	defer work.Remove()
	exported := filepath.Join(work.Path, "model.safetensors")
	if err := Export(ctx, binary, dir, exported, prints); err != nil {
		return c, nil, nil, err
	}
	if state, err = weights.Read(exported); err != nil {
		return c, nil, nil, err
	}
	return c, state, tokens, fits(state, c)
}

// ImportGGUF makes the folder dir from a .gguf file, for a model with the given electives
// in it, and returns what model it is. The electives with grouped queries and with
// experts are in it, too, if the file has such.
func ImportGGUF(file, dir string, with []string) (run.Config, error) {
	f, err := open(file)
	if err != nil {
		return run.Config{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return run.Config{}, err
	}
	read, err := gguf.Read(f, info.Size())
	if err != nil {
		return run.Config{}, lang.Errorf("%s: %w", file, err)
	}
	c, state, tokens, err := llama.FromGGUF(read)
	if err != nil {
		return c, lang.Errorf("%s: %w", file, err)
	}
	err = importFamily(file, dir, &c, state, tokens, with, llama.Family)
	return c, err
}

// importFamily makes the folder dir of a model of a family that was read from a place, with
// the given electives and those that it has already in it.
func importFamily(from, dir string, c *run.Config, state map[string]*tensor.Tensor, tokens map[string][]byte,
	with []string, family func(with []string) error) error {

	for _, name := range with {
		if !slices.Contains(c.Model.With, name) {
			c.Model.With = append(c.Model.With, name)
		}
	}
	if err := family(c.Model.With); err != nil { // sinusoids would fit, and mean another model
		return lang.Errorf("%s: %w", from, err)
	}
	if _, err := StandIns(c.Model); err != nil {
		return lang.Errorf("%s: %w", from, err)
	}
	if err := fits(state, *c); err != nil {
		return lang.Errorf("%s: %w", from, err)
	}
	if _, err := tokenizer.Of(from, tokens, c.VocabSize); err != nil {
		return err
	}
	return fill(dir, *c, state, tokens)
}
