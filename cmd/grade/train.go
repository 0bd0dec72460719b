package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/scratch"
	"github.com/stubformer/stubformer/grader/train"
	"github.com/stubformer/stubformer/grader/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// trainOptions are the flags of `grade train`.
type trainOptions struct {
	impl   string
	config string
	corpus string
	steps  int
	out    string
	resume string
	with   []string
	seed   uint64
	plain  bool
}

func newTrain() *cobra.Command {
	var o trainOptions
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train your own model on a text and watch it learn",
		Long: `Train builds a training program from the steps that you wrote, and nothing else,
and trains a language model with it. Everything about the run is kept in one
folder. Ctrl-C saves and stops; --resume goes on where it was, with the same
losses as if it had never stopped.

Configurations: tiny takes less than a minute, small some minutes, base hours;
or a JSON file like DIR/config.json's "model" and "recipe".
Texts: opticks is Newton's book, which comes with Go; village are stories from a
grammar whose exact entropy is known, so that you see how far the loss is from
the floor; or any UTF-8 file.

MFU is the share of this machine's peak that the model's matrix products use.
The peak is what the kit's micro-kernel reaches on all cores, measured first.`,
		Example: `  go run ./cmd/grade train
  go run ./cmd/grade train --config small --corpus village --out runs/village
  go run ./cmd/grade train --resume runs/village`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return trainModel(cmd, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.impl, "impl", "mine", "whose code: mine or solutions")
	f.StringVar(&o.config, "config", "tiny", "tiny, small, base or a JSON `FILE`")
	f.StringVar(&o.corpus, "corpus", corpus.OpticksName, "opticks, village or the `PATH` of a text file")
	f.IntVar(&o.steps, "steps", 0, "optimisation steps, instead of the configuration's")
	f.StringVar(&o.out, "out", "", "a new folder `DIR` for the run (default runs/CONFIG-CORPUS, numbered)")
	f.StringVar(&o.resume, "resume", "", "go on with the run in `DIR`")
	f.StringSliceVar(&o.with, "with", nil, "electives that stand in for parts of the model: `STEP,...` by name or number")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the first weights and of the batches")
	f.BoolVar(&o.plain, "plain", false, "no bar, only lines that stay")
	return cmd
}

func (o trainOptions) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("steps") && o.steps < 1 {
		return lang.Errorf("--steps is %d; want at least 1", o.steps)
	}
	for _, name := range []string{"config", "corpus", "steps", "out", "seed", "with"} {
		if o.resume != "" && cmd.Flags().Changed(name) {
			return lang.Errorf("--resume goes on with the settings of the run; it cannot be combined with --%s", name)
		}
	}
	return nil
}

// trainModel starts or continues a run and shows how it goes.
func trainModel(cmd *cobra.Command, o trainOptions) error {
	if err := o.check(cmd); err != nil {
		return err
	}
	kit, err := workspace.Find(".")
	if err != nil {
		return failed(err)
	}
	if _, err := sourceOf(kit, o.impl); err != nil {
		return err
	}
	model, prepare, err := o.plan()
	if err != nil {
		return err
	}
	p := speaker(cmd)
	p.Tell(cmd.OutOrStdout(), "Building the training program from %s\n", codeOf(o.impl))
	if len(model.With) > 0 {
		p.Tell(cmd.OutOrStdout(), "In it stand %s\n", strings.Join(model.With, ", "))
	}
	binary, remove, err := buildProgram(cmd.Context(), kit, o.impl, model)
	if err != nil {
		return err
	}
	defer remove()
	dir, claim, err := prepare()
	if err != nil {
		return err
	}
	begun, err := follow(cmd, o, binary, dir)
	if err != nil && !begun && claim != nil {
		return errors.Join(err, claim.Undo())
	}
	return err
}

// plan returns what is to be done before the run can begin, once the training
// program for the model is built: it gives the run's folder, and the claim to it if
// it is new.
func (o trainOptions) plan() (model run.Model, prepare func() (dir string, claim *run.Claim, err error), err error) {
	if o.resume != "" {
		c, err := run.Open(o.resume)
		if err == nil && c.Corpus == "" {
			err = lang.Errorf("%s holds a model that came from elsewhere; it cannot be trained", o.resume)
		}
		if err == nil {
			err = c.CheckData(o.resume)
		}
		return c.Model, func() (string, *run.Claim, error) { return o.resume, nil, nil }, err
	}
	s, err := run.Load(o.config)
	if err != nil {
		return run.Model{}, nil, err
	}
	if s.Model.With, err = standIns(append(s.Model.With, o.with...)); err != nil {
		return run.Model{}, nil, err
	}
	if o.steps > 0 {
		s.Recipe.Steps = o.steps
	}
	if o.out != "" {
		if err := run.Vacant(o.out); err != nil {
			return run.Model{}, nil, err
		}
	}
	text, err := corpus.Load(o.corpus)
	if unknown := new(corpus.UnknownError); errors.As(err, &unknown) {
		err = lang.DidYouMean(err, unknown.Name, corpus.OpticksName, corpus.VillageName)
	}
	return s.Model, func() (string, *run.Claim, error) {
		claim, err := o.claim()
		if err != nil {
			return "", nil, err
		}
		return claim.Dir, claim, claim.Fill(o.corpus, text, o.seed, s)
	}, err
}

