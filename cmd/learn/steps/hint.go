package steps

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newHint() *verb {
	return &verb{
		use: "hint STEP [N]",
		long: `Hint shows one hint at a time, each a step closer to the code, for the first
check that did not pass in your last attempt. With N it shows hint N of the step.`,
		most: 2, options: flags(),
		run: func(c *call, args []string) error {
			if len(args) == 0 {
				return lang.Errorf("which step? For example: go run ./cmd/grade hint %s", "step01")
			}
			step, err := command.FindPart(args[0])
			if err != nil {
				return err
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			step = kit.Hinted(step)
			if len(args) == 2 {
				return numberedHint(c, step, args[1])
			}
			return nextHint(c, kit, step)
		},
	}
}

func numberedHint(c *call, step *course.Step, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(step.Hints) {
		return lang.Errorf("%s has hints 1 to %d; got %q", step.ID, len(step.Hints), number)
	}
	command.Speaker(c).Tell(command.Out(c), "%s, hint %d of %d (%s)\n\n%s\n", step.ID, n, len(step.Hints), step.Hints[n-1].For, lang.Of(step.Hints[n-1].Text))
	return nil
}

// nextHint shows the next unseen hint for the check that failed first in the
// last attempt, and remembers that it was shown.
func nextHint(c *call, kit *workspace.Kit, step *course.Step) error {
	history := progress.Open(progress.Path(kit.Root))
	attempts, err := history.Attempts()
	if err != nil {
		return command.Failed(err)
	}
	switch lastVerdict(step, attempts) {
	case verdict.CompileError:
		command.Speaker(c).Tell(command.Out(c), "%s did not compile when it was graded last, and the message shows where. No hint is used up: they are about what comes after that.\n", step.ID)
		return nil
	case verdict.Passed:
		command.Speaker(c).Tell(command.Out(c), "%s has full marks; there is nothing to hint at.\nHint N of the step: go run ./cmd/grade hint %s N\n", step.ID, step.ID)
		return nil
	}
	if at := progress.HintingAt(step, attempts); len(at.Hints) > 0 && at.Seen == len(at.Hints) {
		lastHint(c, step)
		return nil
	}
	hint, err := history.RevealHint(step)
	var none *progress.NoHintsError
	if errors.As(err, &none) {
		return err
	}
	if hint.Text != "" {
		command.Speaker(c).Tell(command.Out(c), "%s, %s: hint %d of %d\n\n%s\n", step.ID, hint.Check, hint.N, hint.Of, lang.Of(hint.Text))
	}
	if hint.N < hint.Of {
		command.Speaker(c).Tell(command.Out(c), "\nAnother one: go run ./cmd/grade hint %s\n", step.ID)
	} else if hint.Text != "" {
		fmt.Fprintln(command.Out(c))
		lastHint(c, step)
	}
	return command.Failed(err)
}

// lastHint says where to go on when all hints for a check have been shown.
func lastHint(c *call, step *course.Step) {
	command.Speaker(c).Tell(command.Out(c), "That was the last hint for this check; next: read steps/%s/README.md again, or see hint N once more: go run ./cmd/grade hint %s N\n", step.Folder, step.ID)
}

// lastVerdict is that of the last attempt at the step, "" if there was none.
func lastVerdict(step *course.Step, attempts []progress.Attempt) verdict.Kind {
	for _, a := range slices.Backward(progress.At(step, attempts)) {
		if a.Hint == 0 {
			return verdict.Kind(a.Verdict)
		}
	}
	return ""
}
