package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/figure/card"
	"github.com/stubformer/stubformer/grader/studio/figure/draw"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newCard(p lang.Printer) *cobra.Command {
	var run, out string
	var dark, quick bool
	cmd := &cobra.Command{
		Use:   "card",
		Short: p.Say("Make a picture of what you have built"),
		Long: p.Say(`Card makes one picture of what you have built, as SVG and as PNG: the steps, how
the loss fell, a sentence that your model wrote, how fast it learns, and how many
times faster than three loops your matrix product is. It takes the training run
that was written to last, or, if there is none, your milestones.`),
		Example: `  go run ./cmd/grade card
  go run ./cmd/grade card --run runs/small-village --dark --out mine`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			kit, err := workspace.Find(".")
			if err != nil {
				return failedError{err}
			}
			out = strings.TrimSuffix(strings.TrimSuffix(out, ".png"), ".svg")
			if info, err := os.Stat(filepath.Dir(out)); err != nil || !info.IsDir() {
				return lang.Errorf("--out %s: there is no folder %s", out, filepath.Dir(out)) // before anything is measured
			}
			if !quick {
				p.Tell(cmd.ErrOrStderr(), "Measuring your matrix product beside three loops\n")
				if err := card.Measure(cmd.Context(), kit); err != nil {
					p.Tell(cmd.ErrOrStderr(), "It could not be measured: %v\n", err)
				}
			}
			c, err := card.Gather(kit, run)
			if err != nil {
				return failedError{err}
			}
			for _, ending := range []string{".svg", ".png"} {
				if err := draw.CardFile(out+ending, c, dark); err != nil {
					return failedError{err}
				}
				fmt.Fprintln(cmd.OutOrStdout(), out+ending)
			}
			p.Tell(cmd.OutOrStdout(), "\nWhat next:\n")
			for _, next := range card.Next() {
				fmt.Fprintf(cmd.OutOrStdout(), "  %s\n", next.In(p))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&run, "run", "", p.Say("folder `DIR` of a training run (default: the last one)"))
	f.StringVar(&out, "out", "card", p.Say("write `NAME`.svg and NAME.png"))
	f.BoolVar(&dark, "dark", false, p.Say("for a dark page"))
	f.BoolVar(&quick, "quick", false, p.Say("measure nothing: take the speed that was measured last"))
	return cmd
}
