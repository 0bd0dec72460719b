package main

import (
	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/train"
	"github.com/stubformer/stubformer/grader/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newExport() *cobra.Command {
	var impl string
	cmd := &cobra.Command{
		Use:   "export DIR FILE",
		Short: "Write a model's parameters as .safetensors or .npz",
		Long: `Export writes the parameters of the model in DIR to FILE, under the names of
the course, for a program in another language. The ending of FILE, .safetensors
or .npz, decides the format.`,
		Example: `  go run ./cmd/grade export runs/small-opticks model.safetensors`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withProgram(cmd, impl, args[0], func(binary string) error {
				return train.Export(cmd.Context(), binary, args[0], args[1], cmd.ErrOrStderr())
			})
		},
	}
	cmd.Flags().StringVar(&impl, "impl", "mine", "whose code reads the checkpoint: mine or solutions")
	return cmd
}

func newDevBegin() *cobra.Command {
	var impl string
	cmd := &cobra.Command{
		Use:   "begin DIR OUT",
		Short: "Write a training run's first weights and its batches, for bench/train_torch.py",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withProgram(cmd, impl, args[0], func(binary string) error {
				return train.Begin(cmd.Context(), binary, args[0], args[1], cmd.ErrOrStderr())
			})
		},
	}
	cmd.Flags().StringVar(&impl, "impl", "solutions", "whose code: mine or solutions")
	return cmd
}

// withProgram builds the program for the model in a folder and hands it to f.
func withProgram(cmd *cobra.Command, impl, dir string, f func(binary string) error) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return failed(err)
	}
	if _, err := sourceOf(kit, impl); err != nil {
		return err
	}
	c, err := run.Open(dir)
	if err != nil {
		return err
	}
	binary, remove, err := buildProgram(cmd.Context(), kit, impl, c.Model)
	if err != nil {
		return err
	}
	defer remove()
	if err := f(binary); err != nil {
		return explain(err)
	}
	return nil
}