// standIns returns the names of the packages of electives that stand in a model.
func standIns(given []string) (names []string, err error) {
	guests, err := train.StandIns(run.Model{With: given})
	for _, s := range guests {
		names = append(names, s.Name)
	}
	return names, err
}

// claim makes the folder of a new run.
func (o trainOptions) claim() (*run.Claim, error) {
	if o.out != "" {
		return run.New(o.out)
	}
	return run.NewNumbered(filepath.Join("runs", stem(o.config)+"-"+stem(o.corpus)))
}

// stem is the name of a file without folder and ending.
func stem(path string) string {
	base := filepath.Base(path)
	return base[:len(base)-len(filepath.Ext(base))]
}

// follow runs the training program and shows what it reports. begun tells
// whether it came as far as a first step.
func follow(cmd *cobra.Command, o trainOptions, binary, dir string) (begun bool, err error) {
	c, err := run.Open(dir)
	if err != nil {
		return false, err
	}
	out := cmd.OutOrStdout()
	f, isFile := out.(*os.File)
	view := &train.View{Out: out, Live: isFile && !o.plain && term.IsTerminal(int(f.Fd())), Steps: c.Recipe.Steps, Peak: train.Peak()}
	speaker(cmd).Tell(out, "Training on %s in %s\n", c.Corpus, dir)
	if c.Corpus == corpus.VillageName {
		view.Floor = corpus.VillageEntropy()
		speaker(cmd).Tell(out, "The text has an entropy of %.4f nats per character: no model can have a smaller expected loss\n", view.Floor)
	}
	ctx := cmd.Context()
	defer context.AfterFunc(ctx, func() {
		signal.Reset(os.Interrupt, syscall.SIGTERM) // a second Ctrl-C does not wait
		view.Note(speaker(cmd).Say("Saving; press Ctrl-C again to stop at once"))
	})()
	saved := 0
	err = train.Run(ctx, binary, []string{"train", dir}, view, func(e run.Event) {
		view.Show(e)
		switch {
		case e.Step != nil:
			begun = begun || e.Step.Loss != 0
		case e.Saved != nil:
			saved = e.Saved.Step
		}
	})
	view.Clear()
	switch {
	case err != nil:
		return begun, explain(err)
	case saved < c.Recipe.Steps:
		speaker(cmd).Tell(out, "Stopped after step %d; everything is saved. To go on:\n  go run ./cmd/grade train --resume %s\n", saved, dir)
	default:
		speaker(cmd).Tell(out, "Finished after %d steps. To let it write:\n  go run ./cmd/grade generate %s\n", saved, dir)
	}
	return true, nil
}

// codeOf says whose code it is.
func codeOf(impl string) lang.Text {
	if impl == "solutions" {
		return lang.T("the solutions")
	}
	return lang.T("your own code")
}

// buildProgram builds the training program for a model; remove takes it away again.
func buildProgram(ctx context.Context, kit *workspace.Kit, impl string, model run.Model) (binary string, remove func(), err error) {
	with, err := train.StandIns(model)
	if err != nil {
		return "", nil, err
	}
	source, err := sourceOf(kit, impl)
	if err != nil {
		return "", nil, err
	}
	dir, err := scratch.New()
	if err != nil {
		return "", nil, failed(err)
	}
	remove = func() { dir.Remove() }
	binary, err = train.Build(ctx, kit, source, with, dir.Path)
	if err != nil {
		remove()
		return "", nil, explain(err)
	}
	return binary, remove, nil
}

// explain gives what went wrong in the training program its exit status, and
// says what to do about it.
func explain(err error) error {
	var todo *train.NotImplementedError
	var compile *workspace.CompileError
	var refused *workspace.RefusedError
	var crash *train.CrashError
	var said *train.ProgramError
	var mismatch *train.MismatchError
	switch {
	case errors.As(err, &todo):
		return statusError{exitWrong, lang.Errorf("%w; training needs every step of the core. Next: go run ./cmd/grade %s", todo, todo.Step())}
	case errors.As(err, &compile):
		return statusError{exitWrong, lang.Errorf("your code does not compile:\n%w", err)}
	case errors.As(err, &crash), errors.As(err, &refused), errors.As(err, &said), errors.As(err, &mismatch):
		return statusError{exitWrong, err}
	}
	return failed(err)
}
