package main

import (
	"github.com/spf13/cobra"
	"github.com/stubformer/stubformer/cmd/command"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/doctor"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newDoctor() *cobra.Command {
	return &cobra.Command{
		Use:  "doctor",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			p, missing := command.Speaker(cmd), 0
			for _, f := range doctor.Examine(cmd.Context(), kit) {
				p.Row(cmd.OutOrStdout(), lang.Pad(f.State.Word().In(p), 8)+"  "+lang.Pad(f.Subject.In(p), 19)+"  "+f.Text.In(p))
				if f.State == doctor.Missing {
					missing++
				}
			}
			if missing > 0 {
				return command.StatusError{Code: command.ExitWrong, Err: lang.Errorf("%d thing(s) are missing; see above", missing)}
			}
			return nil
		},
	}
}
