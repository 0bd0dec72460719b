package main

import (
	"errors"
	"math/rand/v2"
	"slices"

	writer "github.com/stubformer/stubformer/grader/programs/generate"
	"github.com/stubformer/stubformer/grader/programs/talk"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/cputime"
	lm "github.com/stubformer/stubformer/steps/step10_lm"
	paged "github.com/stubformer/stubformer/steps/step22_paged"
)

// engine lets texts read together: they join when there are pages for all that they may
// become, and leave when they end. In every call those that write read the token that they
// have drawn, and those that have just come a piece of their prompt.
//
// A text is the same in any company. Which of its tokens it reads in one call depends on
// its prompt alone, and every call has equally many rows, since a product of another size
// may round otherwise: what the texts leave free is filled with tokens that nobody sees.
type engine struct {
	reader  *paged.Reader
	serving run.Serving
	draw    func([]float32, lm.Sampling, *rand.Rand) (int, error)

	waiting, running []*text
	filler           *paged.Text
	standing         run.Standing
}

// text is an answer that is being written.
type text struct {
	run.Request
	read    *paged.Text
	unread  []int // of the prompt, or the token that was drawn last
	written int
	rng     *rand.Rand
}

// newEngine returns an engine whose pool has pages for the filler, too.
func newEngine(m *lm.LM, s run.Serving) *engine {
	r := paged.New(m, s.Pages+run.PagesFor(s.Rows()), run.PageTokens)
	return &engine{reader: r, serving: s, draw: writer.Draw, filler: r.Pool().NewText(),
		standing: run.Standing{Pages: s.Pages}}
}

// ask takes a request in, or lets one go.
func (e *engine) ask(r run.Request) {
	if !r.Leave {
		e.waiting = append(e.waiting, &text{Request: r, unread: r.Prompt, rng: rand.New(rand.NewPCG(r.Seed, 0))})
		return
	}
	is := func(t *text) bool { return t.ID == r.ID }
	e.waiting = slices.DeleteFunc(e.waiting, is)
	if i := slices.IndexFunc(e.running, is); i >= 0 {
		e.leave(e.running[i])
	}
}

// idle reports whether nobody waits for anything.
func (e *engine) idle() bool { return len(e.waiting)+len(e.running) == 0 }

// admit lets texts join in the order in which they came, while there is room.
func (e *engine) admit() {
	for len(e.waiting) > 0 && len(e.running) < e.serving.Texts {
		t := e.waiting[0]
		if e.standing.Reserved+t.Pages() > e.serving.Pages {
			return // nobody overtakes: those behind may be short for ever
		}
		t.read = e.reader.Pool().NewText()
		e.standing.Reserved += t.Pages()
		e.running, e.waiting = append(e.running, t), e.waiting[1:]
	}
}

// leave ends a text.
func (e *engine) leave(t *text) {
	t.read.Truncate(0)
	e.standing.Reserved -= t.Pages()
	e.running = slices.DeleteFunc(e.running, func(o *text) bool { return o == t })
}

// plan returns which texts read in the next call: all that write, and of the prompts, in
// the order in which they came, as many pieces as there is room for.
func (e *engine) plan() (texts []*text, ids [][]int) {
	left := e.serving.Rows()
	for _, writes := range []bool{true, false} {
		for _, t := range e.running {
			piece := t.unread[:min(len(t.unread), e.serving.Chunk)]
			if (t.written > 0) == writes && len(piece) <= left {
				texts, ids, left = append(texts, t), append(ids, piece), left-len(piece)
			}
		}
	}
	return texts, ids
}

// step lets the texts read once, and draws a token for each that has nothing more to read.
func (e *engine) step() (run.Served, error) {
	begin := cputime.Wall()
	e.admit()
	texts, ids := e.plan()
	logits, err := e.forward(texts, ids)
	if err != nil {
		return run.Served{}, err
	}
	var all []run.Written
	row := -1
	for i, t := range texts {
		row += len(ids[i])
		if t.written == 0 {
			e.standing.Read += len(ids[i])
		}
		if t.unread = t.unread[len(ids[i]):]; len(t.unread) > 0 {
			continue
		}
		w, err := e.write(t, logits[row])
		if err != nil {
			return run.Served{}, err
		}
		all = append(all, w)
	}
	for _, w := range all {
		if w.End {
			e.leave(e.running[slices.IndexFunc(e.running, func(t *text) bool { return t.ID == w.ID })])
			e.standing.Answered++
		}
	}
	e.standing.Seconds += (cputime.Wall() - begin).Seconds()
	return run.Served{Written: all, Standing: e.state()}, nil
}

// forward reads the pieces, and what fills them up, and returns the logits of all rows.
func (e *engine) forward(texts []*text, ids [][]int) ([][]float32, error) {
	var reads []*paged.Text
	free := e.serving.Rows()
	for i, t := range texts {
		reads, free = append(reads, t.read), free-len(ids[i])
	}
	if free > 0 {
		reads, ids = append(reads, e.filler), append(slices.Clone(ids), make([]int, free))
	}
	logits, err := e.reader.Forward(reads, ids)
	if err != nil {
		return nil, err
	}
	e.filler.Truncate(0)
	rows := make([][]float32, logits.Dim(0))
	for i := range rows {
		rows[i] = logits.Row(i)
	}
	if len(rows) != e.serving.Rows() {
		return nil, errors.New("Reader.Forward returned another number of rows than there were tokens: " +
			"go run ./cmd/grade step22")
	}
	return rows, nil
}

// write draws the next token of a text.
func (e *engine) write(t *text, logits []float32) (run.Written, error) {
	s := lm.Sampling{Temperature: t.Temperature, TopP: t.TopP}
	token, err := e.draw(logits, s, t.rng)
	if err != nil {
		return run.Written{}, err
	}
	if token == t.Stop {
		return run.Written{ID: t.ID, Token: -1, End: true}, nil
	}
	e.standing.Wrote++
	t.written++
	t.unread = []int{token}
	return run.Written{ID: t.ID, Token: token, End: t.written == t.Tokens}, nil
}

// state is how things stand now.
func (e *engine) state() run.Standing {
	l := e.standing
	l.Running, l.Waiting, l.Used = len(e.running), len(e.waiting), 0
	for _, t := range e.running {
		l.Used += len(t.read.Pages())
	}
	return l
}

// serve answers requests until there are no more.
func serve(l talk.Line, m *lm.LM, s run.Serving, requests <-chan run.Request) error {
	e := newEngine(m, s)
	if _, err := e.forward(nil, nil); err != nil { // what is not written is told at once
		return err
	}
	l.Send(run.Event{Served: &run.Served{Standing: e.state()}})
	for {
		if e.idle() {
			r, more := <-requests
			if !more {
				return nil
			}
			e.ask(r)
		}
		for waiting := true; waiting; {
			select {
			case r, more := <-requests:
				if !more {
					return nil
				}
				e.ask(r)
			default:
				waiting = false
			}
		}
		if e.idle() {
			continue
		}
		served, err := e.step()
		if err != nil {
			return err
		}
		l.Send(run.Event{Served: &served})
	}
}
