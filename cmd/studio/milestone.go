package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/trial"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

func newMilestone() *cobra.Command {
	var impl string
	cmd := &cobra.Command{
		Use: "milestone [N]",
		Long: `Milestone trains a small model that is made of your own steps, for some seconds,
and lets it write. With each milestone the model sees more, and its loss comes
closer to the floor: the entropy of the text, below which no model can stay.
Until step 11 a small optimiser of the kit does the updates.

It also looks for what a check of one step cannot see: whether every gradient is
the slope of the loss, and whether the loss is what sound steps reach.

Without N it shows how far you are.`,
		Example: `  go run ./cmd/grade milestone
  go run ./cmd/grade milestone 1`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			if _, err := command.SourceOf(kit, impl); err != nil {
				return err
			}
			if len(args) == 0 {
				return showMilestones(cmd, kit)
			}
			m, err := milestone.Find(args[0])
			if err != nil {
				return err
			}
			return runMilestone(cmd, kit, m, impl)
		},
	}
	cmd.Flags().StringVar(&impl, "impl", "mine", "whose code: mine or solutions")
	return cmd
}

// runMilestone trains a milestone's model and shows how it goes.
func runMilestone(cmd *cobra.Command, kit *workspace.Kit, m milestone.Milestone, impl string) error {
	p, out := command.Speaker(cmd), cmd.OutOrStdout()
	passed, err := progress.Open(progress.Path(kit.Root)).Passed()
	if err != nil {
		return command.Failed(err)
	}
	var waits []string
	if impl == "mine" {
		waits = m.Waits(passed)
	}
	if len(waits) > 0 {
		p.Tell(out, "Without full marks so far: %s. What goes wrong here may come from there.\n", strings.Join(waits, ", "))
	}
	source, err := command.SourceOf(kit, impl)
	if err != nil {
		return err
	}
	a := trial.Attempt{Milestone: m, Kit: kit, Source: source, Prints: cmd.ErrOrStderr()}
	p.Tell(out, "Milestone %d, %s: %s, from %s\n", m.Number, m.Name, m.Title, run.CodeOf(impl))
	r, err := a.Run(cmd.Context(), func(s run.Step) {
		if s.ValidationLoss != nil {
			p.Tell(out, "  update %4d  loss %.4f\n", s.Step, *s.ValidationLoss)
		}
	})
	var todo *train.NotImplementedError
	switch {
	case errors.As(err, &todo):
		return command.StatusError{Code: command.ExitWrong, Err: lang.Errorf("%w; this milestone needs it. Next: go run ./cmd/grade %s", todo, todo.Step())}
	case err != nil:
		return program.Explain(err)
	}
	fmt.Fprintf(out, "\n%s\n", quoted(untrusted.Visible(r.Sample), "  "))
	wrong := r.Wrong(m)
	for _, w := range wrong {
		fmt.Fprintf(out, "\n%s\n", w.In(p))
	}
	switch {
	case len(wrong) == 0:
		p.Tell(out, "\nEvery gradient is the slope of the loss, as measured, and the loss is that of the logits.\n")
	case len(waits) == 0:
		p.Tell(out, "\nFull marks did not show this. Where it may be: go run ./cmd/grade all --own-stack\n")
	}
	if impl == "mine" {
		if err := r.Save(kit.Root, m); err != nil {
			return command.Failed(lang.Errorf("the result could not be kept: %w", err))
		}
		fmt.Fprintln(out)
		if err := showMilestones(cmd, kit); err != nil {
			return err
		}
	}
	if len(wrong) > 0 {
		return command.StatusError{Code: command.ExitWrong}
	}
	return nil
}

// showMilestones prints all milestones: the loss of each that was run beside the
// floor, what it writes, and which is next.
func showMilestones(cmd *cobra.Command, kit *workspace.Kit) error {
	p, out := command.Speaker(cmd), cmd.OutOrStdout()
	passed, err := progress.Open(progress.Path(kit.Root)).Passed()
	if err != nil {
		return command.Failed(err)
	}
	results, err := trial.Kept(kit.Root)
	if err != nil {
		return command.Failed(err)
	}
	style := command.StyleFor(out, false, p)
	fmt.Fprintf(out, "%s\n\n", style.Bold(p.Say("What your steps can do")))
	next := ""
	for _, m := range milestone.All() {
		r, done := results[m.Name]
		waits := m.Waits(passed)
		head := fmt.Sprintf("  %d  %-12s", m.Number, m.Name)
		switch {
		case done:
			lossRow(out, style, head, r.Loss)
			for _, line := range lang.Wrap(firstLine(untrusted.Visible(r.Sample)), 56) {
				fmt.Fprintf(out, "%17s%s\n", "", style.Faint(line))
			}
			if len(r.Wrong(m)) > 0 {
				fmt.Fprintf(out, "%17s%s\n", "", style.Bad(p.Say("something is wrong: go run ./cmd/grade milestone %d", m.Number)))
			}
		case len(waits) > 0:
			fmt.Fprintf(out, "%s  %s\n", head, style.Faint(p.Say("%s (opens with %s)", m.Title, waits[len(waits)-1])))
			if next == "" {
				next = p.Say("Next: go run ./cmd/grade %s", waits[0])
			}
		default:
			fmt.Fprintf(out, "%s  %s\n", head, p.Say("%s (open)", m.Title))
			if next == "" {
				next = p.Say("Next: go run ./cmd/grade milestone %d", m.Number)
			}
		}
	}
	lossRow(out, style, "     "+lang.Pad(p.Say("floor"), 12), corpus.VillageEntropy())
	if next == "" {
		next = p.Say("Next: go run ./cmd/grade train")
	}
	fmt.Fprintf(out, "\n%s\n", next)
	return nil
}

// lossRow prints a loss and a bar of its length, in sixteenths of a nat.
func lossRow(w io.Writer, style report.Style, head string, loss float64) {
	bar := strings.Repeat("━", min(56, max(1, int(math.Round(loss*16)))))
	fmt.Fprintf(w, "%s  %s  %s\n", head, fmt.Sprintf("%.4f", loss), style.Good(bar))
}

// firstLine is the first line of a text that is not empty, its quotation marks
// aside.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// quoted indents a text by a margin and wraps it.
func quoted(text, margin string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		for _, piece := range lang.Wrap(strings.TrimSpace(line), 72) {
			lines = append(lines, strings.TrimRight(margin+piece, " "))
		}
	}
	return strings.Join(lines, "\n")
}
