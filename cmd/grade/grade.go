package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/workspace"
)

// gradeOptions are the flags of `grade STEP...`.
type gradeOptions struct {
	impl     string
	ownStack bool
	dir      string
	probe    string
	seed     uint64
	format   string
	out      string
	plain    bool
}

func (o *gradeOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.impl, "impl", "mine", "whose code: mine or solutions")
	f.BoolVar(&o.ownStack, "own-stack", false, "earlier steps are your own too, instead of the solutions")
	f.StringVar(&o.dir, "dir", "", "take the step folders from `DIR`/stepNN_* instead of ./steps")
	f.StringVar(&o.probe, "probe", "", "grade an external program, started with `CMD`, that speaks the protocol")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the fresh random cases (default: random, always printed)")
	f.StringVar(&o.format, "format", "text", "text or json")
	f.StringVar(&o.out, "out", "", "write the report to `FILE` instead of the terminal")
	f.BoolVar(&o.plain, "plain", false, "no colour, no progress line")
}

func (o *gradeOptions) check(cmd *cobra.Command) error {
	switch {
	case o.impl != "mine" && o.impl != "solutions":
		return fmt.Errorf("--impl is %q; want mine or solutions", o.impl)
	case o.format != "text" && o.format != "json":
		return fmt.Errorf("--format is %q; want text or json", o.format)
	case o.dir != "" && (o.impl == "solutions" || o.probe != ""):
		return errors.New("--dir says whose code to grade; it cannot be combined with --impl solutions or --probe")
	case o.probe != "" && (o.impl == "solutions" || o.ownStack):
		return errors.New("--probe grades an external program; it cannot be combined with --impl solutions or --own-stack")
	}
	if o.dir != "" {
		if info, err := os.Stat(o.dir); err != nil || !info.IsDir() {
			return fmt.Errorf("--dir %s: there is no such folder", o.dir)
		}
	}
	return nil
}

// grade grades the named steps, prints the report and records the attempts.
func grade(cmd *cobra.Command, o gradeOptions, names []string) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	steps, err := findSteps(names)
	if err != nil {
		return err
	}
	kit, err := workspace.Find(".")
	if err != nil {
		return failed(err)
	}
	if !cmd.Flags().Changed("seed") {
		o.seed = uint64(rand.Uint32())
	}
	line := newStatusLine(cmd.ErrOrStderr(), o.plain || o.format == "json")
	r, err := grader.Grade(cmd.Context(), grader.Request{
		Kit: kit, Steps: steps, Impl: grader.Impl(o.impl), OwnStack: o.ownStack, Dir: o.dir, Probe: o.probe,
		Seed: o.seed, Limits: probe.DefaultLimits(),
	}, line.show)
	line.clear()
	recordErr := record(kit, r)
	if err != nil {
		return failed(err)
	}
	if err := write(cmd, o, r); err != nil {
		return failed(err)
	}
	if recordErr != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "grade: the attempt could not be recorded: %v\n", recordErr)
	}
	if o.format == "text" && o.out == "" {
		suggest(cmd.OutOrStdout(), kit, r)
	}
	switch {
	case r.GraderFailed():
		return statusError{code: exitGrader}
	case !r.Passed():
		return statusError{code: exitWrong}
	}
	return nil
}

// findSteps resolves the names on the command line; "all" is every step.
func findSteps(names []string) ([]*course.Step, error) {
	all := course.Steps()
	var steps []*course.Step
	for _, name := range names {
		if name == "all" {
			return all, nil
		}
		s, err := course.Find(all, name)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// record appends the student's own attempts to the history.
func record(kit *workspace.Kit, r *report.Report) error {
	if r == nil || r.Impl != string(grader.Mine) {
		return nil
	}
	history := progress.Open(historyPath(kit))
	for _, s := range r.Steps {
		if s.Score == nil {
			continue // the grader failed: not an attempt
		}
		a := progress.Attempt{Time: time.Now(), Step: s.ID, Score: *s.Score, Max: s.Max,
			Verdict: string(s.Verdict), Seed: r.Seed, Checks: map[string]string{}}
		for _, c := range s.Checks {
			a.Checks[c.ID] = string(c.Verdict)
		}
		if err := history.Append(a); err != nil {
			return err
		}
	}
	return nil
}

func historyPath(kit *workspace.Kit) string {
	return filepath.Join(kit.Root, ".stubformer", "history.jsonl")
}

// write writes the report to the terminal, or whole or not at all to a file.
func write(cmd *cobra.Command, o gradeOptions, r *report.Report) error {
	render := func(w io.Writer, style report.Style) error {
		if o.format == "json" {
			return r.WriteJSON(w)
		}
		return r.WriteText(w, style)
	}
	if o.out == "" {
		return render(cmd.OutOrStdout(), styleFor(cmd.OutOrStdout(), o.plain))
	}
	var b bytes.Buffer
	if err := render(&b, report.Style{}); err != nil {
		return err
	}
	return writeFile(o.out, b.Bytes())
}

// writeFile replaces a file in one step: a reader sees the old content or the
// new, never half of it.
func writeFile(name string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), ".grade-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return err
	}
	if err := errors.Join(tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}

// styleFor uses colour on a terminal only, and never against NO_COLOR
// (no-color.org) or --plain.
func styleFor(w io.Writer, plain bool) report.Style {
	f, ok := w.(*os.File)
	colour := ok && !plain && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
	return report.Style{Colour: colour}
}
