package main

import (
	"github.com/stubformer/stubformer/cmd/command/tree"

	"fmt"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/author/lint"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newDev() *cobra.Command {
	dev := &cobra.Command{Use: "dev",
		Args: cobra.ArbitraryArgs, RunE: tree.Subcommand}
	dev.AddCommand(newDevNew(), newDevCheck(), newDevPristine(), newDevMutate(), newDevSeeds(), newDevBegin(), newDevHostile(),
		newDevClass(), newDevEndure(), newDevNotices(), newDevFilm(), newDevDashboard())
	return dev
}

func newDevCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Lint the course: stubs, solutions, hints, lessons, fixtures, exported API",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			line := command.NewStatusLine(cmd.ErrOrStderr(), false, command.Speaker(cmd))
			problems, err := lint.Check(cmd.Context(), kit, line.Show)
			line.Clear()
			if err != nil {
				return command.Failed(err)
			}
			for _, p := range problems {
				fmt.Fprintln(cmd.OutOrStdout(), p)
			}
			if len(problems) > 0 {
				return command.StatusError{Code: command.ExitWrong, Err: fmt.Errorf("%d problem(s) in the course", len(problems))}
			}
			command.Speaker(cmd).Row(cmd.OutOrStdout(), "The course is sound: every stub is not implemented, every solution has full marks, and hints, lessons, fixtures and APIs agree.")
			return nil
		},
	}
}

func newDevPristine() *cobra.Command {
	return &cobra.Command{
		Use:   "pristine",
		Short: "Store the stubs in steps/ as the ones that are handed out",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			changed, err := correctedStubs(kit)
			if err != nil {
				return command.Failed(err)
			}
			if err := workspace.WritePristine(kit.Root); err != nil {
				return command.Failed(err)
			}
			for _, file := range changed {
				fmt.Fprintln(cmd.OutOrStdout(), "taken over:", file)
			}
			return nil
		},
	}
}

// correctedStubs lists the files in steps/ that are not as they are handed out, and the
// folders of which nothing is handed out yet.
func correctedStubs(kit *workspace.Kit) (changed []string, err error) {
	folders, err := kit.Folders()
	for _, folder := range folders {
		files, err := kit.Changed(folder)
		if err != nil { // it has no stored stub
			files = []string{"steps/" + folder}
		}
		changed = append(changed, files...)
	}
	return changed, err
}
