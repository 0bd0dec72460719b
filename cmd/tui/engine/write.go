package engine

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/page/writepage"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/studio/explore"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Writer is a program with the student's code that writes with a trained model.
type Writer struct {
	cancel    context.CancelFunc
	questions chan writepage.Question
	news      chan tea.Msg
}

// What a writer tells.
type (
	WriterReady struct{ Writer *Writer }
	Written     struct {
		Writer *Writer
		Answer writepage.Answer
	}
	WriterEnded struct {
		Writer *Writer
		Err    error // nil: it was closed
	}
)

// Write builds the program for the model of a run's folder around somebody's code,
// and answers the questions that Ask is given until Close.
func (e *Engine) Write(dir, impl string) (*Writer, tea.Cmd) {
	ctx, cancel := context.WithCancel(e.ctx)
	w := &Writer{cancel, make(chan writepage.Question, 1), make(chan tea.Msg)}
	work := e.during(func() tea.Msg {
		defer close(w.news)
		defer cancel()
		err := e.write(ctx, w, dir, impl)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = nil
		}
		w.tell(ctx, WriterEnded{w, err})
		return nil
	})
	return w, tea.Batch(work, w.Next())
}

// Next returns what the writer has to tell next.
func (w *Writer) Next() tea.Cmd { return func() tea.Msg { return <-w.news } }

// Ask puts a question. Only one may be under way.
func (w *Writer) Ask(q writepage.Question) {
	select {
	case w.questions <- q:
	default:
	}
}

// Close ends the program.
func (w *Writer) Close() { w.cancel() }

func (w *Writer) tell(ctx context.Context, m tea.Msg) {
	select {
	case w.news <- m:
	case <-ctx.Done():
	}
}

func (e *Engine) write(ctx context.Context, w *Writer, dir, impl string) error {
	path := filepath.Join(e.kit.Root, dir)
	if err := train.HasModel(path); err != nil {
		return err
	}
	source := workspace.Own()
	if impl == "solutions" {
		source = workspace.Solutions()
	}
	var unused strings.Builder // what the student's code prints has no place here
	m, err := explore.Open(path, func(dir string, vocab int) (tokenizer.Tokenizer, error) {
		return train.OpenTokenizer(dir, vocab, func() (*train.Coder, error) {
			return train.NewCoder(ctx, e.kit, source, &unused)
		})
	})
	if err != nil {
		return err
	}
	tmp, err := scratch.New()
	if err != nil {
		return err
	}
	defer tmp.Remove()
	r, err := e.open(dir)
	if err != nil {
		return err
	}
	binary, err := train.Build(ctx, e.kit, source, r.Config.Model, tmp.Path)
	if err != nil {
		return err
	}
	talk := train.Converse(binary, path, &unused)
	defer talk.Close()
	m.Asker = talk
	w.tell(ctx, WriterReady{w})
	for {
		select {
		case q := <-w.questions:
			w.tell(ctx, Written{w, answer(m, q)})
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// answer puts a question to a model.
func answer(m *explore.Model, q writepage.Question) (a writepage.Answer) {
	if a.Tokens = q.Tokens; len(a.Tokens) == 0 {
		if a.Tokens, a.Err = m.Encode(q.Prompt); a.Err != nil {
			return a
		}
	}
	drawn := inside.Question{Temperature: q.Temperature, TopP: q.TopP, Seed: q.Seed, Stop: m.Stop}
	if q.More > 0 {
		drawn.Ask, drawn.IDs, drawn.Tokens = inside.Write, a.Tokens, q.More
		var more inside.Written
		if a.Err = ask(m, drawn, &more); a.Err != nil {
			return a
		}
		a.Tokens, a.Ended = slices.Concat(a.Tokens, more.IDs), more.Ended
	}
	seen := a.Tokens[max(0, len(a.Tokens)-m.Context):]
	var reading inside.Reading
	if a.Err = ask(m, inside.Question{Ask: inside.Read, IDs: seen}, &reading); a.Err != nil {
		return a
	}
	for i, id := range a.Tokens {
		p := writepage.Piece{Text: m.Vocab[id], Surprise: math.NaN()}
		if at := i - (len(a.Tokens) - len(seen)); at >= 1 {
			p.Surprise = reading.Surprise[at-1]
		}
		a.Pieces = append(a.Pieces, p)
	}
	drawn.Ask, drawn.IDs, drawn.At = inside.Look, seen, len(seen)
	var place inside.Place
	if a.Err = ask(m, drawn, &place); a.Err != nil {
		return a
	}
	for _, g := range place.Expected {
		a.Next = append(a.Next, writepage.Guess{Text: m.Vocab[g.ID], P: g.P})
	}
	a.Rest, a.Can = place.Rest, place.Nucleus
	return a
}

// ask puts a question and reads the answer.
func ask(m *explore.Model, q inside.Question, answer any) error {
	data, err := m.Asker.Ask(q)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, answer)
}
