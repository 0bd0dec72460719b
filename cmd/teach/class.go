package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"

	"github.com/stubformer/stubformer/cmd/command"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/workspace"
)

// classOptions are the flags of `grade class`.
type classOptions struct {
	out     string
	steps   string
	jobs    int
	sandbox string
	require bool
	regrade bool
	drop    bool
	seed    uint64
	plain   bool
	queue   string
	creds   string
	key     string
	books   bookOptions
}

func newClass() *cobra.Command {
	var o classOptions
	cmd := &cobra.Command{
		Use: "class DIR|FILE... --out OUT",
		Long: `Class grades submissions, one a student: folders, .zip, .tar, .tar.gz or .tar.xz
files that hold the step folders, or a whole repository, at any depth. A DIR that is
named alone and holds no step folders is taken for a folder of submissions, such as the
unpacked download of Canvas, Moodle, Gradescope or Classroom 50. Of several paths each
is one submission.

Every submission is graded on the pristine kit, with the same fresh cases, and
its result is stored in OUT as soon as it is there. Run the same command again
to go on after Ctrl-C, or after new submissions arrived: what is graded is not
graded again unless it, the kit or the settings changed.

OUT then holds index.html, a page of the whole class for a browser, gradebook.csv,
gradebook.jsonl, students/NAME.html and .md, and misconceptions.csv, .json and .md:
which known mistakes the class made. They are made of all results in OUT, so one late
submission adds one row. A run that would lose marks, such as one with fewer steps,
asks first.

Untrusted code is built and run in a sandbox: bubblewrap, landlock or, where the
system has neither, limits alone. --require-sandbox refuses to do without.

With --regrade and no DIR the stored submissions are graded again, and the
scores that changed are printed with the reason.

With --roster everybody in it has a row, and the file that Canvas or Moodle takes
is written; OUT keeps a copy of it. With --scheme marks.csv is made by a scheme of
weights, deadlines, extensions and attempts, which can also say whose a submission is.
With these and no DIR nothing is graded.`,
		Example: `  go run ./cmd/grade class submissions --out results --require-sandbox
  go run ./cmd/grade class alice.zip bob.tar.gz --out results --steps 01-05
  go run ./cmd/grade class --regrade --out results
  go run ./cmd/grade class --roster roster.csv --scheme scheme.yaml --out results`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return gradeClass(cmd, o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "the folder `OUT` for the results; a run goes on where the last one was")
	f.StringVar(&o.steps, "steps", "all", "which steps: 01-07, or 01,02,05, or a track such as core, or all")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "how many submissions at a time")
	f.StringVar(&o.sandbox, "sandbox", "", "bubblewrap, landlock or limits (default: the best that is there)")
	f.BoolVar(&o.require, "require-sandbox", false, "refuse to grade with limits alone")
	f.BoolVar(&o.regrade, "regrade", false, "grade again what is graded, and print whose score changed and why")
	f.BoolVar(&o.drop, "drop", false, "yes, marks that stand in OUT and are not made again may be lost")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the fresh cases (default: that of the last run into OUT, or random)")
	f.BoolVar(&o.plain, "plain", false, "no colour, no progress bar")
	f.StringVar(&o.queue, "queue", "", "let class workers grade, through the NATS server at this `URL`; local starts one here")
	f.StringVar(&o.key, "key", "", "`FILE` with the key of the run, for the workers that you invite (default: queue.key in OUT, made if it is not there)")
	o.books.register(f)
	f.StringVar(&o.creds, "creds", "", "`FILE` with credentials for the queue")
	return cmd
}

func (o *classOptions) check(args []string) error {
	switch {
	case o.out == "":
		return errors.New("--out is missing: name a folder for the results")
	case len(args) == 0 && !o.regrade && !o.books.asked():
		return errors.New("name the submissions: folders or archives, or a folder that holds them")
	case o.jobs < 1:
		return fmt.Errorf("--jobs is %d; want at least 1", o.jobs)
	}
	return nil
}

// gradeClass grades the submissions and writes the gradebook.
func gradeClass(cmd *cobra.Command, o classOptions, args []string) error {
	if err := o.check(args); err != nil {
		return err
	}
	o.books.lang = command.Speaker(cmd).Within(0)
	if err := o.books.read(o.out); err != nil {
		return err
	}
	if len(args) == 0 && !o.regrade {
		return o.onlyBooks(cmd)
	}
	in, err := o.find(args)
	if err != nil {
		return err
	}
	unlock, err := lockFolder(o.out)
	if err != nil {
		return command.Failed(err)
	}
	defer unlock()
	if err := o.keepRows(cmd, in.store, in.found.Sources, in.steps); err != nil {
		return err
	}
	if o.seed, err = classSeed(cmd, o); err != nil {
		return command.Failed(err)
	}
	settings := class.Settings{Kit: in.kit, Steps: in.steps, Limits: probe.DefaultLimits(), Seed: o.seed}
	if err := class.TrySeed(cmd.Context(), settings, grader.Try); err != nil {
		return command.Failed(err)
	}
	local, err := newLocal(cmd.Context(), in.kit, in.steps, in.box, o.seed)
	if err != nil {
		return command.Failed(err)
	}
	if o.queue == "" {
		return o.run(cmd, local, in)
	}
	remote, stop, err := o.queued(cmd.Context(), in.kit, local.Terms())
	if err != nil {
		return command.Failed(err)
	}
	o.jobs = afar
	return errors.Join(o.run(cmd, remote, in), stop())
}

