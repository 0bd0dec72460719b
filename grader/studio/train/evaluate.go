package train

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

// Reading is what a model is to foretell: the validation text of a run, or a text.
type Reading struct {
	On      string // the folder of a run, or "" for the text
	Text    string
	Coding  Coding // for a text in learnt tokens
	Context int    // tokens in a piece that is read at once; 0: as many as the model can
}

// Evaluation is how well a model foretells a text.
type Evaluation struct {
	run.Evaluated
	Characters, Bytes int // of the tokens foretold
}

// Perplexity is among how many equally likely tokens the model chooses.
func (e Evaluation) Perplexity() float64 { return math.Exp(e.Loss) }

// BitsPerCharacter is the loss in bits, by character of the text.
func (e Evaluation) BitsPerCharacter() float64 { return e.bits() / float64(e.Characters) }

// BitsPerByte is the loss in bits, by byte of the text in UTF-8.
func (e Evaluation) BitsPerByte() float64 { return e.bits() / float64(e.Bytes) }

func (e Evaluation) bits() float64 { return e.Loss * float64(e.Tokens) / math.Ln2 }

// Evaluate lets the model of the folder dir foretell what it is to read. What the
// student's code prints goes to prints. Its errors are those of Run, or say what is
// wrong with the folders or the text.
func Evaluate(ctx context.Context, program, dir string, r Reading, prints io.Writer) (e Evaluation, err error) {
	c, err := run.Open(dir)
	if err == nil {
		err = HasModel(dir)
	}
	if err == nil && (r.Context < 0 || r.Context > c.Model.ContextLength) {
		err = lang.Errorf("a context of %d tokens; the model in %s can read 1 to %d at once", r.Context, dir, c.Model.ContextLength)
	}
	if err != nil {
		return e, err
	}
	ids, err := r.tokens(dir)
	if err != nil {
		return e, err
	}
	text, err := decode(dir, ids)
	if err != nil {
		return e, err
	}
	first, err := decode(dir, ids[:1])
	if err != nil {
		return e, err
	}
	text = strings.TrimPrefix(text, first)
	e.Characters, e.Bytes = utf8.RuneCountInString(text), len(text)

	tmp, err := scratch.New()
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, tmp.Remove()) }()
	file := filepath.Join(tmp.Path, "tokens.bin")
	var data []byte
	for _, id := range ids {
		data = binary.LittleEndian.AppendUint16(data, uint16(id))
	}
	if err := whole.Write(file, data); err != nil {
		return e, err
	}
	args := []string{"eval", dir, file, strconv.Itoa(cmp.Or(r.Context, c.Model.ContextLength))}
	err = Run(ctx, program, args, prints, func(event run.Event) {
		if event.Evaluated != nil {
			e.Evaluated = *event.Evaluated
		}
	})
	if err == nil && e.Tokens == 0 {
		err = ctx.Err() // which is why the program said nothing
	}
	return e, err
}

// tokens returns what is to be read in the tokens of the model of dir: two or more.
func (r Reading) tokens(dir string) ([]int, error) {
	if r.On != "" {
		return ofRun(dir, r.On)
	}
	c, err := run.Open(dir)
	if err != nil {
		return nil, err
	}
	t, err := OpenTokenizer(dir, c.VocabSize, r.Coding)
	if err != nil {
		return nil, err
	}
	var ids []int
	for _, part := range texts(t, r.Text) {
		more, err := t.Prompt(part)
		if err != nil {
			return nil, lang.Errorf("the text: %w", err)
		}
		ids = append(ids, more...)
	}
	if len(ids) < 2 {
		return nil, lang.Errorf("the text has %d tokens; want two or more, since the first is not foretold", len(ids))
	}
	return ids, nil
}

// texts returns the parts of a text that a tokenizer reads as one each: all of it, or
// paragraph by paragraph where a token begins each text.
func texts(t tokenizer.Tokenizer, text string) []string {
	if t.Stop() < 0 {
		return []string{text}
	}
	return strings.Split(strings.Trim(text, "\n"), "\n\n")
}

// ofRun returns the validation text of the run on in tokens, if they are those of dir.
func ofRun(dir, on string) ([]int, error) {
	data, err := os.ReadFile(filepath.Join(on, run.ValidationFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, lang.Errorf("%s has no validation text; name a run that has one, with --on, or a text, with --corpus", on)
	}
	if err != nil {
		return nil, err
	}
	if len(data) < 4 || len(data)%2 != 0 {
		return nil, lang.Errorf("the validation text in %s has %d bytes; want two for each of two tokens and more", on, len(data))
	}
	ids := make([]int, len(data)/2)
	for i := range ids {
		ids[i] = int(binary.LittleEndian.Uint16(data[2*i:]))
	}
	theirs, err := decode(on, ids)
	if err != nil {
		return nil, err
	}
	if ours, err := decode(dir, ids); err != nil || ours != theirs {
		return nil, lang.Errorf("the model in %s has other tokens than the run in %s", dir, on)
	}
	return ids, nil
}

// decode returns the text of ids in the tokens of a folder.
func decode(dir string, ids []int) (string, error) {
	c, err := run.Open(dir)
	if err != nil {
		return "", err
	}
	t, err := tokenizer.Open(dir, c.VocabSize)
	if err != nil {
		return "", err
	}
	return t.Decode(ids)
}
