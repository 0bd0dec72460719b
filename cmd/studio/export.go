package main

import (
	"github.com/spf13/cobra"
	"github.com/stubformer/stubformer/cmd/command/program"

	"github.com/stubformer/stubformer/grader/studio/train"
)

func newExport() *cobra.Command {
	var impl string
	cmd := &cobra.Command{
		Use: "export DIR FILE",
		Long: `Export writes the parameters of the model in DIR to FILE, under the names of
the course, for a program in another language. The ending of FILE, .safetensors
or .npz, decides the format.`,
		Example: `  go run ./cmd/grade export runs/small-opticks model.safetensors`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return program.With(cmd, impl, args[0], func(binary string) error {
				return train.Export(cmd.Context(), binary, args[0], args[1], cmd.ErrOrStderr())
			})
		},
	}
	cmd.Flags().StringVar(&impl, "impl", "mine", "whose code reads the checkpoint: mine or solutions")
	return cmd
}
