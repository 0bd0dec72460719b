// Command program is what `grade finetune`, `grade chat` and `grade generate --adapter` run:
// the student's own model, and around it the student's step 17. Where adapters are wanted
// the grader builds it with the layer of step 17 in the place of that of step 02.
//
//	program learn DIR JOB    learn from the examples of a run.Job, a file with JSON
//	program answer DIR       answer the run.Asks on standard input, as JSON
//
// It writes run.Events to standard output, one a line. Learning ends, without a result, when
// its standard input ends.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/stubformer/stubformer/grader/programs/model"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

func main() {
	signal.Ignore(os.Interrupt) // the grader hears it and ends our input
	p := program{events: json.NewEncoder(os.Stdout)}
	os.Stdout = os.Stderr // for what the student's code prints
	if err := p.do(os.Args[1:]); err != nil {
		p.send(run.Event{Error: err.Error()})
		os.Exit(1)
	}
}

// program is one run of this command.
type program struct{ events *json.Encoder }

// send reports an event.
func (p program) send(e run.Event) { p.events.Encode(e) }

func (p program) do(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("the arguments are %q; want a verb and a folder", args)
	}
	c, err := run.Open(args[1])
	if err != nil {
		return err
	}
	m, err := model.Load(args[1], c)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 3 && args[0] == "learn":
		return p.learn(untilInputEnds(), m, args[2])
	case len(args) == 2 && args[0] == "answer":
		return p.answer(m, os.Stdin)
	}
	return fmt.Errorf("the arguments are %q; there is no such verb", args)
}

// untilInputEnds returns a context that is done when standard input ends.
func untilInputEnds() context.Context {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return ctx
}
