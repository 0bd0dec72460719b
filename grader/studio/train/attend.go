package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
)

// Attention is what the tokens of a text attend to in a trained model.
type Attention struct {
	Tokens []string         // the text of each, T of them
	Layers []*tensor.Tensor // (H, T, T): the weight of query t for key s at [h, t, s]
}

// Attend runs the model of a folder on a text and returns what every token
// attended to. What the student's code prints goes to prints. Its errors are
// those of Run, or say what is wrong with the folder or the text.
func Attend(ctx context.Context, binary, dir, text string, coding Coding, prints io.Writer) (_ *Attention, err error) {
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
	ids, err := t.Prompt(text)
	if err != nil {
		return nil, lang.Errorf("the text: %w", err)
	}
	if limit := c.Model.ContextLength; len(ids) > limit {
		return nil, lang.Errorf("the text has %d tokens, but the model's context is %d; choose a shorter one", len(ids), limit)
	}
	a := &Attention{}
	for _, id := range ids {
		token, err := t.Decode([]int{id})
		if err != nil {
			return nil, err
		}
		a.Tokens = append(a.Tokens, token)
	}
	request, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	tmp, err := scratch.New()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tmp.Remove()) }()
	file := filepath.Join(tmp.Path, "attention.npz")
	if err := Run(ctx, binary, []string{"attend", dir, string(request), file}, prints, func(run.Event) {}); err != nil {
		return nil, err
	}
	state, err := weights.Read(file)
	if err != nil {
		return nil, err
	}
	for layer := range c.Model.NumLayers {
		a.Layers = append(a.Layers, state[fmt.Sprintf("layers.%d", layer)])
	}
	return a, nil
}
