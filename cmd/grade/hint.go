package main

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newHint() *cobra.Command {
	return &cobra.Command{
		Use:   "hint STEP [N]",
		Short: "The next hint for what failed last, or hint number N",
		Long: `Hint shows one hint at a time, each a step closer to the code, for the first
check that did not pass in your last attempt. With N it shows hint N of the step.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			step, err := course.Find(course.Steps(), args[0])
			if err != nil {
				return err
			}
			if len(args) == 2 {
				return numberedHint(cmd, step, args[1])
			}
			return nextHint(cmd, step)
		},
	}
}

func numberedHint(cmd *cobra.Command, step *course.Step, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(step.Hints) {
		return lang.Errorf("%s has hints 1 to %d; got %q", step.ID, len(step.Hints), number)
	}
	speaker(cmd).Tell(cmd.OutOrStdout(), "%s, hint %d of %d (%s)\n\n%s\n", step.ID, n, len(step.Hints), step.Hints[n-1].For, lang.Of(step.Hints[n-1].Text))
	return nil
}

// nextHint shows the next unseen hint for the check that failed first in the
// last attempt, and remembers that it was shown.
func nextHint(cmd *cobra.Command, step *course.Step) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return failed(err)
	}
	hint, err := progress.Open(historyPath(kit)).RevealHint(step)
	var none *progress.NoHintsError
	if errors.As(err, &none) {
		return err
	}
	if hint.Text != "" {
		speaker(cmd).Tell(cmd.OutOrStdout(), "%s, %s: hint %d of %d\n\n%s\n", step.ID, hint.Check, hint.N, hint.Of, lang.Of(hint.Text))
	}
	if hint.N < hint.Of {
		speaker(cmd).Tell(cmd.OutOrStdout(), "\nAnother one: go run ./cmd/grade hint %s\n", step.ID)
	}
	return failed(err)
}
