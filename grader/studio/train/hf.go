package train

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/gpt2"
	"github.com/stubformer/stubformer/grader/studio/train/hf"
	"github.com/stubformer/stubformer/grader/studio/train/llama"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// ImportHF makes the folder dir from one of Hugging Face's transformers, for a model with
// the given electives in it, and returns what model it is. The elective with grouped
// queries is in it, too, if the model has such, and in one of GPT-2's the parts of step 19.
func ImportHF(folder, dir string, with []string) (run.Config, error) {
	info, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return run.Config{}, lang.Errorf("there is no folder %s", folder)
	}
	if err != nil {
		return run.Config{}, err
	}
	read, err := hf.Read(os.DirFS(folder))
	if err != nil {
		return run.Config{}, lang.Errorf("%s: %w", folder, err)
	}
	from, family := llama.FromHF, llama.Family
	if read.GPT2 != nil {
		from, family = gpt2.FromHF, gpt2.Family
	}
	c, state, tokens, err := from(read)
	if err != nil {
		return c, lang.Errorf("%s: %w", folder, err)
	}
	err = importFamily(folder, dir, &c, state, tokens, with, family)
	return c, err
}

// ExportHF writes the model of a folder into a new one that transformers opens: of Llama's
// architecture, or of GPT-2's if its parts are those of step 19. The folder is written
// whole or not at all.
func ExportHF(ctx context.Context, binary, dir, folder string, prints io.Writer) error {
	c, state, tokens, err := whatIsIn(ctx, binary, dir, prints)
	if err != nil {
		return err
	}
	to := llama.ToHF
	if gpt2.Is(c.Model.With) {
		to = gpt2.ToHF
	}
	made, err := to(c, state, tokens)
	if err != nil {
		return err
	}
	return hf.Write(folder, made)
}
