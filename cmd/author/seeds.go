package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/workspace"
)

func newDevSeeds() *cobra.Command {
	var steps, python string
	var first uint64
	var jobs int
	var inTurn, timed bool
	cmd := &cobra.Command{
		Use:   "seeds N",
		Short: "Grade right programs with N seeds: the solutions, PyTorch, unusual ones. Does any lose a point?",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 1 {
				return fmt.Errorf("the number of seeds is %q; want a number from 1", args[0])
			}
			chosen, err := command.StepRange(steps)
			if err != nil {
				return err
			}
			kit, err := workspace.Find(".")
			if err != nil {
				return command.Failed(err)
			}
			seeds := make([]uint64, n)
			for i := range seeds {
				seeds[i] = first + uint64(i)
			}
			w := &seedsReport{w: cmd.OutOrStdout(), seeds: seeds, inTurn: inTurn, timed: timed}
			if _, err := exec.CommandContext(cmd.Context(), python, "-c", "import torch, numpy").Output(); err != nil {
				fmt.Fprintf(w.w, "PyTorch is left out: %s cannot import torch and numpy\n", python)
				python = ""
			}
			if err := w.run(cmd.Context(), kit, chosen, python, jobs); err != nil {
				return command.Failed(err)
			}
			if w.lost > 0 {
				return command.StatusError{Code: command.ExitWrong}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&steps, "steps", "all", "which steps: 01-07, or 01,02,05, or a track such as core, or all")
	f.Uint64Var(&first, "first", 1, "the first of the seeds, which follow each other")
	f.StringVar(&python, "python", "/usr/bin/python3", "the Python that has PyTorch")
	f.BoolVar(&inTurn, "in-turn", false, "every seed for the solution and one of the others, in turn, which takes less time")
	f.BoolVar(&timed, "timed", false, "the checks that depend on the clock, and no others")
	f.IntVar(&jobs, "jobs", 2, "how many steps at a time")
	return cmd
}

// seedsReport writes down how right programs fare.
type seedsReport struct {
	seeds  []uint64
	inTurn bool       // every seed for the first program and one of the others
	timed  bool       // what depends on the clock, and nothing else
	mu     sync.Mutex // for what is below
	w      io.Writer
	lost   int
}

// run tries the steps, some at a time, and prints a line for each. Those that stand on
// most others take longest, and begin first.
func (r *seedsReport) run(ctx context.Context, kit *workspace.Kit, steps []*course.Step, python string, jobs int) error {
	steps = slices.SortedStableFunc(slices.Values(steps), func(a, b *course.Step) int { return below(b) - below(a) })
	var workers sync.WaitGroup
	errs, turn := make([]error, len(steps)), make(chan struct{}, max(1, jobs))
	for i, s := range steps {
		turn <- struct{}{}
		workers.Go(func() {
			defer func() { <-turn }()
			programs, err := rightPrograms(kit, s, python)
			if err == nil {
				err = r.step(ctx, s, programs)
			}
			errs[i] = err
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

// below is how many steps a step stands on.
func below(s *course.Step) int { return len(course.Prerequisites(registry.Steps(), s)) }

// step tries one step.
func (r *seedsReport) step(ctx context.Context, s *course.Step, programs []grader.Program) error {
	if r.inTurn {
		takeTurns(programs)
	}
	for i := range programs {
		programs[i].Timed = r.timed
	}
	before := map[string]bool{}
	losses, points := 0, 0
	err := grader.Try(ctx, s, programs, r.seeds, func(l grader.Loss) {
		r.mu.Lock()
		defer r.mu.Unlock()
		losses, points = losses+1, points+l.Check.Max-l.Check.Points
		fmt.Fprintf(r.w, "LOST  %s, %s, seed %d: %d points in %s\n", s.ID, l.Program, l.Seed, l.Check.Max-l.Check.Points, l.Check.ID)
		if id := l.Program + l.Check.ID; !before[id] { // once is enough to see the cause
			before[id] = true
			fmt.Fprintln(r.w, "      "+strings.ReplaceAll(l.Check.Message, "\n", "\n      "))
		}
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost += losses
	if err != nil {
		fmt.Fprintf(r.w, "%s  not finished: %v\n", s.ID, err)
		return err
	}
	var names []string
	for _, p := range programs {
		names = append(names, p.Name)
	}
	fmt.Fprintf(r.w, "%s  %d seeds, %d programs (%s): %d points lost\n", s.ID, len(r.seeds), len(programs), strings.Join(names, ", "), points)
	return nil
}

// takeTurns gives every seed to one of the programs after the first.
func takeTurns(programs []grader.Program) {
	others := len(programs) - 1
	for turn := range others {
		programs[1+turn].Sits = func(i int) bool { return i%others == turn }
	}
}

// rightPrograms returns the programs that must have full marks in a step.
func rightPrograms(kit *workspace.Kit, s *course.Step, python string) ([]grader.Program, error) {
	request := grader.Request{Limits: probe.DefaultLimits()}
	programs, err := grader.RightPrograms(kit, s, request)
	if err != nil {
		return nil, err
	}
	if python != "" && s.ID != "step01" { // which is Go's own random numbers
		request.Kit, request.Probe = kit, python+" "+strconv.Quote(filepath.Join(kit.Root, "fixtures", "subject.py"))
		programs = append(programs, grader.Program{Name: "PyTorch", Request: request})
	}
	return programs, nil
}
