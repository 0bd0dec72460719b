package main

import (
	"github.com/spf13/cobra"
	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/program"

	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newQuantize() *cobra.Command {
	var impl, format, out string
	cmd := &cobra.Command{
		Use: "quantize DIR --to FORMAT --out DIR",
		Long: `Quantize stores every matrix of the model in DIR in a format of step 15, with
your own code, and makes a new folder of what the model is then. The numbers in
the new folder are those that the format leaves, written as float32; how many
bytes they take in the format is printed. A model in int8 multiplies in int8
when it writes: your layer of step 15 stands in it for that of step 02.`,
		Example: `  go run ./cmd/grade quantize runs/small-opticks --to int8 --out runs/small-int8
  go run ./cmd/grade generate runs/small-int8`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := train.WantsOut(out); err != nil {
				return err
			}
			return program.With(cmd, impl, args[0], func(binary string) error {
				kit, err := workspace.Find(".")
				if err != nil {
					return err
				}
				work, err := scratch.New()
				if err != nil {
					return err
				}
				defer work.Remove()
				source, err := command.SourceOf(kit, impl)
				if err != nil {
					return err
				}
				q := train.Quantizer{Kit: kit, Source: source, Prints: cmd.ErrOrStderr()}
				made, err := q.Quantize(cmd.Context(), binary, args[0], format, out, work.Path)
				if err != nil {
					return err
				}
				command.Speaker(cmd).Tell(cmd.OutOrStdout(), "In %s the parameters take %d bytes.\nTo let the model write:\n  go run ./cmd/grade generate %s\n", lang.Raw(format), made.Bytes, lang.Argument(out))
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&impl, "impl", "mine", "whose code: mine or solutions")
	cmd.Flags().StringVar(&format, "to", "", "the `FORMAT`: int8, int4, bf16, fp16 or f32")
	cmd.Flags().StringVar(&out, "out", "", "a new folder `DIR` for the model")
	cmd.MarkFlagRequired("to")
	cmd.MarkFlagRequired("out")
	return cmd
}
