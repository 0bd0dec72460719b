package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/author/hostile"
	"github.com/stubformer/stubformer/cmd/author/sample"
	"github.com/stubformer/stubformer/cmd/author/sweep"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newDevHostile() *cobra.Command {
	var level string
	var jobs int
	var turn sweep.Turn
	cmd := &cobra.Command{
		Use:   "hostile [NAME...]",
		Short: "Grade the hostile submissions at every sandbox level of this machine",
		RunE: func(cmd *cobra.Command, names []string) error {
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			cases, err := hostile.Cases()
			if err != nil {
				return command.Failed(err)
			}
			if len(names) > 0 {
				cases = slices.DeleteFunc(cases, func(c hostile.Case) bool { return !slices.Contains(names, c.Name) })
			}
			tmp, err := ownTemporaryFolder()
			if err != nil {
				return command.Failed(err)
			}
			defer tmp.Remove()
			problems := 0
			for i, l := range sandbox.Levels() {
				if level != "" && level != string(l) {
					continue
				}
				n, err := hostileAt(cmd, kit, l, inTurn(cases, turn.Next(i)), jobs)
				if err != nil {
					return command.Failed(err)
				}
				problems += n
			}
			if problems > 0 {
				return command.StatusError{Code: command.ExitWrong}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&level, "sandbox", "", "this level only: bubblewrap, landlock or limits")
	cmd.Flags().IntVar(&jobs, "jobs", runtime.NumCPU(), "how many submissions at a time")
	cmd.Flags().Var(&turn, "turn", "of `N` submissions that follow each other only the K-th, from 0, and at the next level the one behind it")
	return cmd
}

// hostileAt runs the corpus at one level and returns how many problems it found.
func hostileAt(cmd *cobra.Command, kit *workspace.Kit, level sandbox.Level, cases []hostile.Case, jobs int) (problems int, err error) {
	w := cmd.OutOrStdout()
	box, err := sandbox.Open(sandbox.Main(), level)
	if unavailable := (*sandbox.UnavailableError)(nil); errors.As(err, &unavailable) {
		fmt.Fprintf(w, "%-10s  skipped: %v\n", level, err)
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	graded := 0
	err = hostile.Run(cmd.Context(), kit, box, cases, jobs, func(name, problem string) {
		graded++
		if problem != "" {
			problems++
			fmt.Fprintf(w, "%-10s  PROBLEM  %s: %s\n", level, name, problem)
		}
	})
	fmt.Fprintf(w, "%-10s  %d submissions, %d problems (%s)\n", level, graded, problems, box.Text())
	return problems, err
}

// ownTemporaryFolder gives this process a folder of its own for temporary files,
// so that what is left in it is its own.
func ownTemporaryFolder() (*scratch.Folder, error) {
	tmp, err := scratch.New()
	if err != nil {
		return nil, err
	}
	// Who runs as another user must pass through it.
	if err := errors.Join(os.Chmod(tmp.Path, 0o755), os.Setenv("TMPDIR", tmp.Path)); err != nil {
		return nil, errors.Join(err, tmp.Remove())
	}
	return tmp, nil
}

func newDevClass() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "class N --out DIR",
		Short: "Write a class of N submissions: good ones, every known mistake, half-finished, hostile",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 1 {
				return fmt.Errorf("the number of submissions is %q; want a number from 1", args[0])
			}
			if out == "" {
				return errors.New("--out is missing: name a folder for the submissions")
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			return command.Failed(sample.Write(kit, n, out))
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the folder `DIR`, which must be new or empty")
	return cmd
}
