// Command grade checks a student's steps, says what is right, what is wrong
// and why, and keeps the record.
//
//	go run ./cmd/grade            the course at a glance
//	go run ./cmd/grade step01     grade a step
//	go run ./cmd/grade --help     everything else
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/terminal"
)

// Exit statuses. Scripts and courses depend on them.
const (
	exitOK          = 0   // full marks, or the command did what it was asked
	exitWrong       = 1   // something did not pass
	exitUsage       = 2   // the command was called the wrong way
	exitGrader      = 3   // the grader itself failed
	exitInterrupted = 130 // Ctrl-C, as shells tell it: 128 + SIGINT
)

func main() {
	sandbox.Main() // comes back unless this is the process that is to be fenced in
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:]))
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
func execute(ctx context.Context, args []string) int {
	p, err := printerFor(args, os.Getenv)
	p = p.Within(terminal.Columns(os.Stdout))
	var used *cobra.Command
	if err == nil {
		cmd := newRoot()
		localise(cmd, p)
		cmd.SetArgs(args)
		used, err = cmd.ExecuteContextC(speaking(ctx, p))
	}
	code, say := outcome(err)
	if say != nil {
		sayError(p, say)
	}
	switch {
	case code != exitUsage || say == nil:
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
	var status statusError
	switch {
	case err == nil:
		return exitOK, nil
	case errors.Is(err, context.Canceled):
		return exitInterrupted, lang.Errorf("interrupted; what was graded before is kept")
	case errors.As(err, &status):
		return status.code, status.err
	}
	return exitUsage, err
}

// statusError carries an exit status; err is nil when everything has been said.
type statusError struct {
	code int
	err  error
}

func (e statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

// Unwrap returns the error that the status stands for.
func (e statusError) Unwrap() error { return e.err }

// failed marks an error as the grader's own (exit status 3).
func failed(err error) error {
	if err == nil {
		return nil
	}
	return statusError{exitGrader, err}
}

func newRoot() *cobra.Command {
	var opts gradeOptions
	root := &cobra.Command{
		Use:   "grade [STEP...]",
		Short: "Check your steps: what is right, what is wrong and why",
		Long: `Grade checks your steps and tells you what is right, what is wrong and why.

Without arguments it shows the course at a glance. A STEP is step05, 05, 5,
swiglu or its folder; "all" is every step.

Exit status: 0 full marks, 1 something did not pass, 2 wrong usage, 3 the
grader itself failed, 130 interrupted.`,
		Example: `  go run ./cmd/grade step01
  go run ./cmd/grade 5 6 --plain
  go run ./cmd/grade all --impl solutions --format json --out report.json`,
		Args:          cobra.ArbitraryArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return overview(cmd, opts)
			}
			return grade(cmd, opts, args)
		},
	}
	opts.register(root)
	root.AddCommand(newDescribe(), newHint(), newReset(), newDerive(), newUpdate(), newHistory(), newReport(), newDoctor(),
		newMilestone(), newTrain(), newGenerate(), newExplore(), newImport(), newExport(), newQuantize(), newEval(), newTokenize(),
		newPlot(), newCard(), newBench())
	root.AddCommand(instructorCommands()...)
	root.CompletionOptions.HiddenDefaultCmd = true
	suit(root)
	return root
}
