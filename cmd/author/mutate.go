package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/reference/newline"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/author/mutate"
	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newDevMutate() *cobra.Command {
	var store, words, rules, generic, table, scenarios bool
	var show, unlisted string
	var said bool
	var seed uint64
	var turn sweep.Turn
	cmd := &cobra.Command{
		Use:   "mutate [STEP...]",
		Short: "Put every known mistake into the solutions: is it caught, and named?",
		RunE: func(cmd *cobra.Command, args []string) error {
			steps, err := command.FindSteps(command.FindStep, args)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				steps = registry.Steps()
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			switch {
			case show != "":
				return command.Failed(showMistake(cmd.OutOrStdout(), kit, steps, show))
			case words:
				return command.Failed(storeWords(kit, steps))
			case scenarios:
				return command.Failed(printScenarios(cmd, kit, steps, seed))
			case rules:
				return command.Failed(storeRules(steps, kit))
			case generic:
				return mutateMechanically(cmd, kit, steps, seed, store)
			}
			jobs, err := mutate.Catalogue(kit, steps, seed)
			if unlisted != "" {
				jobs, err = mutate.Unlisted(kit, unlisted, steps, seed)
			}
			if err != nil {
				return command.Failed(err)
			}
			if said {
				return command.Failed(tellMistakes(cmd, kit, jobs))
			}
			jobs = inTurn(jobs, turn)
			for i := range jobs {
				jobs[i].Storing, jobs[i].Counted = store, table && !store
			}
			results, problems, err := mutateCatalogue(cmd, kit, jobs, !table)
			if err != nil {
				return command.Failed(err)
			}
			if store {
				for folder, s := range mutate.Stores(results) {
					if err := whole.Write(storeOf(kit, folder), s.Format()); err != nil {
						return command.Failed(err)
					}
				}
				fmt.Fprintln(cmd.ErrOrStderr(), "The answers are stored. Whether each mistake is named by its own name, the same command says without --store.")
			}
			if table {
				fmt.Fprint(cmd.OutOrStdout(), mutate.Table(results))
			} else {
				fmt.Fprintf(cmd.OutOrStdout(), "\n%d mistakes, %d problems\n", len(results), problems)
			}
			if problems > 0 {
				return command.StatusError{Code: command.ExitWrong}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&show, "show", "", "print the mistake `ID` and what it changes in the solution, and run nothing")
	cmd.Flags().BoolVar(&words, "words", false, "store what is said about the mistakes, and run nothing")
	cmd.Flags().BoolVar(&store, "store", false, "store the mistakes' answers to the fixtures, by which they are named, and what is said about them; with --generic, the scores to cmd/author/mutate/SCORES.md")
	cmd.Flags().BoolVar(&rules, "rules", false, "store what the mistakes answer that are made from the formulas by rule, and run nothing")
	cmd.Flags().BoolVar(&generic, "generic", false, "mechanical mutants instead of the known mistakes: operators, bounds, constants, dropped statements")
	cmd.Flags().BoolVar(&table, "table", false, "print a table in Markdown, a row for every step, instead of a line for every mistake")
	cmd.Flags().BoolVar(&scenarios, "scenarios", false, "print a table of how many mistakes are named whose derivative is right, not written or unknown, and of pairs; run nothing but the solutions")
	cmd.Flags().StringVar(&unlisted, "unlisted", "", "the wrong programs of `DIR`, which are in no catalogue, instead of the known mistakes")
	cmd.Flags().BoolVar(&said, "said", false, "print what is wrong with each and what is said about it, to be compared by a person")
	cmd.MarkFlagsMutuallyExclusive("show", "words", "store", "unlisted")
	cmd.MarkFlagsMutuallyExclusive("show", "words", "rules", "generic", "table", "scenarios")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the fresh random cases")
	cmd.Flags().Var(&turn, "turn", "of `N` mistakes that follow each other only the K-th, from 0")
	cmd.MarkFlagsMutuallyExclusive("turn", "store")
	return cmd
}

// inTurn returns those of all that have their turn.
func inTurn[E any](all []E, turn sweep.Turn) (some []E) {
	for i, e := range all {
		if turn.Takes(i) {
			some = append(some, e)
		}
	}
	return some
}

// tellMistakes prints what is said about each mistake, and at the end how many of those that
// are caught a small call shows.
func tellMistakes(cmd *cobra.Command, kit *workspace.Kit, jobs []mutate.Result) error {
	for i := range jobs {
		jobs[i].Told = true
	}
	var numbers []int // that one has to read, of each small call
	caught := 0
	err := mutate.Run(cmd.Context(), kit, jobs, func(r mutate.Result) {
		fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n  is:   %s. %s\n  said: %s\n", r.Step.ID, r.Version, r.Mistake.Title, r.Mistake.Why,
			strings.ReplaceAll(cmp.Or(r.Said, r.Problem), "\n", "\n        "))
		if len(r.Caught) > 0 {
			caught++
		}
		if r.Small != nil {
			numbers = append(numbers, r.Small.Numbers())
			fmt.Fprintf(cmd.OutOrStdout(), "  small: %s\n", r.Small.Text())
		}
	})
	if len(numbers) > 0 {
		slices.Sort(numbers)
		fmt.Fprintf(cmd.OutOrStdout(), "\nA small call shows %d of the %d that are caught, the middle one of %d numbers, the largest of %d.\n",
			len(numbers), caught, numbers[len(numbers)/2], numbers[len(numbers)-1])
	}
	return err
}

// printScenarios prints how the known mistakes fare beside other mistakes, and
// every wrong name.
func printScenarios(cmd *cobra.Command, kit *workspace.Kit, steps []*course.Step, seed uint64) error {
	fared, err := mutate.Scenarios(cmd.Context(), kit, steps, seed)
	if err != nil {
		return err
	}
	fmt.Fprint(cmd.OutOrStdout(), fared.Table())
	for _, line := range fared.Wrong {
		fmt.Fprintf(cmd.ErrOrStderr(), "PROBLEM: %s\n", line)
	}
	if len(fared.Wrong) > 0 {
		return command.StatusError{Code: command.ExitWrong}
	}
	return nil
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
			fmt.Fprintf(cmd.ErrOrStderr(), "PROBLEM: %s, %s: %s\n", r.Step.ID, r.Version, r.Problem)
		}
	})
	return results, problems, err
}

