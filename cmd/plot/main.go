// Command plot makes the pictures of the course: of your own code, of a
// training run, of measurements.
//
//	go run ./cmd/plot                                    the figures
//	go run ./cmd/plot rope --out rope.png                of your step 06
//	go run ./cmd/plot loss --run runs/tiny-village       of a training run
//
// `go run ./cmd/grade plot` is the same. It is a program of its own so that
// grade need not carry the drawing library.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/figure"
	"github.com/stubformer/stubformer/grader/figure/draw"
	"github.com/stubformer/stubformer/grader/workspace"
)

// Exit statuses.
const (
	exitFailed = 1 // the figure could not be made
	exitUsage  = 2 // the command was called the wrong way
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:]))
}

// execute runs the command line and returns the exit status.
func execute(ctx context.Context, args []string) int {
	cmd := newRoot()
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	var failed failedError
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "plot: interrupted; nothing was written")
		return exitFailed
	case errors.As(err, &failed):
		fmt.Fprintln(os.Stderr, "plot:", err)
		return exitFailed
	}
	fmt.Fprintln(os.Stderr, "plot:", err)
	fmt.Fprintln(os.Stderr, "Run `go run ./cmd/grade plot` for the figures, and with --help for the options.")
	return exitUsage
}

// failedError is what went wrong although the command was called the right way.
type failedError struct{ error }

func (e failedError) Unwrap() error { return e.error }

func newRoot() *cobra.Command {
	var o figure.Options
	var impl, out string
	cmd := &cobra.Command{
		Use:   "plot [NAME]",
		Short: "Make a picture: of your code, of a training run, of measurements",
		Long: `Plot makes a picture of your own code, of a training run or of measurements, as
PNG or SVG. Without a NAME it lists the figures and what each needs.

Exit status: 0 the picture was made, 1 it could not be made, 2 wrong usage.`,
		Example: `  go run ./cmd/grade plot rope
  go run ./cmd/grade plot init --impl solutions --out init.svg
  go run ./cmd/grade plot loss --run runs/tiny-village --run runs/small-village --out loss.svg
  go run ./cmd/grade plot attention --run runs/tiny-village --prompt "Tom wanted a lamp."`,
		Args:          cobra.MaximumNArgs(1),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return list(cmd)
			}
			o.Impl, o.Prints = grader.Impl(impl), cmd.ErrOrStderr()
			if out == "" {
				out = args[0] + ".png"
			}
			return picture(cmd, args[0], o, out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "write the picture to `FILE`, .png or .svg (default NAME.png)")
	f.StringVar(&impl, "impl", "mine", "whose code is run: mine or solutions")
	f.StringArrayVar(&o.Runs, "run", nil, "folder `DIR` of a training run; may be given several times")
	f.StringVar(&o.Prompt, "prompt", "", "`TEXT` for the model that attention shows")
	f.StringVar(&o.File, "data", "", "JSON `FILE` of measurements, for ladder and misconceptions")
	cmd.CompletionOptions.HiddenDefaultCmd = true
	return cmd
}

// picture makes a figure and writes it to a file.
func picture(cmd *cobra.Command, name string, o figure.Options, out string) error {
	if _, err := draw.FormatOf(out); err != nil {
		return err // before anything is measured
	}
	here, err := os.Getwd()
	if err != nil {
		return failedError{err}
	}
	if o.Kit, err = workspace.Find(here); err != nil {
		return failedError{err}
	}
	chart, err := figure.Make(cmd.Context(), name, o)
	var request *figure.RequestError
	if errors.As(err, &request) {
		return err
	}
	if err == nil {
		err = draw.File(out, chart)
	}
	if err != nil {
		return failedError{err}
	}
	fmt.Fprintln(cmd.OutOrStdout(), out)
	return nil
}

// list writes the figures and what they need.
func list(cmd *cobra.Command) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, i := range figure.List() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", i.Name, i.Shows, strings.Join(i.Needs.Options(), " "))
	}
	return w.Flush()
}
