package main

import (
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/workspace"
)

// newPlot hands everything to the program cmd/plot, which carries the drawing
// library, so that grade stays small and quick to build.
func newPlot() *cobra.Command {
	return &cobra.Command{
		Use:   "plot [NAME]",
		Short: "Make a picture: of your code, of a training run, of measurements",
		Example: `  go run ./cmd/grade plot
  go run ./cmd/grade plot rope
  go run ./cmd/grade plot loss --run runs/tiny-village --out loss.svg`,
		DisableFlagParsing: true, // the options are those of cmd/plot
		RunE:               plot,
	}
}

// newCard is a command of the same program.
func newCard() *cobra.Command {
	return &cobra.Command{
		Use:                "card",
		Short:              "Make a picture of what you have built",
		DisableFlagParsing: true,
		RunE:               func(cmd *cobra.Command, args []string) error { return plot(cmd, append([]string{"card"}, args...)) },
	}
}

// plot runs cmd/plot.
func plot(cmd *cobra.Command, args []string) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return failed(err)
	}
	binary, remove, err := buildTool(cmd.Context(), kit, "plot")
	if err != nil {
		return failed(err)
	}
	defer remove()
	child := exec.CommandContext(cmd.Context(), binary, args...)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, cmd.OutOrStdout(), cmd.ErrOrStderr()
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	child.WaitDelay = 10 * time.Second
	var exit *exec.ExitError
	if err := child.Run(); errors.As(err, &exit) && exit.ExitCode() > 0 {
		return statusError{code: exit.ExitCode()} // it has said why
	} else if err != nil {
		return failed(err)
	}
	return nil
}
