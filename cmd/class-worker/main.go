// Command class-worker grades submissions that others hand in to a queue, so
// that a class can be graded by many machines.
//
//	go run -C cmd/class-worker . --queue nats://grader.example.org:4222 --key "$PWD/queue.key"
//
// It is a module of its own because it needs the message queue, NATS, which no
// student should have to download. docs/instructors.md shows three machines.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/stubformer/stubformer/cmd/class-worker/queue"
	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/cmd/teach/class/pipe"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/probe"
	"github.com/stubformer/stubformer/grader/sandbox"
	"github.com/stubformer/stubformer/grader/workspace"
)

// local is the queue inside this process.
const local = "local"

func main() {
	helper := sandbox.Main() // comes back unless this is the process that is to be fenced in
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	if err := newRoot(helper).ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "class-worker:", err)
		os.Exit(1)
	}
}

// endings are the signals that end a worker in order, with nothing left behind.
// The end of the terminal is one, unless nohup says otherwise.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// options are the flags.
type options struct {
	queue string
	creds string
	key   string
	jobs  int
	again bool
	make  bool
	quiet bool

	patience time.Duration
}

func newRoot(helper sandbox.Helper) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "class-worker --queue URL --key FILE",
		Short: "Grade what is in the queue of a class",
		Long: `Class-worker takes submissions from the queue of a NATS server with JetStream,
grades them and records the results, until it is stopped with Ctrl-C. Start as
many as you like, on as many machines; each needs the same version of the kit as
the machine that runs grade class, and leaves submissions for other versions
alone, and the key of the run, which is queue.key in the folder of its results:
what is written without it does not count. A worker that is killed loses nothing:
the submission that it had in hand is given to another one.`,
		Example: `  go run -C cmd/class-worker . --queue nats://grader.example.org:4222 --key "$PWD/queue.key" --creds "$PWD/class.creds"
  go run ./cmd/grade class submissions --out results --queue nats://grader.example.org:4222`,
		Args: cobra.NoArgs, SilenceUsage: true, SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.work(cmd.Context(), helper) },
	}
	submit := &cobra.Command{
		Use: "submit --queue URL", Hidden: true, Args: cobra.NoArgs, // what grade class --queue runs
		Short: "Submit what comes in on standard input, and write the reports to standard output",
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.submit(cmd.Context(), helper) },
	}
	submit.Flags().BoolVar(&o.make, "make-key", false, "make the key if it is not there")
	submit.Flags().BoolVar(&o.again, "again", false, "grade again what is graded")
	cmd.AddCommand(submit)
	f := cmd.PersistentFlags()
	f.StringVar(&o.queue, "queue", "", "`URL` of the NATS server")
	f.StringVar(&o.creds, "creds", "", "`FILE` with credentials for the server")
	f.StringVar(&o.key, "key", "", "`FILE` with the key of the run, queue.key in the folder of its results; without it nobody writes marks")
	f.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "how many submissions at a time")
	f.DurationVar(&o.patience, "patience", queue.Patience, "after how long without a sign of life a worker's submission is given to another")
	f.BoolVar(&o.quiet, "quiet", false, "do not say what is graded")
	return cmd
}

func (o options) open(ctx context.Context, url string) (*queue.Queue, error) {
	if o.jobs < 1 {
		return nil, fmt.Errorf("--jobs is %d; want at least 1", o.jobs)
	}
	if url == "" {
		return nil, errors.New("--queue is missing: name the NATS server, as in nats://host:4222")
	}
	if o.key == "" {
		return nil, errors.New("--key is missing: name the file queue.key that grade class has put into the folder of the results")
	}
	read := queue.ReadKey
	if o.make {
		read = queue.MakeKey
	}
	key, err := read(o.key)
	if err != nil {
		return nil, err
	}
	return queue.Open(ctx, url, o.creds, key)
}

// work grades until ctx ends.
func (o options) work(ctx context.Context, helper sandbox.Helper) error {
	q, err := o.open(ctx, o.queue)
	if err != nil {
		return err
	}
	defer q.Close()
	w, err := o.worker(ctx, q, helper)
	if err != nil {
		return err
	}
	w.Log("waiting for submissions for kit %s", w.Kit)
	return w.Run(ctx)
}

// worker returns a worker on the kit of the current folder.
func (o options) worker(ctx context.Context, q *queue.Queue, helper sandbox.Helper) (*queue.Worker, error) {
	kit, err := workspace.Find(".")
	if err != nil {
		return nil, err
	}
	hash, err := class.KitHash(kit)
	if err != nil {
		return nil, err
	}
	var log io.Writer = os.Stderr
	if o.quiet {
		log = io.Discard
	}
	return &queue.Worker{
		Queue: q, Kit: hash, Jobs: o.jobs, Patience: o.patience,
		Open: func(t class.Terms) (class.Grader, error) { return open(ctx, kit, t, helper) },
		Log: func(format string, args ...any) {
			fmt.Fprintf(log, time.Now().Format("15:04:05 ")+format+"\n", args...)
		},
	}, nil
}

// open returns a grader on this machine under the given terms.
func open(ctx context.Context, kit *workspace.Kit, t class.Terms, helper sandbox.Helper) (class.Grader, error) {
	box, err := sandbox.Open(helper, sandbox.Level(t.Sandbox))
	if err != nil {
		return nil, err
	}
	fence, err := kit.Fence(ctx, box)
	if err != nil {
		return nil, err
	}
	var steps []*course.Step
	for _, id := range t.Steps {
		step, err := course.Find(registry.Steps(), id)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return class.NewLocal(class.Settings{Kit: kit, Steps: steps, Fence: fence, Limits: probe.DefaultLimits(), Seed: t.Seed})
}

// submit is the end of the pipe from grade class. With the local queue it does
// the work as well.
func (o options) submit(ctx context.Context, helper sandbox.Helper) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	url, embedded := o.queue, o.queue == local
	if embedded {
		tmp, err := scratch.New()
		if err != nil {
			return err
		}
		defer tmp.Remove()
		var stop func()
		if url, stop, err = queue.Embed(tmp.Path); err != nil {
			return err
		}
		defer stop()
		fmt.Fprintln(os.Stderr, "The queue is on this machine. More workers join with: go run -C cmd/class-worker . --queue", url, "--key", o.key)
	}
	q, err := o.open(ctx, url)
	if err != nil {
		return err
	}
	defer q.Close()
	if embedded {
		o.quiet = true
		w, err := o.worker(ctx, q, helper)
		if err != nil {
			return err
		}
		working := make(chan error, 1)
		go func() { working <- w.Run(ctx) }()
		defer func() { <-working }()
		defer cancel()
	}
	return pipe.Serve(ctx, os.Stdin, os.Stdout, func(t class.Terms) (class.Grader, error) { return q.NewRemote(t, o.again), nil })
}
