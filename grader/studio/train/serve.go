package train

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/tokenizer"
)

// Served is a model that continues many texts at once.
type Served struct {
	dir     string
	config  run.Config
	serving run.Serving
	tokens  tokenizer.Tokenizer

	putting sync.Mutex    // a request after the other
	input   *json.Encoder // nil: the program does not run yet

	mu      sync.Mutex
	answers map[int]chan run.Written // by the number of the request
	next    int
	ended   chan struct{} // closed when it runs no more
	err     error         // why
}

// OpenServed prepares the model of a folder, which must be Pageable. Without a number of
// pages it has half of those that as many caches of step 12 would take.
func OpenServed(dir string, s run.Serving, coding Coding) (*Served, error) {
	c, err := run.Open(dir)
	if err == nil {
		err = HasModel(dir)
	}
	if err == nil {
		err = Pageable(dir, c.Model)
	}
	if err != nil {
		return nil, err
	}
	context := c.Model.ContextLength
	if s.Pages == 0 {
		s.Pages = (s.Texts + 1) / 2 * run.PagesFor(context)
	}
	switch {
	case s.Texts < 1 || s.Chunk < 1:
		return nil, lang.Errorf("%d texts and pieces of %d tokens; want at least 1 of both", s.Texts, s.Chunk)
	case s.Pages < 1 || s.Pages > 1<<20:
		return nil, lang.Errorf("%d pages; want 1 to %d", s.Pages, 1<<20)
	case s.Rows() > context:
		return nil, lang.Errorf("%d texts and pieces of %d tokens are %d tokens in a call, "+
			"and the context of %s is %d; want fewer", s.Texts, s.Chunk, s.Rows(), dir, context)
	}
	t, err := OpenTokenizer(dir, c.VocabSize, coding)
	if err != nil {
		return nil, err
	}
	return &Served{dir: dir, config: c, serving: s, tokens: t, answers: map[int]chan run.Written{},
		ended: make(chan struct{})}, nil
}

// Model is the model that writes.
func (s *Served) Model() run.Model { return s.config.Model }

// Serving says how it answers.
func (s *Served) Serving() run.Serving { return s.serving }

// PageBytes is how many bytes a page takes: keys and values of all layers, 2·L·D·S numbers.
func (s *Served) PageBytes() int {
	m := s.config.Model
	return 4 * 2 * m.NumLayers * m.DModel * run.PageTokens
}

// Run lets the model answer until ctx is done. It calls each whenever something has
// changed, at first when it can be asked. binary is what BuildPaged has built. What the
// student's code prints goes to prints. Its errors are those of Run.
func (s *Served) Run(ctx context.Context, binary string, prints io.Writer, each func(run.Standing)) error {
	options, err := json.Marshal(s.serving)
	if err != nil {
		return err
	}
	err = runWith(ctx, binary, []string{"serve", s.dir, string(options)}, prints, func(input io.Writer) {
		s.putting.Lock()
		defer s.putting.Unlock()
		s.input = json.NewEncoder(input)
	}, func(e run.Event) {
		if e.Served != nil {
			s.hand(e.Served.Written)
			each(e.Served.Standing)
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err = err; s.err == nil {
		s.err = lang.Errorf("the server has ended")
	}
	close(s.ended)
	return err
}

// hand gives tokens to those who wait for them.
func (s *Served) hand(written []run.Written) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range written {
		if answer := s.answers[w.ID]; answer != nil {
			answer <- w // it has room for all
		}
	}
}

// request turns what is asked for into tokens. It is an error if it cannot be answered,
// whoever else asks. If s.Tokens is negative, it becomes as long as it may be, and at most 256.
func (s *Served) request(o Sampling) (run.Generation, error) {
	if err := CheckSampling(o.Temperature, o.TopP); err != nil {
		return run.Generation{}, err
	}
	prompt, err := s.tokens.Prompt(o.Prompt)
	if err != nil {
		return run.Generation{}, lang.Errorf("the prompt: %w", err)
	}
	context := s.config.Model.ContextLength
	fits := min(context-len(prompt), s.serving.Pages*run.PageTokens-len(prompt)+1)
	if o.Tokens < 0 {
		o.Tokens = max(1, min(256, fits))
	}
	g := run.Generation{Prompt: prompt, Tokens: o.Tokens, Temperature: o.Temperature, TopP: o.TopP,
		Stop: s.tokens.Stop(), Seed: o.Seed}
	switch {
	case len(prompt)+g.Tokens > context:
		return g, tooLong(len(prompt), g.Tokens, s.dir, context)
	case g.Pages() > s.serving.Pages:
		return g, lang.Errorf("a prompt of %d tokens and %d new ones take %d pages of %d tokens, "+
			"and there are %d in all; want at most %d new ones",
			len(prompt), g.Tokens, g.Pages(), run.PageTokens, s.serving.Pages, max(0, fits))
	}
	return g, nil
}

// Write continues a text, and calls each with what there is to show, as it comes. It
// returns when the text has ended or ctx is done. Before the first piece its errors are
// those of a request that cannot be answered; later, that the program has ended.
func (s *Served) Write(ctx context.Context, o Sampling, each func(more string) error) error {
	g, err := s.request(o)
	if err != nil || g.Tokens == 0 {
		return err
	}
	id, answer, err := s.ask(g)
	if err != nil {
		return err
	}
	text := NewStream(s.tokens, g.Prompt)
	for {
		select {
		case w := <-answer:
			if w.Token >= 0 {
				more, err := text.Add([]int{w.Token})
				if err == nil && more != "" {
					err = each(more)
				}
				if err != nil {
					s.leave(id)
					return err
				}
			}
			if w.End {
				s.forget(id)
				return nil
			}
		case <-ctx.Done():
			s.leave(id)
			return ctx.Err()
		case <-s.ended:
			return s.err
		}
	}
}

// ask puts a request, and returns its number and where its tokens come.
func (s *Served) ask(g run.Generation) (int, <-chan run.Written, error) {
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		return 0, nil, s.err
	}
	s.next++
	id, answer := s.next, make(chan run.Written, g.Tokens+1)
	s.answers[id] = answer
	s.mu.Unlock()
	s.put(run.Request{Generation: g, ID: id})
	return id, answer, nil
}

// leave tells the program that nobody waits any more.
func (s *Served) leave(id int) {
	s.forget(id)
	s.put(run.Request{ID: id, Leave: true})
}

// put hands a request to the program. That it has ended is told elsewhere.
func (s *Served) put(r run.Request) {
	s.putting.Lock()
	defer s.putting.Unlock()
	if s.input != nil {
		s.input.Encode(r)
	}
}

// forget forgets an answer that has ended.
func (s *Served) forget(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.answers, id)
}
