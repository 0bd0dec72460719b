package main

import (
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/workspace"
)

func newReset() *cobra.Command {
	return &cobra.Command{
		Use:   "reset STEP",
		Short: "Put a step's stub back; a dated copy of your files is kept",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			step, err := findStep(args[0])
			if err != nil {
				return err
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return failed(err)
			}
			if kit.Untouched(step.Folder) {
				speaker(cmd).Tell(cmd.OutOrStdout(), "steps/%s is the stub already; nothing to do.\n", step.Folder)
				return nil
			}
			copies := filepath.Join(".stubformer", "backup", time.Now().Format("2006-01-02T15-04-05.000")+"-"+step.Folder)
			if err := kit.Reset(step.Folder, filepath.Join(kit.Root, copies)); err != nil {
				return failed(err)
			}
			speaker(cmd).Tell(cmd.OutOrStdout(), "steps/%s is the stub again.\nYour files are kept in %s\n", step.Folder, copies)
			return nil
		},
	}
}
