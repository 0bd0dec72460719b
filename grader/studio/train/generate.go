package train

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

// Sampling says what a model is to write.
type Sampling struct {
	Prompt      string
	Tokens      int     // at most
	Temperature float64 // ≥ 0
	TopP        float64 // 0 < TopP ≤ 1
	Seed        uint64
}

// Generator lets the model of a folder write.
type Generator struct {
	dir     string
	tokens  tokenizer.Tokenizer
	request run.Generation
}

// OpenGenerator prepares what is asked for. It is an error if dir holds no
// model, if the prompt has characters that the model does not know, or if a
// number is out of range.
func OpenGenerator(dir string, s Sampling, coding Coding) (*Generator, error) {
	if s.Tokens < 0 {
		return nil, lang.Errorf("%d tokens cannot be written; want 0 or more", s.Tokens)
	}
	if err := CheckSampling(s.Temperature, s.TopP); err != nil {
		return nil, err
	}
	c, err := run.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := HasModel(dir); err != nil {
		return nil, err
	}
	t, err := OpenTokenizer(dir, c.VocabSize, coding)
	if err != nil {
		return nil, err
	}
	prompt, err := t.Prompt(s.Prompt)
	if err != nil {
		return nil, lang.Errorf("the prompt: %w", err)
	}
	return &Generator{dir, t, run.Generation{Prompt: prompt, Tokens: s.Tokens, Temperature: s.Temperature,
		TopP: s.TopP, Stop: t.Stop(), Seed: s.Seed}}, nil
}

// CheckSampling returns an error if nothing can be drawn with a temperature and a top-p.
func CheckSampling(temperature, topP float64) error {
	if !(temperature >= 0) || math.IsInf(temperature, 0) {
		return lang.Errorf("the temperature is %g; want a number from 0 up", temperature)
	}
	if !(topP > 0 && topP <= 1) {
		return lang.Errorf("top-p is %g; want a number above 0 and at most 1", topP)
	}
	return nil
}

// HasModel returns an error if a run's folder holds no parameters yet.
func HasModel(dir string) error {
	for _, name := range []string{run.CheckpointFile, run.WeightsFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return lang.Errorf("%s has no checkpoint yet; train it first: go run ./cmd/grade train --resume %s", dir, lang.Argument(dir))
}

// Run writes the prompt and what follows it to out, token by token. What the
// student's code prints goes to prints. Its errors are those of Run.
func (g *Generator) Run(ctx context.Context, binary string, out, prints io.Writer) error {
	request, err := json.Marshal(g.request)
	if err != nil {
		return err
	}
	text := NewStream(g.tokens, nil)
	show := func(ids []int) error {
		more, err := text.Add(ids)
		if err == nil {
			_, err = io.WriteString(out, more)
		}
		return err
	}
	if err := show(g.request.Prompt); err != nil {
		return err
	}
	var broken error
	err = Run(ctx, binary, []string{"generate", g.dir, string(request)}, prints, func(e run.Event) {
		if broken == nil && len(e.Tokens) > 0 {
			broken = show(e.Tokens)
		}
	})
	_, last := io.WriteString(out, "\n")
	return errors.Join(err, broken, last)
}

// Stream turns the tokens of a text, as they come, into what can be shown of it.
type Stream struct {
	tokens  tokenizer.Tokenizer
	ids     []int
	written string
}

// NewStream returns that of a text behind a prompt, which is not shown.
func NewStream(t tokenizer.Tokenizer, prompt []int) *Stream {
	s := &Stream{tokens: t}
	s.Add(prompt) // a prompt that cannot be shown is told with the first token
	return s
}

// Add returns what can be shown of the text since the last call. A character that has
// begun is not shown before it has ended.
func (s *Stream) Add(ids []int) (more string, err error) {
	s.ids = append(s.ids, ids...)
	text, err := s.tokens.Decode(s.ids)
	text = untrusted.Visible(text[:len(text)-begun(text)])
	if err != nil || len(text) <= len(s.written) {
		return "", err
	}
	more = strings.TrimPrefix(text, s.written)
	s.written = text
	return more, nil
}

// RunWith writes the prompt and what follows it to out, as a model with an adapter says.
func (g *Generator) RunWith(a *Answerer, out io.Writer) error {
	ids, err := a.Write(g.request)
	if err != nil {
		return err
	}
	if n := len(ids); n > 0 && ids[n-1] == g.request.Stop {
		ids = ids[:n-1]
	}
	text, err := g.text(ids)
	if err == nil {
		_, err = io.WriteString(out, text+"\n")
	}
	return err
}

// text is the prompt and what follows it, for a terminal.
func (g *Generator) text(ids []int) (string, error) {
	text, err := g.tokens.Decode(slices.Concat(g.request.Prompt, ids))
	return untrusted.Visible(text[:len(text)-begun(text)]), err
}

// begun returns how many bytes at the end of a text are a character or a line end that
// has begun and not ended: the tokens to come may end it.
func begun(text string) int {
	if strings.HasSuffix(text, "\r") {
		return 1
	}
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRuneInString(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Export writes the parameters of a folder's model to a .safetensors or .npz
// file.
func Export(ctx context.Context, binary, dir, file string, prints io.Writer) error {
	if err := HasModel(dir); err != nil {
		return err
	}
	return Run(ctx, binary, []string{"export", dir, file}, prints, func(run.Event) {})
}

// Begin writes what a run begins with into the folder out, for another program
// to train the same: first.npz, the first parameters, and batches.bin, the
// sequences that it draws.
func Begin(ctx context.Context, binary, dir, out string, prints io.Writer) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return Run(ctx, binary, []string{"begin", dir, out}, prints, func(run.Event) {})
}
