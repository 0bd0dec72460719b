package main

import (
	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/doctor"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newDoctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Is this machine ready: Go, modules, CPU features, write access, limits",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			kit, err := workspace.Find(".")
			if err != nil {
				return failed(err)
			}
			p, missing := speaker(cmd), 0
			for _, f := range doctor.Examine(cmd.Context(), kit) {
				p.Row(cmd.OutOrStdout(), lang.Pad(f.State.Word().In(p), 8)+"  "+lang.Pad(f.Subject.In(p), 19)+"  "+f.Text.In(p))
				if f.State == doctor.Missing {
					missing++
				}
			}
			if missing > 0 {
				return statusError{exitWrong, lang.Errorf("%d thing(s) are missing; see above", missing)}
			}
			return nil
		},
	}
}
