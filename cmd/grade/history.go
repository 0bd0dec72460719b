package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newHistory() *cobra.Command {
	return &cobra.Command{
		Use:   "history [STEP]",
		Short: "Your attempts, oldest first",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			only := ""
			if len(args) == 1 {
				step, err := course.Find(course.Steps(), args[0])
				if err != nil {
					return err
				}
				only = step.ID
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return failed(err)
			}
			attempts, err := progress.Open(historyPath(kit)).Attempts()
			if err != nil {
				return failed(err)
			}
			shown := 0
			for _, a := range attempts {
				if a.Hint > 0 || only != "" && a.Step != only {
					continue
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %7s  %s\n", a.Time.Local().Format("2006-01-02 15:04:05"),
					a.Step, fmt.Sprintf("%d/%d", a.Score, a.Max), verdict.Kind(a.Verdict).Text().In(speaker(cmd)))
				shown++
			}
			if shown == 0 {
				speaker(cmd).Tell(cmd.OutOrStdout(), "No attempts yet. Start with: go run ./cmd/grade step01\n")
			}
			return nil
		},
	}
}
