package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/train"
)

func newEval() *cobra.Command {
	var impl, on string
	cmd := &cobra.Command{
		Use:   "eval DIR",
		Short: "How well a model foretells a text: loss, perplexity, bits per character",
		Long: `Eval lets the model in DIR foretell every token of a run's validation text, with
your own code, and prints its mean loss, perplexity and bits per character. A
model in fewer bits has no text of its own: --on names the run that it is of.`,
		Example: `  go run ./cmd/grade eval runs/small-opticks
  go run ./cmd/grade eval runs/small-int8 --on runs/small-opticks`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withProgram(cmd, impl, args[0], func(binary string) error {
				e, err := train.Evaluate(cmd.Context(), binary, args[0], cmp.Or(on, args[0]), cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				speaker(cmd).Tell(cmd.OutOrStdout(), "%d tokens: loss %.4f, perplexity %.3f, %.3f bits per character\n",
					e.Tokens, e.Loss, e.Perplexity(), e.BitsPerCharacter())
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&impl, "impl", "mine", "whose code: mine or solutions")
	cmd.Flags().StringVar(&on, "on", "", "the run `DIR` whose validation text is foretold; the model's own unless given")
	return cmd
}
