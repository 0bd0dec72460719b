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

	"github.com/spf13/cobra"

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

// Main runs the command line of a program and ends it with its exit status.
func Main(root func() *cobra.Command) {
	sandbox.Main() // comes back unless this is the process that is to be fenced in
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	os.Exit(execute(ctx, root(), os.Args[1:]))
}

// Root holds the commands of a program under the name that all of them are called by.
func Root(commands ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{Use: "grade", Args: cobra.ArbitraryArgs, RunE: Subcommand}
	root.AddCommand(commands...)
	return root
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

// execute runs the command line and returns the exit status.
func execute(ctx context.Context, cmd *cobra.Command, args []string) int {
	p, err := printerFor(args, os.Getenv)
	p = p.Within(terminal.Columns(os.Stdout))
	var used *cobra.Command
	if err == nil {
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.CompletionOptions.HiddenDefaultCmd = true
		describe(cmd)
		addTree(cmd)
		suit(cmd)
		localise(cmd, p)
		cmd.SetArgs(args)
		used, err = cmd.ExecuteContextC(speaking(ctx, p))
	}
	code, say := outcome(err)
	if say != nil {
		SayError(p, say)
	}
	switch {
	case code != ExitUsage || say == nil:
	case used == nil || !used.HasParent():
		p.Tell(os.Stderr, "Run `go run ./cmd/grade --help` for the commands.\n")
	default:
		p.Tell(os.Stderr, "Run `go run ./cmd/%s --help` for how it is used.\n", used.CommandPath())
	}
	return code
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
