package steps

import (
	"fmt"
	"slices"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newHistory() *verb {
	last, times := 0, ""
	set := flags()
	set.IntVar(&last, "number", 0, "only the last `N` attempts")
	set.StringVar(&times, "times", "", "write to `FILE` how long the steps took you, to be handed over")
	return &verb{
		letters: map[string]string{"n": "number"},
		use:     "history [STEP]",
		long: `History lists your attempts. With --times it writes to FILE how long each step took
you, which your instructor may ask you for: minutes, attempts, hints, and whether it
passed; no name, no date and none of your code. Pauses of more than half an hour do
not count, nor does what you read before your first attempt.`,
		most: 1, options: set,
		run: func(c *call, args []string) error {
			if last < 0 {
				return lang.Errorf("-n is %d; want 0 for all attempts, or how many", last)
			}
			if times != "" {
				return writeTimes(c, args, times)
			}
			var only *course.Step
			if len(args) == 1 {
				step, err := command.FindPart(args[0])
				if err != nil {
					return err
				}
				only = step
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			attempts, err := progress.Open(progress.Path(kit.Root)).Attempts()
			if err != nil {
				return command.Failed(err)
			}
			if only != nil {
				attempts = progress.At(only, attempts)
			}
			attempts = slices.DeleteFunc(attempts, func(a progress.Attempt) bool { return a.Hint > 0 })
			if last > 0 {
				attempts = attempts[max(0, len(attempts)-last):]
			}
			p := command.Speaker(c)
			for _, a := range attempts {
				p.Row(command.Out(c), fmt.Sprintf("%s  %s  %7s  %s%s", a.Time.Local().Format("2006-01-02 15:04:05"),
					a.Step, fmt.Sprintf("%d/%d", a.Score, a.Max), verdict.Kind(a.Verdict).Text().In(p), trackOf(a.Step, p)))
			}
			if len(attempts) == 0 {
				command.Speaker(c).Tell(command.Out(c), "No attempts yet. Start with: go run ./cmd/grade step01\n")
			}
			return nil
		},
	}
}

// trackOf is what stands behind an attempt at an elective.
func trackOf(id string, p lang.Printer) string {
	for _, s := range registry.Steps() {
		if s.ID == id && s.Elective() {
			return "  (" + s.Track.Text().In(p) + ")"
		}
	}
	return ""
}
