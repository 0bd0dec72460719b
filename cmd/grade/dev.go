package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/lint"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newDev() *cobra.Command {
	dev := &cobra.Command{Use: "dev", Short: "For those who work on the course itself", Args: cobra.ArbitraryArgs, RunE: subcommand}
	dev.AddCommand(newDevNew(), newDevCheck(), newDevPristine(), newDevMutate(), newDevSeeds(), newDevBegin(), newDevHostile(),
		newDevClass(), newDevEndure(), newDevNotices(), newDevFilm())
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
				return failed(err)
			}
			line := newStatusLine(cmd.ErrOrStderr(), false, speaker(cmd))
			problems, err := lint.Check(cmd.Context(), kit, line.show)
			line.clear()
			if err != nil {
				return failed(err)
			}
			for _, p := range problems {
				fmt.Fprintln(cmd.OutOrStdout(), p)
			}
			if len(problems) > 0 {
				return statusError{exitWrong, fmt.Errorf("%d problem(s) in the course", len(problems))}
			}
			speaker(cmd).Row(cmd.OutOrStdout(), "The course is sound: every stub is not implemented, every solution has full marks, and hints, lessons, fixtures and APIs agree.")
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
				return failed(err)
			}
			changed, err := correctedStubs(kit)
			if err != nil {
				return failed(err)
			}
			if err := workspace.WritePristine(kit.Root); err != nil {
				return failed(err)
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
