package train

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/workspace"
)

// tokensStep is the step that a Coder runs.
const tokensStep = "bpe"

// Coder runs the tokenizer of step 14, in a program of its own. Its folders are those
// that Learn makes, those in which GPT-2's two files lie, and those of runs.
type Coder struct {
	ctx    context.Context
	binary string
	work   *scratch.Folder
	prints io.Writer
}

// NewCoder builds the program around a source of the step. What the code prints goes
// to prints. Close removes it again.
func NewCoder(ctx context.Context, kit *workspace.Kit, source workspace.Source, prints io.Writer) (*Coder, error) {
	step, err := stepNamed(tokensStep)
	if err != nil {
		return nil, err
	}
	work, err := scratch.New()
	if err != nil {
		return nil, err
	}
	binary, err := BuildAround(ctx, kit, source, workspace.Build{Step: step.Folder, Package: "grader/programs/tokenize"}, work.Path)
	if err != nil {
		return nil, errors.Join(err, work.Remove())
	}
	return &Coder{ctx, binary, work, prints}, nil
}

// Close removes the program.
func (c *Coder) Close() error { return c.work.Remove() }

func (c *Coder) run(args ...string) error {
	err := Run(c.ctx, c.binary, args, c.prints, func(run.Event) {})
	return errors.Join(err, c.ctx.Err())
}

// Learn makes the folder dir with a vocabulary of at most size tokens, learnt from a
// file. A special token is written as <|name|>.
func (c *Coder) Learn(file string, size int, special []string, dir string) error {
	for _, s := range special {
		if !tokenizer.IsSpecial(s) {
			return lang.Errorf("the special token is %q; want it between bars and angles: <|name|>", s)
		}
	}
	made, err := os.MkdirTemp(c.work.Path, "learned-")
	if err != nil {
		return err
	}
	if err := c.run(append([]string{"learn", file, strconv.Itoa(size), made}, special...)...); err != nil {
		return err
	}
	files, err := tokenizer.Files(made)
	if err != nil {
		return err
	}
	claim, err := run.New(dir)
	if err != nil {
		return err
	}
	for name, data := range files {
		err = errors.Join(err, whole.Write(filepath.Join(dir, name), data))
	}
	if err != nil {
		return errors.Join(err, claim.Undo())
	}
	return nil
}

// EncodeFile writes the ids of a text, one a line; DecodeFile the text of ids.
func (c *Coder) EncodeFile(dir, text, ids string) error { return c.run("encode", dir, text, ids) }

// DecodeFile writes the text of the ids that a file holds, with space between them.
func (c *Coder) DecodeFile(dir, ids, text string) error { return c.run("decode", dir, ids, text) }

// Tokens returns the bytes of every token of a folder, by id.
func (c *Coder) Tokens(dir string) ([][]byte, error) {
	file := filepath.Join(c.work.Path, "tokens")
	if err := c.run("list", dir, file); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var tokens [][]byte
	return tokens, json.Unmarshal(data, &tokens)
}

// Encode returns the ids of a text in the tokens of a folder.
func (c *Coder) Encode(dir, text string) ([]int, error) {
	from, to := filepath.Join(c.work.Path, "text"), filepath.Join(c.work.Path, "ids")
	if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
		return nil, err
	}
	if err := c.EncodeFile(dir, from, to); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(to)
	if err != nil {
		return nil, err
	}
	lines := strings.Fields(string(data))
	ids := make([]int, len(lines))
	for i, line := range lines {
		if ids[i], err = strconv.Atoi(line); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// Coding makes a Coder for one text. It is asked only for a text in learnt tokens.
type Coding func() (*Coder, error)

// OpenTokenizer returns the tokenizer of a folder, for a model of vocab tokens.
func OpenTokenizer(dir string, vocab int, coding Coding) (tokenizer.Tokenizer, error) {
	t, err := tokenizer.Open(dir, vocab)
	if learned, ok := t.(*tokenizer.Learned); ok && coding != nil {
		learned.Ask = func(text string) ([]int, error) {
			c, err := coding()
			if err != nil {
				return nil, err
			}
			defer c.Close()
			return c.Encode(dir, text)
		}
	}
	return t, err
}

// LearnedTokens are the tokens of a folder, for a run to learn from.
type LearnedTokens struct {
	*tokenizer.Learned
	dir string
}

// Open returns the tokens of a folder.
func (c *Coder) Open(dir string) (LearnedTokens, error) {
	tokens, err := c.Tokens(dir)
	encode := func(text string) ([]int, error) { return c.Encode(dir, text) }
	return LearnedTokens{&tokenizer.Learned{Tokens: tokens, Ask: encode}, dir}, err
}

// Encode returns the ids of a text.
func (t LearnedTokens) Encode(text string) ([]int, error) { return t.Ask(text) }

// Files returns the files that a run's folder holds of them.
func (t LearnedTokens) Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{tokenizer.VocabFile, tokenizer.MergesFile} {
		data, err := os.ReadFile(filepath.Join(t.dir, name))
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	data, err := json.Marshal(t.Tokens)
	files[tokenizer.TokensFile] = data
	return files, err
}
