package main

import (
	"path/filepath"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/author/notices"
	"github.com/stubformer/stubformer/grader/host/whole"
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
				return command.Failed(err)
			}
			if check {
				if err := notices.Check(cmd.Context(), kit.Root); err != nil {
					return command.StatusError{Code: command.ExitWrong, Err: err}
				}
				return nil
			}
			text, err := notices.Make(cmd.Context(), kit.Root)
			if err != nil {
				return command.Failed(err)
			}
			return command.Failed(whole.Write(filepath.Join(kit.Root, filepath.FromSlash(notices.File)), text))
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "only find out whether it is up to date")
	return cmd
}
