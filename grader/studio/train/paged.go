package train

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/workspace"
)

// pagedStep is the step that reads many texts, and speculates.
const pagedStep = "paged"

// unpaged are the electives whose models step 22 cannot read: its attention is that of
// step 08, over all tokens that came before, and what stands around it is step 09's.
func unpaged() []string {
	return []string{"gqa", "window", "linear", "learned-positions", "sinusoids", "post-norm"}
}

// Pageable returns an error if step 22 cannot read the model of a folder.
func Pageable(dir string, m run.Model) error {
	guests, err := StandIns(m)
	if err != nil {
		return err
	}
	var those []string
	for _, g := range guests {
		if slices.Contains(unpaged(), g.Name) {
			those = append(those, g.Name)
		}
	}
	if len(those) > 0 {
		return lang.Errorf("%s was made with %s: step 22 reads models with the attention and the positions of step 08 alone",
			dir, strings.Join(those, ", "))
	}
	return nil
}

// BuildPaged builds the program around step 22 for a model that is Pageable. The errors
// are those of Build.
func BuildPaged(ctx context.Context, kit *workspace.Kit, source workspace.Source, model run.Model,
	outDir string) (binary string, err error) {
	step, err := stepNamed(pagedStep)
	if err != nil {
		return "", err
	}
	guests, err := Seats(model)
	if err != nil {
		return "", err
	}
	return BuildAround(ctx, kit, source, workspace.Build{Step: step.Folder, Package: "grader/programs/paged",
		With: guests, Portable: model.Portable}, outDir)
}

// Pair is a model, and another one that writes ahead for it: its draft.
type Pair struct {
	*Generator
	draft string
	Model run.Model // of the large one
}

// OpenPair prepares what the model of dir is to write with that of draft. Its errors are
// those of OpenGenerator, for both folders; that one of the models is not Pageable; that
// they have not the same tokens or not the same electives; and that the text would be
// longer than the context of one of them. If s.Tokens is negative, it becomes as long as
// they allow, and at most 256.
func OpenPair(dir, draft string, s Sampling, coding Coding) (*Pair, error) {
	most := s.Tokens < 0
	s.Tokens = max(0, s.Tokens)
	g, err := OpenGenerator(dir, s, coding)
	if err != nil {
		return nil, err
	}
	large, err := run.Open(dir)
	if err != nil {
		return nil, err
	}
	small, err := run.Open(draft)
	if err == nil {
		err = HasModel(draft)
	}
	if err != nil {
		return nil, lang.Errorf("the draft: %w", err)
	}
	for _, err := range []error{Pageable(dir, large.Model), Pageable(draft, small.Model),
		sameTokens(dir, draft, large, small), sameElectives(dir, draft, large.Model, small.Model)} {
		if err != nil {
			return nil, err
		}
	}
	shorter := dir
	if small.Model.ContextLength < large.Model.ContextLength {
		shorter = draft
	}
	limit, prompt := min(large.Model.ContextLength, small.Model.ContextLength), len(g.request.Prompt)
	if most {
		g.request.Tokens = max(1, min(256, limit-prompt))
	}
	if prompt+g.request.Tokens > limit {
		return nil, tooLong(prompt, g.request.Tokens, shorter, limit)
	}
	return &Pair{g, draft, large.Model}, nil
}

// tooLong says that a model cannot read a prompt and so many new tokens.
func tooLong(prompt, tokens int, dir string, context int) error {
	return lang.Errorf("a prompt of %d tokens and %d new ones are more than the context of %s, which is %d; "+
		"want at most %d new ones", prompt, tokens, dir, context, max(0, context-prompt))
}

// sameTokens returns an error unless two folders have one vocabulary.
func sameTokens(dir, draft string, large, small run.Config) error {
	of, err := tokenizer.Files(dir)
	if err != nil {
		return err
	}
	in, err := tokenizer.Files(draft)
	if err != nil {
		return err
	}
	if large.VocabSize == small.VocabSize && maps.EqualFunc(of, in, bytes.Equal) {
		return nil
	}
	return lang.Errorf("%s and %s have not the same vocabulary (of %d and of %d tokens); "+
		"a draft proposes tokens of the large model: train both on one text, with one tokenizer",
		dir, draft, large.VocabSize, small.VocabSize)
}

// sameElectives returns an error unless one program can hold both models.
func sameElectives(dir, draft string, large, small run.Model) error {
	one, err := Seats(large)
	if err != nil {
		return err
	}
	other, err := Seats(small)
	if err != nil {
		return err
	}
	if reflect.DeepEqual(one, other) && large.Portable == small.Portable {
		return nil
	}
	name := func(m run.Model) string {
		with := slices.Clone(m.With)
		if m.Portable {
			with = append(with, "portable")
		}
		return cmp.Or(strings.Join(with, ","), "-")
	}
	return lang.Errorf("%s was made with %s and %s with %s; one program runs both: want the same for both",
		dir, name(large), draft, name(small))
}

// Write writes the text with several lengths of the draft, and calls each with every one of
// them. binary is what BuildPaged has built. What the student's code prints goes to prints.
// Its errors are those of Run.
func (p *Pair) Write(ctx context.Context, binary string, ahead []int, prints io.Writer, each func(run.Drafted)) error {
	return p.write(ctx, binary, run.Speculation{Generation: p.request, Ahead: ahead, Rounds: 1}, prints, each)
}

// Measure is Write in several rounds, on one core and by its time.
func (p *Pair) Measure(ctx context.Context, binary string, ahead []int, rounds int, prints io.Writer,
	each func(run.Drafted)) error {
	s := run.Speculation{Generation: p.request, Ahead: ahead, Rounds: rounds, OneCore: true}
	return p.write(ctx, binary, s, prints, each)
}

func (p *Pair) write(ctx context.Context, binary string, s run.Speculation, prints io.Writer,
	each func(run.Drafted)) error {
	request, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return Run(ctx, binary, []string{"speculate", p.dir, p.draft, string(request)}, prints, func(e run.Event) {
		if e.Drafted != nil {
			each(*e.Drafted)
		}
	})
}

// Text is the prompt and what follows it, for a terminal.
func (p *Pair) Text(tokens []int) (string, error) { return p.text(tokens) }
