package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/mutate"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newDevMutate() *cobra.Command {
	var store, generic, table bool
	var seed uint64
	cmd := &cobra.Command{
		Use:   "mutate [STEP...]",
		Short: "Put every known mistake into the solutions: is it caught, and named?",
		RunE: func(cmd *cobra.Command, args []string) error {
			steps, err := findSteps(args)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				steps = course.Steps()
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return failed(err)
			}
			if generic {
				return mutateMechanically(cmd, kit, steps)
			}
			results, problems, err := mutateCatalogue(cmd, kit, mutate.Catalogue(steps, seed), !table)
			if err != nil {
				return failed(err)
			}
			if store {
				for folder, known := range mutate.Known(results) {
					if err := writeFile(filepath.Join(kit.Root, "fixtures", folder, "mistakes.json"), known.Format()); err != nil {
						return failed(err)
					}
				}
			}
			if table {
				fmt.Fprint(cmd.OutOrStdout(), mutate.Table(results))
			} else {
				fmt.Fprintf(cmd.OutOrStdout(), "\n%d mistakes, %d problems\n", len(results), problems)
			}
			if problems > 0 {
				return statusError{code: exitWrong}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&store, "store", false, "store the mistakes' answers to the fixtures, by which they are named")
	cmd.Flags().BoolVar(&generic, "generic", false, "mechanical mutants instead of the known mistakes: operators, bounds, constants, dropped statements")
	cmd.Flags().BoolVar(&table, "table", false, "print a table in Markdown, a row for every step, instead of a line for every mistake")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the fresh random cases")
	return cmd
}

// mutateCatalogue grades the known mistakes and prints a line for each, if rows
// are wanted, and every problem.
func mutateCatalogue(cmd *cobra.Command, kit *workspace.Kit, jobs []mutate.Result, rows bool) (results []mutate.Result, problems int, err error) {
	w := cmd.OutOrStdout()
	if rows {
		fmt.Fprintf(w, "%-7s %-40s %8s  %-4s %s\n", "step", "mistake", "margin", "named", "caught by")
	}
	err = mutate.Run(cmd.Context(), kit, jobs, func(r mutate.Result) {
		results = append(results, r)
		if rows {
			fmt.Fprintln(w, r.Row())
		}
		if r.Problem != "" {
			problems++
			fmt.Fprintf(cmd.ErrOrStderr(), "PROBLEM: %s, %s: %s\n", r.Step.ID, r.Version.ID, r.Problem)
		}
	})
	return results, problems, err
}

// mutateMechanically runs the mechanical mutants and prints the score of every
// step, and each mutant that survived without being known to change nothing.
func mutateMechanically(cmd *cobra.Command, kit *workspace.Kit, steps []*course.Step) error {
	jobs, err := mutate.Mechanical(kit, steps)
	if err != nil {
		return failed(err)
	}
	type score struct{ caught, equivalent, survived int }
	scores := map[string]*score{}
	w, survivors := cmd.OutOrStdout(), 0
	err = mutate.Run(cmd.Context(), kit, jobs, func(r mutate.Result) {
		s := scores[r.Step.ID]
		if s == nil {
			s = &score{}
			scores[r.Step.ID] = s
		}
		switch {
		case r.Invalid:
		case len(r.Caught) > 0:
			s.caught++
		case r.Mistake.Invisible != "":
			s.equivalent++
		default:
			s.survived++
			survivors++
			fmt.Fprintf(w, "%s %s %s\n", r.Step.ID, r.Mistake.ID, r.Mistake.Title)
		}
	})
	if err != nil {
		return failed(err)
	}
	fmt.Fprintf(w, "\n%-7s %8s %10s %11s %9s %7s\n", "step", "mutants", "caught", "equivalent", "survived", "score")
	for _, step := range steps {
		if s := scores[step.ID]; s != nil {
			fmt.Fprintf(w, "%-7s %8d %10d %11d %9d %6.1f%%\n", step.ID, s.caught+s.equivalent+s.survived, s.caught, s.equivalent, s.survived,
				100*float64(s.caught)/float64(s.caught+s.survived))
		}
	}
	if survivors > 0 {
		return statusError{code: exitWrong}
	}
	return nil
}
