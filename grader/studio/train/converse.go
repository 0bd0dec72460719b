package train

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/stubformer/stubformer/grader/host/child"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/inside"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// Patience is how long a question may take.
const Patience = 2 * time.Minute

// Conversation asks a running program about a model. It may be used by several
// goroutines. A program that has ended, because the student's code panicked or took
// too long, is started anew by the next question.
type Conversation struct {
	binary, verb, dir string
	prints            io.Writer

	mu      sync.Mutex // one question at a time
	program *talker    // nil: none runs
}

// Converse returns a conversation about the model of a folder, with the program that
// Build has made for it. What the student's code prints goes to prints.
func Converse(binary, dir string, prints io.Writer) *Conversation {
	return &Conversation{binary: binary, verb: "explore", dir: dir, prints: prints}
}

// RefusedError is why a question has no answer.
type RefusedError struct{ Message string }

func (e *RefusedError) Error() string { return e.Message }

// Ask asks a question. It returns a *RefusedError if there is no answer to it, and the
// errors of Run if the program ended.
func (c *Conversation) Ask(q inside.Question) (json.RawMessage, error) { return c.put(q) }

// put asks what is written as JSON.
func (c *Conversation) put(q any) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.program == nil {
		t, err := start(c.binary, c.verb, c.dir, c.prints)
		if err != nil {
			return nil, err
		}
		c.program = t
	}
	answer, err := c.program.ask(q)
	var refused *RefusedError
	if err != nil && !errors.As(err, &refused) {
		c.program = nil
	}
	return answer, err
}

// Close ends the program.
func (c *Conversation) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.program != nil {
		c.program.input.Close()
		<-c.program.ended
		c.program = nil
	}
}

// talker is a program that answers questions.
type talker struct {
	cmd    *exec.Cmd
	input  io.WriteCloser
	events chan run.Event
	ended  chan struct{} // closed when err is known
	err    error         // why it ended
}

// start starts a program.
func start(binary, verb, dir string, prints io.Writer) (*talker, error) {
	t := &talker{cmd: exec.Command(binary, verb, dir), events: make(chan run.Event, 1), ended: make(chan struct{})}
	stderr := &words{to: prints}
	t.cmd.Stderr = stderr
	input, err := t.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	t.input = input
	output, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	started := make(chan error)
	go func() { // the program lives as long as this goroutine
		end, err := child.Start(t.cmd)
		started <- err
		if err != nil {
			return
		}
		defer close(t.ended)
		defer end()
		said := t.listen(output)
		t.err = stderr.explain(t.cmd.Wait())
		if said != "" {
			t.err = &ProgramError{said}
		}
	}()
	return t, <-started
}

// listen passes on what the program says, until it ends or says something that is no
// event. It returns the error that the program ended with, in its own words.
func (t *talker) listen(output io.Reader) (said string) {
	for d := json.NewDecoder(output); ; {
		var e run.Event
		if err := d.Decode(&e); err != nil {
			if err != io.EOF {
				t.cmd.Process.Kill()
			}
			return said
		}
		if e.Error != "" {
			said = e.Error
			continue
		}
		select {
		case t.events <- e:
		default: // nobody asked
			t.cmd.Process.Kill()
			return said
		}
	}
}

// ask puts one question.
func (t *talker) ask(q any) (json.RawMessage, error) {
	data, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	// If the program has ended, that is what is to be said, and not that the pipe broke.
	t.input.Write(append(data, '\n'))
	select {
	case e := <-t.events:
		if e.Refused != "" {
			return nil, &RefusedError{e.Refused}
		}
		return e.Answer, nil
	case <-t.ended:
		if t.err == nil {
			return nil, lang.Errorf("the program ended before it answered")
		}
		return nil, t.err
	case <-time.After(Patience):
		t.cmd.Process.Kill()
		<-t.ended
		return nil, lang.Errorf("there was no answer within %s; the program was ended", Patience)
	}
}
