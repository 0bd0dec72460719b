// Package command is what the programs of grade share: exit statuses, the language that is
// spoken, how steps and implementations are named, the line that says what is going on.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/stubformer/stubformer/grader/host/terminal"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/sandbox"
)

// Exit statuses. Scripts and courses depend on them.
const (
	ExitOK          = 0   // full marks, or the command did what it was asked
	ExitWrong       = 1   // something did not pass
	ExitUsage       = 2   // the command was called the wrong way
	ExitGrader      = 3   // the grader itself failed
	ExitInterrupted = 130 // Ctrl-C, as shells tell it: 128 + SIGINT
)

// Main runs a program's command line and ends it with its exit status. run returns, with what
// went wrong, the command that was called: "grade train"; "" if none was found.
func Main(run func(ctx context.Context, p lang.Printer, args []string) (called string, err error)) {
	sandbox.Main() // comes back unless this is the process that is to be fenced in
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	args := os.Args[1:]
	p, err := printerFor(args, os.Getenv)
	p = p.Within(terminal.Columns(os.Stdout))
	called, out := "", terminal.NewOutput(os.Stdout)
	if err == nil {
		called, err = run(writing(speaking(ctx, p), out), p, args)
	}
	if lost := out.Err(); lost != nil && (err == nil || errors.Is(err, lost)) {
		err = StatusError{ExitWrong, lost}
	}
	os.Exit(end(p, called, err))
}

// end says what went wrong and returns the exit status.
func end(p lang.Printer, called string, err error) int {
	code, say := outcome(err)
	if say != nil {
		SayError(p, say)
	}
	switch {
	case code != ExitUsage || say == nil:
	case called == "" || called == "grade":
		p.Tell(os.Stderr, "Run `go run ./cmd/grade --help` for the commands.\n")
	default:
		p.Tell(os.Stderr, "Run `go run ./cmd/%s --help` for how it is used.\n", called)
	}
	return code
}

// endings are the signals that end a run in order, with nothing left behind. The
// end of the terminal is one, unless nohup says otherwise.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// outcome returns the exit status that a command's error leads to, and what is
// still to be said; nil if nothing is.
func outcome(err error) (code int, say error) {
	var status StatusError
	switch {
	case err == nil:
		return ExitOK, nil
	case errors.Is(err, context.Canceled):
		return ExitInterrupted, lang.Errorf("interrupted; what was graded before is kept")
	case errors.As(err, &status):
		return status.Code, status.Err
	}
	return ExitUsage, err
}

// StatusError carries an exit status; Err is nil when everything has been said.
type StatusError struct {
	Code int
	Err  error
}

func (e StatusError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns the error that the status stands for.
func (e StatusError) Unwrap() error { return e.Err }

// Failed marks an error as the grader's own (exit status 3).
func Failed(err error) error {
	if err == nil {
		return nil
	}
	return StatusError{Code: ExitGrader, Err: err}
}
