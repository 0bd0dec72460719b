// Package talk is how a program that is made of a student's code talks to the grader that
// started it: it reports run.Events on its standard output, one a line, and ends when its
// standard input ends.
package talk

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"

	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// Line is a program's line to the grader.
type Line struct{ events *json.Encoder }

// Main does what the arguments of the program say, and reports why that failed.
func Main(do func(l Line, args []string) error) {
	signal.Ignore(os.Interrupt) // the grader hears it and ends our input
	l := Line{json.NewEncoder(os.Stdout)}
	os.Stdout = os.Stderr // for what the student's code prints
	if err := do(l, os.Args[1:]); err != nil {
		l.Fail(err)
	}
}

// Send reports an event. Nobody may be listening any more, which is no reason to stop
// before everything is saved.
func (l Line) Send(e run.Event) { l.events.Encode(e) }

// Fail reports why the program ends, and ends it.
func (l Line) Fail(err error) {
	l.Send(run.Event{Error: err.Error()})
	os.Exit(1)
}

// UntilInputEnds returns a context that is done when standard input ends.
func UntilInputEnds() context.Context {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return ctx
}

// Serve answers the questions on standard input, which are JSON, until there are no more. A
// question that cannot be answered is refused, and the next one is read.
func Serve[Q any](l Line, answer func(Q) (any, error)) error {
	for d := json.NewDecoder(os.Stdin); ; {
		var q Q
		if err := d.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		found, err := answer(q)
		if err != nil {
			l.Send(run.Event{Refused: err.Error()})
			continue
		}
		data, err := json.Marshal(found)
		if err != nil {
			return err
		}
		l.Send(run.Event{Answer: data})
	}
}
