package main

import (
	"fmt"
	"strconv"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/author/skeleton"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newDevNew() *cobra.Command {
	return &cobra.Command{
		Use:   "new NUMBER NAME",
		Short: "Make the files of a new step, which compile, with what is to be written marked",
		Long: `New adds a step to the course: a stub, its binding, a lesson with its headings, a
solution, the course's file with two checks, an empty catalogue of mistakes, the
generator of its fixtures, and its function in PyTorch and in the oracle. What you
have to write is marked TODO(author), and grade dev check lists what is missing.
docs/authors.md walks through it.`,
		Example: `  go run ./cmd/grade dev new 47 dropout`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := strconv.Atoi(args[0])
			if err != nil {
				return fmt.Errorf("the number of a step is a number; got %q", args[0])
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			files, err := skeleton.New(kit, number, args[1])
			if err != nil {
				return err
			}
			for _, name := range files {
				fmt.Fprintln(cmd.OutOrStdout(), name)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "\nWhat is to be written is marked %s. Then:\n\n"+
				"  /usr/bin/python3 fixtures/generate.py step%02d\n  go run ./cmd/grade dev check\n", skeleton.Mark, number)
			return nil
		},
	}
}
