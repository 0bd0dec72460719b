package train

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/train/run"
	"github.com/stubformer/stubformer/grader/train/tokenizer"
)

// Evaluation is how well a model foretells a text.
type Evaluation struct {
	run.Evaluated
	Characters int // of the tokens foretold
}

// Perplexity is among how many equally likely tokens the model chooses.
func (e Evaluation) Perplexity() float64 { return math.Exp(e.Loss) }

// BitsPerCharacter is the loss in bits, by character of the text.
func (e Evaluation) BitsPerCharacter() float64 {
	return e.Loss * float64(e.Tokens) / math.Ln2 / float64(e.Characters)
}

// Evaluate lets the model of the folder dir foretell the whole validation text of the
// run on. What the student's code prints goes to prints. Its errors are those of Run,
// or say what is wrong with the folders.
func Evaluate(ctx context.Context, binary, dir, on string, prints io.Writer) (Evaluation, error) {
	var e Evaluation
	characters, err := foretold(dir, on)
	if err != nil {
		return e, err
	}
	e.Characters = characters
	args := []string{"eval", dir, filepath.Join(on, run.ValidationFile)}
	err = Run(ctx, binary, args, prints, func(event run.Event) {
		if event.Evaluated != nil {
			e.Evaluated = *event.Evaluated
		}
	})
	if err == nil && e.Tokens == 0 {
		err = ctx.Err() // which is why the program said nothing
	}
	return e, err
}

// foretold returns how many characters of the validation text of the run on the model
// of dir has to foretell: all but those of the first token.
func foretold(dir, on string) (int, error) {
	if err := HasModel(dir); err != nil {
		return 0, err
	}
	data, err := os.ReadFile(filepath.Join(on, run.ValidationFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, lang.Errorf("%s has no validation text; name a run that has one, with --on", on)
	}
	if err != nil {
		return 0, err
	}
	if len(data) < 4 || len(data)%2 != 0 {
		return 0, lang.Errorf("the validation text in %s has %d bytes; want two for each of two tokens and more", on, len(data))
	}
	ids := make([]int, len(data)/2)
	for i := range ids {
		ids[i] = int(binary.LittleEndian.Uint16(data[2*i:]))
	}
	theirs, err := decode(on, ids[1:])
	if err != nil {
		return 0, err
	}
	if ours, err := decode(dir, ids[1:]); err != nil || ours != theirs {
		return 0, lang.Errorf("the model in %s has other tokens than the run in %s", dir, on)
	}
	return utf8.RuneCountInString(theirs), nil
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
