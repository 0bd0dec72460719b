package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/host/child"
)

// Peer is a program that measures itself: for each line that it reads it writes
// one, the seconds that what was asked for takes, or "!" and why it has no answer.
type Peer struct {
	Name string
	Env  []string // variables that it was given, NAME=VALUE

	cmd *exec.Cmd
	end func()
	in  io.WriteCloser
	out *bufio.Reader
}

// steering begins the names of the variables by which numeric libraries choose kernels,
// block sizes and threads.
var steering = []string{"OPENBLAS_", "GOTO_", "BLIS_", "MKL_", "OMP_", "GOMP_", "KMP_", "DNNL_", "ONEDNN_", "ATEN_"}

// Steered returns the variables of this process, NAME=VALUE, that steer numeric libraries.
// Peers do not inherit them: each is measured with what it chooses itself.
func Steered() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return !steers(v) })
}

func steers(variable string) bool {
	return slices.ContainsFunc(steering, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
}

// Start starts a peer with additional environment variables, in a session of its
// own: it has no terminal. It waits, stopped,
// for the first question.
func Start(name string, env []string, command ...string) (*Peer, error) {
	p := &Peer{Name: name, Env: env, cmd: exec.Command(command[0], command[1:]...)}
	p.cmd.Env = append(slices.DeleteFunc(os.Environ(), steers), env...)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if p.end, err = child.Start(p.cmd); err != nil {
		return nil, err
	}
	return p, pause(p.cmd.Process)
}

// NoAnswerError is what a peer says that has no answer to a question.
type NoAnswerError struct{ Peer, Why string }

func (e *NoAnswerError) Error() string { return e.Peer + ": " + e.Why }

// Ask puts a question and returns the answer, while no other peer that was
// started here runs.
func (p *Peer) Ask(question string) (seconds float64, err error) {
	text, err := p.Query(question)
	if err != nil {
		return 0, err
	}
	if why, ok := strings.CutPrefix(text, "!"); ok {
		return 0, &NoAnswerError{p.Name, strings.TrimSpace(why)}
	}
	return strconv.ParseFloat(text, 64)
}

// Query puts a question and returns the line that comes back.
func (p *Peer) Query(question string) (string, error) {
	if err := resume(p.cmd.Process); err != nil {
		return "", err
	}
	if _, err := fmt.Fprintln(p.in, question); err != nil {
		return "", fmt.Errorf("%s: %w", p.Name, err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%s ended at %q: %w", p.Name, question, err)
	}
	return strings.TrimSpace(line), pause(p.cmd.Process)
}

// Close ends the peer, and whatever it has left behind. It is called on the
// goroutine that has called Start.
func (p *Peer) Close() error {
	err := errors.Join(resume(p.cmd.Process), p.in.Close())
	defer p.end()
	var exit *exec.ExitError
	if ended := p.cmd.Wait(); !errors.As(ended, &exit) {
		err = errors.Join(err, ended)
	}
	return err
}