// mutateMechanically runs the mechanical mutants and prints the score of every
// step, and stores it if asked to. What is wrong goes to standard error: each
// mutant that survived without being known to change nothing, and what is wrongly
// known.
func mutateMechanically(cmd *cobra.Command, kit *workspace.Kit, steps []*course.Step, seed uint64, store bool) error {
	jobs, stale, err := mutate.Mechanical(kit, steps, seed)
	if err != nil {
		return command.Failed(err)
	}
	w, problems, scores := cmd.ErrOrStderr(), len(stale), mutate.Scores{}
	for _, name := range stale {
		fmt.Fprintf(w, "PROBLEM: there is no such mutant, but equivalent.txt names it: %s\n", name)
	}
	err = mutate.Run(cmd.Context(), kit, jobs, func(r mutate.Result) {
		scores.Add(r, time.Now())
		if r.Problem != "" {
			problems++
			fmt.Fprintf(w, "PROBLEM: %s: %s %s %s\n", r.Problem, r.Step.ID, r.Mistake.ID, r.Mistake.Title)
		}
	})
	if err != nil {
		return command.Failed(err)
	}
	fmt.Fprint(cmd.OutOrStdout(), scores.Table())
	if store {
		if err := storeScores(filepath.Join(kit.Root, "cmd", "author", "mutate", "SCORES.md"), scores); err != nil {
			return command.Failed(err)
		}
	}
	if problems > 0 {
		return command.StatusError{Code: command.ExitWrong}
	}
	return nil
}

// storeScores puts the scores into the page that has those of all steps.
func storeScores(path string, scores mutate.Scores) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page, err := scores.Page(newline.Unix(string(old)))
	if err != nil {
		return err
	}
	return whole.Write(path, []byte(page))
}
