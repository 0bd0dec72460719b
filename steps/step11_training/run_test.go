package training_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/stubformer/stubformer/grader/probe/subject"
	"github.com/stubformer/stubformer/reference/wire"
	"github.com/stubformer/stubformer/steps/step10_lm"
	. "github.com/stubformer/stubformer/steps/step11_training"
)

// trainAndReport runs the loop and returns what it reported. If cut is not 0,
// the run is cancelled after that many updates and resumed from its checkpoint.
func trainAndReport(in subject.Args) (wire.Values, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(in.Int("procs")))
	var out wire.Values
	err := withTokens(in.Ints("tokens"), func(text *Tokens) error {
		return withTokens(in.Ints("validation"), func(validation *Tokens) (err error) {
			_, err = inFolder(func(dir string) (wire.Values, error) {
				if out, err = cutAndResume(in, text, validation, filepath.Join(dir, "checkpoint")); err == nil {
					out["procs"] = wire.Int(runtime.GOMAXPROCS(0))
				}
				return nil, err
			})
			return err
		})
	})
	return out, err
}

// cutAndResume runs the loop once, or twice if it is to be cut. Arguments "quiet" and
// "unsaved" leave out the report and the validation text, and the checkpoint.
func cutAndResume(in subject.Args, text, validation *Tokens, path string) (wire.Values, error) {
	cfg, o := configure(in)
	o.EvalEvery, o.EvalBatches, o.SaveEvery, o.Checkpoint = in.Int("eval_every"), 2, in.Int("save_every"), path
	if in.Has("eval_batches") {
		o.EvalBatches = in.Int("eval_batches")
	}
	if in.Has("unsaved") {
		o.Checkpoint = ""
	}
	t, isFresh, err := begin(in, cfg, o)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var seen log
	report := func(r Report) {
		seen.add(r, path)
		if r.Step == in.Int("cut") {
			cancel()
		}
	}
	if in.Has("quiet") {
		validation, report = nil, nil
	}
	err = t.Run(ctx, text, validation, report)
	if at := in.Int("cut"); at == o.Steps && err != nil {
		return nil, subject.Broken("Run was cancelled after its last update, when nothing was left to do, "+
			"and returned the error %v; want none", err)
	} else if 0 < at && at < o.Steps {
		if err := stopped(ctx, t, err, text, validation); err != nil {
			return nil, err
		}
		if t, err = Resume(path, o); err != nil {
			return nil, err
		}
		err = t.Run(context.Background(), text, validation, report)
	}
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(filepath.Dir(path))
	out := seen.values()
	out["fresh"], out["files"] = flag(isFresh), wire.Int(len(files))
	return final(out, t), err
}

// stopped is an error unless a Run that was cancelled returned err, the context's own,
// and one that is cancelled from its beginning makes no update.
func stopped(ctx context.Context, t *Trainer, err error, text, validation *Tokens) error {
	if !errors.Is(err, context.Canceled) {
		return subject.Broken("Run was cancelled and returned %v; want the context's error", err)
	}
	before := t.Optimizer.Steps
	if err = t.Run(ctx, text, validation, nil); !errors.Is(err, context.Canceled) {
		return subject.Broken("Run was given a context that is cancelled already and returned %v; "+
			"want the context's error", err)
	}
	if after := t.Optimizer.Steps; after != before {
		return subject.Broken("Run was given a context that is cancelled already and made %d more updates; "+
			"want none: look at the context before an update begins", after-before)
	}
	return nil
}

// begin returns a trainer, and whether its model was a fresh one of the seed. If
// there is an argument "step", it is then given the state that the arguments
// describe, with the generator that it has.
func begin(in subject.Args, cfg lm.Config, o Options) (t *Trainer, isFresh bool, err error) {
	if t, err = NewTrainer(cfg, o); err != nil {
		return nil, false, err
	}
	isFresh = true
	for i, p := range lm.New(cfg, o.Seed).Params() {
		isFresh = isFresh && slices.Equal(p.Value.Data, t.Model.Params()[i].Value.Data)
	}
	if !in.Has("step") {
		return t, isFresh, nil
	}
	s := stateOf(in)
	s.Config, s.RNG = cfg, t.State().RNG
	return t, isFresh, t.Restore(s)
}

// log is what a run reports, update by update.
type log struct {
	steps, saved, told                []int
	loaded                            int // how often there was a checkpoint
	losses, rates, norms, evaluations []float64
}

// add notes a report, and of which update the checkpoint at path is.
func (l *log) add(r Report, path string) {
	l.steps, l.losses, l.rates = append(l.steps, r.Step), append(l.losses, r.Loss), append(l.rates, r.LR)
	l.norms, l.evaluations = append(l.norms, r.Norm), append(l.evaluations, r.Validation)
	onDisk := 0
	if s, err := Load(path); err == nil && s != nil {
		onDisk = s.Step
		l.loaded++
	}
	l.saved = append(l.saved, onDisk)
	if r.Saved {
		l.told = append(l.told, r.Step)
	}
}

func (l *log) values() wire.Values {
	n := len(l.steps)
	return wire.Values{"steps": integers(l.steps), "saved": integers(l.saved), "told": integers(l.told),
		"loaded": wire.Int(l.loaded), "losses": wire.Floats(l.losses, n),
		"lr": wire.Floats(l.rates, n), "norms": wire.Floats(l.norms, n), "evaluations": wire.Floats(l.evaluations, n)}
}
