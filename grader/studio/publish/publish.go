// Package publish makes of a trained model one page that can be sent: whoever opens it lets
// the model write, with the code of whoever built it and with no server.
package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/explore"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// temperature is that of grade generate.
const temperature = 0.8

// Model is what is published, and by whose code.
type Model struct {
	Kit    *workspace.Kit
	Source workspace.Source
	Impl   string // Source as the command line calls it: mine or solutions
	Dir    string // of the run

	Title  string    // "": the name of the folder
	By     string    // whose model it is; may be ""
	Prompt string    // to begin with; "": the beginning of the validation text
	Prints io.Writer // for what the code prints
}

// BrowserError says that the code, which runs here, cannot be compiled for a browser.
type BrowserError struct{ Err error }

func (e *BrowserError) Error() string { return e.In(lang.Printer{}) }

func (e *BrowserError) Unwrap() error { return e.Err }

// In says the error in the language of p.
func (e *BrowserError) In(p lang.Printer) string {
	return p.Say("the code works on this machine, and cannot be compiled for a browser (GOOS=js, GOARCH=wasm):\n%s", p.Error(e.Err))
}

// Page builds the page, which speaks a language at first. Its errors are those of
// train.Build and train.Run, or a *BrowserError.
func (m Model) Page(ctx context.Context, language string) (page []byte, err error) {
	c, err := run.Open(m.Dir)
	if err != nil {
		return nil, err
	}
	if err := train.HasModel(m.Dir); err != nil {
		return nil, err
	}
	shown, err := explore.Open(m.Dir, tokenizer.Open)
	if err != nil {
		return nil, err
	}
	p, err := m.describe(c, shown)
	if err != nil {
		return nil, err
	}
	work, err := scratch.New()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, work.Remove()) }()
	if p.Parameters, err = m.parameters(ctx, c, shown, work.Path); err != nil {
		return nil, err
	}
	if p.Program, err = m.program(ctx, c, work.Path); err != nil {
		return nil, err
	}
	if p.Runtime, err = m.Kit.BrowserRuntime(ctx); err != nil {
		return nil, err
	}
	return explore.Publish(p, language)
}

// describe says all of the model that needs none of its code.
func (m Model) describe(c run.Config, shown *explore.Model) (p explore.Publication, err error) {
	files, err := tokenizer.Files(m.Dir)
	if err != nil {
		return p, err
	}
	if _, learned := files[tokenizer.TokensFile]; learned {
		return p, lang.Errorf("the tokens of %s were learnt in step 14, which a page does not hold; "+
			"publish a model whose tokens are characters", m.Dir)
	}
	p.Model, p.By, p.Temperature = shown.Description, m.By, temperature
	p.Model.Code, p.Model.Snapshots = m.Impl, []int{}
	if m.Title != "" {
		p.Model.Name = m.Title
	}
	if m.Prompt != "" {
		if _, err := shown.Encode(m.Prompt); err != nil {
			return p, err
		}
		p.Model.Text = m.Prompt
	}
	if floor := corpus.Entropy(c.Corpus); floor > 0 {
		p.Floor = &floor
	}
	steps, err := run.ReadLog(m.Dir)
	for _, s := range steps {
		if s.ValidationLoss != nil {
			p.Loss = s.ValidationLoss
		}
	}
	s := c.Model
	p.Given = inside.Model{Vocab: c.VocabSize, Context: s.ContextLength, Width: s.DModel, Layers: s.NumLayers, Heads: s.NumHeads,
		Hidden: s.DFF, Theta: s.RopeTheta, Tokenizer: files}
	return p, err
}

// parameters reads the parameters out of what the code has written, and has it read the
// text that the page begins with: whoever opens the page is not to find out that it cannot.
func (m Model) parameters(ctx context.Context, c run.Config, shown *explore.Model, work string) ([]byte, error) {
	binary, err := train.Build(ctx, m.Kit, m.Source, c.Model, work)
	if err != nil {
		return nil, err
	}
	talk := train.Converse(binary, m.Dir, m.Prints)
	defer talk.Close()
	ids, err := shown.Encode(shown.Text)
	if err != nil {
		return nil, err
	}
	for _, q := range []inside.Question{
		{Ask: inside.Look, IDs: ids[max(0, len(ids)-shown.Context):], At: 1, Temperature: 1, TopP: 1},
		{Ask: inside.Write, IDs: ids, Tokens: 2, TopP: 1, Stop: shown.Stop},
	} {
		if _, err := talk.Ask(q); err != nil {
			return nil, err
		}
	}
	file := filepath.Join(work, "parameters.safetensors")
	if err := train.Export(ctx, binary, m.Dir, file, m.Prints); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// program compiles the code for a browser.
func (m Model) program(ctx context.Context, c run.Config, work string) ([]byte, error) {
	binary, err := train.BuildPage(ctx, m.Kit, m.Source, c.Model, work)
	var compile *workspace.CompileError
	var refused *workspace.RefusedError
	if errors.As(err, &compile) || errors.As(err, &refused) {
		return nil, &BrowserError{err}
	}
	if err != nil {
		return nil, fmt.Errorf("for a browser: %w", err)
	}
	return os.ReadFile(binary)
}
