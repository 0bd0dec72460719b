package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/course"
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
		return fmt.Errorf("%s has hints 1 to %d; got %q", step.ID, len(step.Hints), number)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s, hint %d of %d (%s)\n\n%s\n", step.ID, n, len(step.Hints), step.Hints[n-1].For, step.Hints[n-1].Text)
	return nil
}

// nextHint shows the next unseen hint for the check that failed first in the
// last attempt, and remembers that it was shown.
func nextHint(cmd *cobra.Command, step *course.Step) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return failed(err)
	}
	history := progress.Open(historyPath(kit))
	attempts, err := history.Attempts()
	if err != nil {
		return failed(err)
	}
	check := firstFailed(step, attempts)
	hints := step.HintsFor(check)
	seen := progress.Hints(attempts, step.ID, check)
	if len(hints) == 0 {
		return fmt.Errorf("%s has no hints for %s; its lesson is steps/%s/README.md", step.ID, check, step.Folder)
	}
	n := min(seen, len(hints)-1)
	fmt.Fprintf(cmd.OutOrStdout(), "%s, %s: hint %d of %d\n\n%s\n", step.ID, check, n+1, len(hints), hints[n].Text)
	if n+1 < len(hints) {
		fmt.Fprintf(cmd.OutOrStdout(), "\nAnother one: go run ./cmd/grade hint %s\n", step.ID)
	}
	if seen < len(hints) {
		return failed(history.AppendHint(step.ID, check, seen+1))
	}
	return nil
}

// firstFailed returns the first check of the step that did not pass in the
// last attempt: the very first one if there was no attempt, or if all passed.
func firstFailed(step *course.Step, attempts []progress.Attempt) string {
	for i := len(attempts) - 1; i >= 0; i-- {
		if attempts[i].Step != step.ID || len(attempts[i].Checks) == 0 {
			continue
		}
		for _, c := range step.Checks {
			if attempts[i].Checks[c.ID] != "passed" {
				return c.ID
			}
		}
		break
	}
	return step.Checks[0].ID
}
