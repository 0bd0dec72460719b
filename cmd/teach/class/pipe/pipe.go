// Package pipe lets another process grade submissions: lines of JSON go out on
// its standard input and come back on its standard output. So a program that
// grades through a message queue need not carry the queue's library.
//
// The first line is the Terms. Every line after it is a question, a number and
// a submission; the answer has the same number and a report or an error.
// Answers may come in any order.
package pipe

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/report"
)

type question struct {
	Number     int               `json:"number"`
	Submission *class.Submission `json:"submission"`
}

type answer struct {
	Number int            `json:"number"`
	Report *report.Report `json:"report,omitempty"`
	Error  string         `json:"error,omitempty"`
}

// Grader is a class.Grader on this side of the pipe.
type Grader struct {
	terms class.Terms

	mu      sync.Mutex
	out     *json.Encoder
	last    int
	waiting map[int]chan answer
	ended   error // why no more answers come
}

// New returns a Grader that writes to out and reads from in, until in ends.
func New(out io.Writer, in io.Reader, terms class.Terms) (*Grader, error) {
	g := &Grader{terms: terms, out: json.NewEncoder(out), waiting: map[int]chan answer{}}
	if err := g.out.Encode(terms); err != nil {
		return nil, err
	}
	go g.listen(in)
	return g, nil
}

// Terms returns what beside a submission decides its result.
func (g *Grader) Terms() class.Terms { return g.terms }

// Grade asks the other side.
func (g *Grader) Grade(ctx context.Context, s *class.Submission) (*report.Report, error) {
	reply, err := g.ask(s)
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-reply:
		if a.Report == nil {
			return nil, errors.New(a.Error)
		}
		return a.Report, nil
	}
}

func (g *Grader) ask(s *class.Submission) (<-chan answer, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended != nil {
		return nil, g.ended
	}
	g.last++
	reply := make(chan answer, 1)
	g.waiting[g.last] = reply
	return reply, g.out.Encode(question{g.last, s})
}

// listen hands out the answers. When they end, whoever still waits is told.
func (g *Grader) listen(in io.Reader) {
	answers := json.NewDecoder(bufio.NewReader(in))
	for {
		var a answer
		err := answers.Decode(&a)
		g.mu.Lock()
		if err != nil {
			g.ended = errors.New("the program that was to grade has ended")
			for number, reply := range g.waiting {
				reply <- answer{number, nil, g.ended.Error()}
			}
			g.mu.Unlock()
			return
		}
		if reply := g.waiting[a.Number]; reply != nil {
			delete(g.waiting, a.Number)
			reply <- a
		}
		g.mu.Unlock()
	}
}

// Serve answers, with the Grader that open returns for the terms, until in or
// ctx ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, open func(class.Terms) (class.Grader, error)) error {
	questions := json.NewDecoder(bufio.NewReader(in))
	var terms class.Terms
	if err := questions.Decode(&terms); err != nil {
		return fmt.Errorf("the terms cannot be read: %w", err)
	}
	g, err := open(terms)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex // for out
	answers := json.NewEncoder(out)
	for {
		var q question
		switch err := questions.Decode(&q); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("a question cannot be read: %w", err)
		}
		go func() {
			a := answer{Number: q.Number}
			var err error
			if a.Report, err = g.Grade(ctx, q.Submission); err != nil {
				a.Report, a.Error = nil, err.Error()
			}
			mu.Lock()
			defer mu.Unlock()
			answers.Encode(a) // if nobody reads any more, in ends as well
		}()
	}
}
