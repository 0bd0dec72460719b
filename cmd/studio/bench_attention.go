package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newBenchAttention() *cobra.Command {
	var impl, out string
	var tokens int
	cmd := &cobra.Command{
		Use:   "attention",
		Short: "Time and memory of your attention of step 08 and of step 16, by the length of the text",
		Long: `Attention lets your attention of step 08 and that of step 16 go through a causal text,
forward and backward, one head with K = 64 on one core, and prints for lengths that
double how long both passes take, and how much memory the first ones ask for. With
16,384 tokens step 08 takes 2.4 GB; --tokens ends the table earlier.`,
		Example: `  go run ./cmd/grade bench attention
  go run ./cmd/grade bench attention --impl solutions --out attention.json
  go run ./cmd/grade plot flash --data attention.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if tokens < 64 || tokens > 1<<16 {
				return lang.Errorf("--tokens is %d; want 64 to 65536", tokens)
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			source, err := command.SourceOf(kit, impl)
			if err != nil {
				return err
			}
			p, w := command.Speaker(cmd), cmd.OutOrStdout()
			p.Tell(w, "| tokens | step 08, ms | step 16, ms | step 08, MB | step 16, MB |\n")
			fmt.Fprintln(w, "|--:|--:|--:|--:|--:|")
			var all []run.Attentions
			err = train.MeasureAttention(cmd.Context(), kit, source, tokens, cmd.ErrOrStderr(), func(a run.Attentions) {
				const ms, mb = 1e3, 1e-6
				fmt.Fprintf(w, "| %d | %.2f | %.2f | %.1f | %.1f |\n", a.Tokens, ms*a.Naive.Seconds, ms*a.Flash.Seconds,
					mb*float64(a.Naive.Bytes), mb*float64(a.Flash.Bytes))
				all = append(all, a)
			})
			if err != nil {
				return command.Failed(err)
			}
			return keepNumbers(out, all)
		},
	}
	f := cmd.Flags()
	f.StringVar(&impl, "impl", "mine", "whose code: mine or solutions")
	f.StringVar(&out, "out", "", "also write the numbers to `FILE` as JSON, for grade plot flash")
	f.IntVar(&tokens, "tokens", 1<<14, "the longest text, in tokens")
	return cmd
}
