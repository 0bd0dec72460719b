package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/notices"
	"github.com/stubformer/stubformer/grader/whole"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newDevNotices() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "notices",
		Short: "Gather the licences of everything that is linked in " + notices.File,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			kit, err := workspace.Find(".")
			if err != nil {
				return failed(err)
			}
			if check {
				if err := notices.Check(cmd.Context(), kit.Root); err != nil {
					return statusError{exitWrong, err}
				}
				return nil
			}
			text, err := notices.Make(cmd.Context(), kit.Root)
			if err != nil {
				return failed(err)
			}
			return failed(whole.Write(filepath.Join(kit.Root, filepath.FromSlash(notices.File)), text))
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "only find out whether it is up to date")
	return cmd
}
