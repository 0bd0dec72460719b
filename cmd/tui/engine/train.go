package engine

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/runs"
	"github.com/stubformer/stubformer/grader/host/scratch"
	"github.com/stubformer/stubformer/grader/studio/figure"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/workspace"
	"github.com/stubformer/stubformer/reference/corpus"
)

// Runs are the training runs of the kit, the newest first.
type Runs struct {
	Runs []runs.Run
	Err  error
}

// Runs reads the folders below runs/.
func (e *Engine) Runs() tea.Cmd {
	return e.during(func() tea.Msg {
		entries, err := os.ReadDir(filepath.Join(e.kit.Root, "runs"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Runs{Err: err}
		}
		var all []runs.Run
		for _, entry := range entries {
			if r, err := e.open(filepath.Join("runs", entry.Name())); err == nil && r.Config.Corpus != "" {
				all = append(all, r)
			}
		}
		slices.SortFunc(all, func(a, b runs.Run) int { return cmp.Or(b.When.Compare(a.When), strings.Compare(a.Dir, b.Dir)) })
		return Runs{Runs: all}
	})
}

func (e *Engine) open(dir string) (runs.Run, error) {
	r := runs.Run{Run: figure.Run{Name: filepath.Base(dir)}, Dir: filepath.ToSlash(dir)}
	path := filepath.Join(e.kit.Root, dir)
	var err error
	if r.Config, err = run.Open(path); err != nil {
		return r, err
	}
	for _, name := range []string{run.ConfigFile, run.LogFile} {
		if info, err := os.Stat(filepath.Join(path, name)); err == nil {
			r.When = info.ModTime()
		}
	}
	if r.Config.Corpus == corpus.VillageName {
		r.Floor = e.floor()
	}
	r.Steps, err = run.ReadLog(path)
	return r, err
}

// Training is a training run that is under way.
type Training struct {
	cancel context.CancelFunc
	news   chan tea.Msg
}

// What a training tells.
type (
	TrainingBegun struct { // the program is built and starts
		Training *Training
		Run      runs.Run
	}
	TrainingEvent struct {
		Training *Training
		Event    run.Event
	}
	TrainingPrint struct { // what the student's code prints
		Training *Training
		Text     string
	}
	TrainingEnded struct {
		Training *Training
		Err      error // nil: finished, or stopped and saved
	}
)

// Train builds the training program and runs it, as `grade train` does.
func (e *Engine) Train(p runs.Plan) (*Training, tea.Cmd) {
	ctx, cancel := context.WithCancel(e.ctx)
	t := &Training{cancel: cancel, news: make(chan tea.Msg)}
	work := e.during(func() tea.Msg {
		defer close(t.news)
		defer cancel()
		err := e.train(ctx, t, p)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			err = nil // stopped while it was being built
		}
		t.tell(e.ctx, TrainingEnded{t, err})
		return nil
	})
	return t, tea.Batch(work, t.Next())
}

// Next returns what the training has to tell next.
func (t *Training) Next() tea.Cmd { return func() tea.Msg { return <-t.news } }

// Stop asks the training to save and end.
func (t *Training) Stop() { t.cancel() }

func (t *Training) tell(ctx context.Context, m tea.Msg) {
	select {
	case t.news <- m:
	case <-ctx.Done():
	}
}

func (e *Engine) train(ctx context.Context, t *Training, p runs.Plan) error {
	tmp, err := scratch.New()
	if err != nil {
		return err
	}
	defer tmp.Remove()
	source := workspace.Own()
	if p.Impl == "solutions" {
		source = workspace.Solutions()
	}
	model, err := e.model(p)
	if err != nil {
		return err
	}
	binary, err := train.Build(ctx, e.kit, source, model, tmp.Path)
	if err != nil {
		return err
	}
	dir := p.Resume
	var claim *run.Claim
	if dir == "" {
		if dir, claim, err = e.create(p); err != nil {
			return err
		}
	}
	r, err := e.open(dir)
	if err != nil {
		return err
	}
	t.tell(e.ctx, TrainingBegun{t, r})
	begun := false
	err = train.Train(ctx, binary, filepath.Join(e.kit.Root, dir), p.Impl, prints{e.ctx, t}, func(event run.Event) {
		begun = begun || event.Step != nil
		t.tell(e.ctx, TrainingEvent{t, event})
	})
	if err != nil && !begun && claim != nil {
		return errors.Join(err, claim.Undo())
	}
	return err
}

// model returns the model that is to be trained.
func (e *Engine) model(p runs.Plan) (run.Model, error) {
	if p.Resume == "" {
		settings, err := run.Load(p.Config)
		return settings.Model, err
	}
	c, err := run.Open(filepath.Join(e.kit.Root, p.Resume))
	return c.Model, err
}

// create makes the folder of a new run: runs/CONFIG-CORPUS, numbered if that is
// taken.
func (e *Engine) create(p runs.Plan) (dir string, claim *run.Claim, err error) {
	settings, err := run.Load(p.Config)
	if err != nil {
		return "", nil, err
	}
	text, err := corpus.Load(p.Corpus)
	if err != nil {
		return "", nil, err
	}
	if claim, err = run.NewNumbered(filepath.Join(e.kit.Root, "runs", p.Config+"-"+p.Corpus)); err != nil {
		return "", nil, err
	}
	if dir, err = filepath.Rel(e.kit.Root, claim.Dir); err != nil {
		return "", nil, err
	}
	return dir, claim, claim.Fill(run.Text{Corpus: p.Corpus, Text: text}, 0, settings)
}

// prints hands on what the student's code prints.
type prints struct {
	ctx      context.Context
	training *Training
}

func (p prints) Write(b []byte) (int, error) {
	p.training.tell(p.ctx, TrainingPrint{p.training, string(b)})
	return len(b), nil
}
