package steps

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"

	"github.com/stubformer/stubformer/cmd/command"
	"github.com/stubformer/stubformer/cmd/command/index"

	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/studio/doctor"
	"github.com/stubformer/stubformer/grader/workspace"
)

// gradeOptions are the flags of `grade STEP...`.
type gradeOptions struct {
	read     Reader
	impl     string
	ownStack bool
	dir      string
	probe    string
	seed     uint64
	sandbox  string
	format   string
	out      string
	plain    bool
	verbose  bool
}

func (o *gradeOptions) register(f *flag.FlagSet) {
	f.StringVar(&o.impl, "impl", "mine", "whose code: mine or solutions")
	f.BoolVar(&o.ownStack, "own-stack", false, "earlier steps are your own too, instead of the solutions")
	f.StringVar(&o.dir, "dir", "", "take the step folders from what was handed in, a folder or an archive `DIR`, instead of from ./steps")
	f.StringVar(&o.sandbox, "sandbox", "", "how --dir is fenced in: bubblewrap, landlock or limits (default: the best that is there)")
	f.StringVar(&o.probe, "probe", "", "grade an external program, started with `CMD`, that speaks the protocol")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the fresh random cases (default: random, always printed)")
	f.StringVar(&o.format, "format", report.Text, "the report's form: "+formatNames())
	f.StringVar(&o.out, "out", "", "write the report to `FILE` instead of the terminal")
	f.BoolVar(&o.verbose, "verbose", false, "all numbers of every check, even where the reason was given before")
	f.BoolVar(&o.plain, "plain", false, "no colour, no progress line")
}

func (o *gradeOptions) check() error {
	switch {
	case o.impl != "mine" && o.impl != "solutions":
		return lang.Errorf("--impl is %q; want mine or solutions", o.impl)
	case o.dir != "" && (o.impl == "solutions" || o.probe != ""):
		return lang.Errorf("--dir says whose code to grade; it cannot be combined with --impl solutions or --probe")
	case o.sandbox != "" && o.dir == "":
		return lang.Errorf("--sandbox is for the code of somebody else; it needs --dir")
	case o.probe != "" && (o.impl == "solutions" || o.ownStack):
		return lang.Errorf("--probe grades an external program; it cannot be combined with --impl solutions or --own-stack")
	}
	if err := checkFormat(o); err != nil {
		return err
	}
	if o.dir != "" {
		if _, err := os.Stat(o.dir); err != nil {
			return lang.Errorf("--dir %s: there is no such folder or archive", o.dir)
		}
	}
	return nil
}

// grade grades the named steps, prints the report and records the attempts.
func grade(c *call, o gradeOptions, names []string) error {
	if err := o.check(); err != nil {
		return err
	}
	steps, err := command.FindSteps(command.FindPart, names, commandNames()...)
	if err != nil {
		return err
	}
	kit, err := workspace.Find(".")
	if err != nil {
		return command.Failed(err)
	}
	if err := checkEdition(kit, o, steps); err != nil {
		return err
	}
	if !c.given["seed"] {
		o.seed = uint64(rand.Uint32())
	}
	if err := doctor.Writable(kit); err != nil && o.impl == "mine" && o.forPeople() {
		command.SayError(command.Speaker(c), lang.Errorf("this attempt will not be recorded in .stubformer: %w", err))
	}
	line := command.NewStatusLine(os.Stderr, o.plain || !o.forPeople(), command.Speaker(c))
	req := grader.Request{
		Kit: kit, Steps: steps, Impl: grader.Impl(o.impl), OwnStack: o.ownStack, Probe: o.probe,
		Seed: o.seed, Limits: probe.DefaultLimits(), Lang: command.Speaker(c).Within(0), Box: sandbox.Main().Limits(),
		Smallest: true,
	}
	var r *report.Report
	if o.dir == "" {
		r, err = grader.Grade(c.Context(), req, line.Show)
	} else {
		r, err = o.gradeFenced(c.Context(), req, line.Show)
	}
	line.Clear()
	recordErr := command.Record(kit, r, command.Speaker(c).Within(0))
	if err != nil {
		return command.Failed(err)
	}
	if err := write(c, o, kit, r); err != nil {
		return command.Failed(err)
	}
	if recordErr != nil {
		command.SayError(command.Speaker(c), lang.Errorf("the attempt could not be recorded: %w", recordErr))
	}
	if o.forPeople() && o.out == "" {
		suggest(command.Out(c), command.Speaker(c), kit, r)
	}
	switch {
	case r.GraderFailed():
		return command.StatusError{Code: command.ExitGrader}
	case !r.Passed():
		return command.StatusError{Code: command.ExitWrong}
	}
	return nil
}

// gradeFenced grades code that nobody trusts, in a sandbox.
func (o *gradeOptions) gradeFenced(ctx context.Context, req grader.Request, watch func(grader.Event)) (r *report.Report, err error) {
	if req.HandedIn, err = o.read(req.Kit, o.dir); err != nil {
		return nil, err
	}
	box, err := command.OpenBox(o.sandbox, false)
	if err != nil {
		return nil, err
	}
	if req.Fence, err = req.Kit.Fence(ctx, box); err != nil {
		return nil, err
	}
	return grader.Grade(ctx, req, watch)
}

// commandNames are what may stand where a step does.
func commandNames() (names []string) {
	for _, c := range index.Commands() {
		names = append(names, c.Name)
	}
	return names
}
