package main

import (
	"fmt"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newBenchFormats() *cobra.Command {
	var impl string
	cmd := &cobra.Command{
		Use:   "formats DIR",
		Short: "What a trained model loses and gains in fewer bits, with your own step 15",
		Long: `Formats stores the model of the run in DIR in every format of step 15, with your
own code, and prints for each how many bits a parameter takes, how well the model
then foretells the run's validation text, and how fast it writes at the end of its
context: with your cache of step 12 if that passes.`,
		Example: `  go run ./cmd/grade bench formats runs/small-opticks`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return program.With(cmd, impl, args[0], func(binary string) error {
				kit, err := workspace.Find(".")
				if err != nil {
					return err
				}
				source, err := command.SourceOf(kit, impl)
				if err != nil {
					return err
				}
				work, err := scratch.New()
				if err != nil {
					return err
				}
				defer work.Remove()
				p, out := command.Speaker(cmd), cmd.OutOrStdout()
				p.Tell(out, "| format | bits a parameter | bytes | perplexity | bits per character | tokens/s |\n")
				fmt.Fprintln(out, "|:--|--:|--:|--:|--:|--:|")
				q := train.Quantizer{Kit: kit, Source: source, Prints: cmd.ErrOrStderr()}
				cached := true
				err = q.Compare(cmd.Context(), binary, args[0], work.Path, func(s train.Shrunk) {
					fmt.Fprintf(out, "| %s | %.2f | %d | %.4f | %.4f | %.0f |\n", s.Format, s.Bits(), s.Bytes, s.Perplexity(), s.BitsPerCharacter(), s.TokensPerSecond)
					cached = s.Cached
				})
				if !cached {
					p.Tell(out, "\nEach token was written by reading the whole text again: there is no cache of step 12 that passes.\n")
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&impl, "impl", "mine", "whose code: mine or solutions")
	return cmd
}
