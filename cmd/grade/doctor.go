package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/doctor"
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
			missing := 0
			for _, f := range doctor.Examine(cmd.Context(), kit) {
				fmt.Fprintf(cmd.OutOrStdout(), "%-8s %-20s %s\n", f.State, f.Subject, f.Text)
				if f.State == doctor.Missing {
					missing++
				}
			}
			if missing > 0 {
				return statusError{exitWrong, fmt.Errorf("%d thing(s) are missing; see above", missing)}
			}
			return nil
		},
	}
}
