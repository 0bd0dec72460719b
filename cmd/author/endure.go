package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/author/endure"
	"github.com/stubformer/stubformer/cmd/author/hostile"
	"github.com/stubformer/stubformer/cmd/author/sample"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/workspace"
)

// endureOptions are the flags of `grade dev endure`.
type endureOptions struct {
	out     string
	kills   int
	jobs    int
	seed    uint64
	sandbox string
	fast    bool
}

func newDevEndure() *cobra.Command {
	var o endureOptions
	cmd := &cobra.Command{
		Use:   "endure N --out DIR",
		Short: "Grade a class of N with the hostile submissions in it, once left alone and once killed again and again",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 1 {
				return fmt.Errorf("the number of submissions is %q; want a number from 1", args[0])
			}
			if o.out == "" {
				return errors.New("--out is missing: name a folder that is new or empty")
			}
			return o.run(cmd, n)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "the folder `DIR` for the class and both results")
	f.IntVar(&o.kills, "kills", 20, "how often the second run is killed")
	f.IntVar(&o.jobs, "jobs", 2, "how many submissions at a time")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the moments of the kills")
	f.StringVar(&o.sandbox, "sandbox", string(sandbox.Landlock), "bubblewrap, landlock or limits")
	f.BoolVar(&o.fast, "fast", false, "leave out the hostile submissions that take long")
	return cmd
}

// run writes the class and tries it.
func (o endureOptions) run(cmd *cobra.Command, n int) error {
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	cases, err := o.cases(n)
	if err != nil {
		return command.Failed(err)
	}
	self, err := os.Executable()
	if err != nil {
		return command.Failed(err)
	}
	if o.out, err = filepath.Abs(o.out); err != nil {
		return command.Failed(err)
	}
	second := registry.Steps()[1:2] // what most of the hostile submissions hand in, too
	if err := sample.WriteAmong(kit, n, filepath.Join(o.out, "class"), cases, second); err != nil {
		return command.Failed(err)
	}
	w := cmd.OutOrStdout()
	trial := endure.Trial{
		Number: n, Kills: o.kills, Rand: rand.New(rand.NewPCG(o.seed, 0)),
		Log:     func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) },
		Command: func(out string) *exec.Cmd { return o.command(self, kit, cases, out) },
		Varies: func(name string) bool {
			return slices.ContainsFunc(cases, func(c hostile.Case) bool { return c.Name == name && c.Min < c.Max })
		},
	}
	problems, err := trial.Run(filepath.Join(o.out, "whole"), filepath.Join(o.out, "pieces"))
	if err != nil {
		return command.Failed(err)
	}
	for _, p := range problems {
		fmt.Fprintln(w, "PROBLEM ", p)
	}
	fmt.Fprintf(w, "%d submissions, %d of them hostile; %d kills; %d problems\n", n, len(cases), o.kills, len(problems))
	if len(problems) > 0 {
		return command.StatusError{Code: command.ExitWrong}
	}
	return nil
}

// cases are the hostile submissions that hold at the level: all of them or, for
// a class that is too small, as many as half of it, from the whole corpus.
func (o endureOptions) cases(n int) ([]hostile.Case, error) {
	all, err := hostile.Cases()
	all = slices.DeleteFunc(all, func(c hostile.Case) bool {
		return c.Boxed && o.sandbox == string(sandbox.Limits) || c.Slow && o.fast
	})
	if n > len(all) {
		return all, err
	}
	var some []hostile.Case
	for i := range n / 2 {
		some = append(some, all[i*len(all)/(n/2)])
	}
	return some, err
}

// command grades the steps of the class into a folder.
func (o endureOptions) command(self string, kit *workspace.Kit, cases []hostile.Case, out string) *exec.Cmd {
	ids := map[string]bool{registry.Steps()[1].ID: true}
	for _, c := range cases {
		ids[c.Step] = true
	}
	var steps []string
	for _, s := range registry.Steps() {
		if ids[s.ID] {
			steps = append(steps, strings.TrimPrefix(s.ID, "step"))
		}
	}
	cmd := exec.Command(self, "class", filepath.Join(o.out, "class"), "--out", out, "--steps", strings.Join(steps, ","),
		"--seed", "1", "--jobs", strconv.Itoa(o.jobs), "--sandbox", o.sandbox, "--plain")
	cmd.Dir = kit.Root
	return cmd
}
