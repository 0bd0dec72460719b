package main

import (
	"cmp"
	"errors"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/reference/corpus"
)

func newEval() *cobra.Command {
	var impl, on, text string
	var context int
	cmd := &cobra.Command{
		Use: "eval DIR",
		Long: `Eval lets the model in DIR foretell every token of a text but the first, with your
own code, and prints its mean loss, perplexity, bits per character and per byte.
The text is what the run in DIR was validated on. A model that came from elsewhere
or is in fewer bits has none of its own: --on names a run, --corpus a text, of which
the last tenth is read, as training keeps it back.`,
		Example: `  go run ./cmd/grade eval runs/small-opticks
  go run ./cmd/grade eval runs/small-int8 --on runs/small-opticks
  go run ./cmd/grade eval reference/models/village-gqa --corpus village --context 32`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			reading, err := toRead(args[0], on, text, context)
			if err != nil {
				return err
			}
			reading.Coding = coding(cmd, impl)
			return program.With(cmd, impl, args[0], func(binary string) error {
				e, err := train.Evaluate(cmd.Context(), binary, args[0], reading, cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				command.Speaker(cmd).Tell(cmd.OutOrStdout(), "%d tokens: loss %.4f, perplexity %.3f, %.3f bits per character, %.3f bits per byte\n",
					e.Tokens, e.Loss, e.Perplexity(), e.BitsPerCharacter(), e.BitsPerByte())
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&impl, "impl", "mine", "whose code: mine or solutions")
	cmd.Flags().StringVar(&on, "on", "", "the run `DIR` whose validation text is foretold; the model's own unless given")
	cmd.Flags().StringVar(&text, "corpus", "", "opticks, village, villages or the `PATH` of a text file, whose last tenth is foretold")
	cmd.Flags().IntVar(&context, "context", 0, "read pieces of `N` tokens; the model's context unless given")
	return cmd
}

// toRead returns what is to be foretold.
func toRead(dir, on, text string, context int) (train.Reading, error) {
	switch {
	case on != "" && text != "":
		return train.Reading{}, lang.Errorf("--on and --corpus both name a text; give one of them")
	case text == "":
		return train.Reading{On: cmp.Or(on, dir), Context: context}, nil
	}
	whole, err := corpus.Load(text)
	if unknown := new(corpus.UnknownError); errors.As(err, &unknown) {
		err = lang.DidYouMean(err, unknown.Name, corpus.Names()...)
	}
	return train.Reading{Text: run.Validation(whole), Context: context}, err
}