// classroom is what a class is graded with: the kit and its steps, the sandbox, the
// store of results, and the submissions.
type classroom struct {
	kit   *workspace.Kit
	steps []*course.Step
	box   *sandbox.Box
	store class.Dir
	found class.Found
}

// find finds the kit, the sandbox and the submissions. Without args these are the
// stored ones.
func (o classOptions) find(args []string) (in classroom, err error) {
	if in.steps, err = command.StepRange(o.steps); err != nil {
		return in, err
	}
	if in.kit, err = workspace.Find("."); err != nil {
		return in, command.Failed(err)
	}
	folders, err := in.kit.Folders()
	if err != nil {
		return in, command.Failed(err)
	}
	for _, s := range in.steps {
		if !in.kit.HasSolutions(s.Folder) {
			return in, command.Failed(fmt.Errorf("a class is graded on the solutions, and this edition of the kit has none of %s", s.ID))
		}
	}
	if in.box, err = command.OpenBox(o.sandbox, o.require); err != nil {
		return in, command.Failed(err)
	}
	in.store = class.Dir(filepath.Join(o.out, "results"))
	if len(args) > 0 {
		in.found, err = class.Find(args, folders)
	} else {
		in.found.Sources, err = in.store.List()
	}
	return in, err
}

// run grades, shows how it goes and writes what there is to write.
func (o classOptions) run(cmd *cobra.Command, g class.Grader, in classroom) error {
	bar := newClassProgress(cmd.ErrOrStderr(), o.plain)
	look := attention{lines: in.found.Skipped}
	graded, changed := 0, 0
	err := class.Run(cmd.Context(), g, in.store, in.found.Sources, o.jobs, o.regrade, func(e class.Event) {
		if e.Again {
			graded++
		}
		look.at(e)
		if text := class.Change(e, g.Terms()); text != "" {
			changed++
			bar.clear()
			fmt.Fprintln(cmd.OutOrStdout(), text)
		}
		bar.show(e)
	})
	bar.clear()
	if errors.Is(err, context.Canceled) {
		return err
	}
	if err != nil {
		return command.Failed(err)
	}
	problems, err := o.books.write(o.out)
	if err != nil {
		return command.Failed(err)
	}
	look.lines = append(look.lines, problems...)
	w, n := cmd.OutOrStdout(), len(in.found.Sources)
	fmt.Fprintf(w, "%d submissions: %d graded now, %d were graded before", n, graded, n-graded)
	if o.regrade {
		fmt.Fprintf(w, "; %d changed", changed)
	}
	fmt.Fprintf(w, ".\nThe gradebook is %s.\n", filepath.Join(o.out, class.GradebookCSV))
	fmt.Fprintf(w, "seed %d, kit %s, sandbox: %s (%s)\n", o.seed, g.Terms().Kit, in.box.Level(), in.box.Text())
	return look.tell(w)
}

// newLocal returns a grader of submissions on this machine.
func newLocal(ctx context.Context, kit *workspace.Kit, steps []*course.Step, box *sandbox.Box, seed uint64) (*class.Local, error) {
	fence, err := kit.Fence(ctx, box)
	if err != nil {
		return nil, err
	}
	return class.NewLocal(class.Settings{Kit: kit, Steps: steps, Fence: fence, Limits: probe.DefaultLimits(), Seed: seed})
}

// lockFolder keeps a second run out of a folder of results.
func lockFolder(dir string) (unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	switch locked, err := lock.TryLock(); {
	case err != nil:
		return nil, err
	case !locked:
		return nil, fmt.Errorf("another run is grading into %s; wait for it, or choose another --out", dir)
	}
	return lock.Unlock, nil
}

// classSeed returns the seed of the flag, or else that of the last run into the
// same folder, or else a new one; and keeps it for the next run.
func classSeed(cmd *cobra.Command, o classOptions) (uint64, error) {
	file := filepath.Join(o.out, "class.json")
	var kept struct {
		Seed uint64 `json:"seed"`
	}
	data, err := os.ReadFile(file)
	switch {
	case cmd.Flags().Changed("seed"):
		kept.Seed = o.seed
	case errors.Is(err, fs.ErrNotExist):
		kept.Seed = uint64(rand.Uint32())
	case err != nil:
		return 0, err
	default:
		if err := json.Unmarshal(data, &kept); err != nil {
			return 0, fmt.Errorf("%s is damaged: %w; give the --seed", file, err)
		}
	}
	data, err = json.Marshal(kept) // plain data cannot fail
	return kept.Seed, errors.Join(err, whole.Write(file, append(data, '\n')))
}
