package main

import (
	"github.com/spf13/cobra"
	"github.com/stubformer/stubformer/cmd/command/program"
	"github.com/stubformer/stubformer/grader/studio/train"
)

func newDevBegin() *cobra.Command {
	var impl string
	cmd := &cobra.Command{
		Use:   "begin DIR OUT",
		Short: "Write a training run's first weights and its batches, for bench/train_torch.py",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return program.With(cmd, impl, args[0], func(binary string) error {
				return train.Begin(cmd.Context(), binary, args[0], args[1], cmd.ErrOrStderr())
			})
		},
	}
	cmd.Flags().StringVar(&impl, "impl", "solutions", "whose code: mine or solutions")
	return cmd
}
