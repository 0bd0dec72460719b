package training

import (
	"math"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// standingStill trains at the rate 0, so that the parameters stay what they are and
// a loss tells which batch was drawn.
func standingStill(e *course.Exam) error {
	const steps, batches = 5, 16
	in, a, b, err := twoWindows(e)
	if err != nil {
		return err
	}
	in["steps"], in["eval_batches"] = wire.Int(steps), wire.Int(batches)
	out, err := e.Ask("train.run", in)
	if err != nil {
		return err
	}
	other, err := e.Ask("train.run", course.With(in, "seed", wire.Int(int(in["seed"].I64[0])+1)))
	if err != nil {
		return err
	}
	losses, evaluations := out["losses"].F64, out["evaluations"].F64
	if len(losses) != steps || len(evaluations) != steps {
		return e.Fails("train.run", in, "losses is %s and evaluations is %s; want one number for each of %d updates", out["losses"], out["evaluations"], steps)
	}
	differs := func(all []float64) bool { return slices.ContainsFunc(all, func(x float64) bool { return x != all[0] }) }
	share := (evaluations[0] - b) / (a - b) * batches
	switch {
	case !differs(losses):
		return e.Fails("train.run", in, "at the rate 0 all %d updates have the same loss: draw a new batch for each of them", steps)
	case slices.Equal(losses, other["losses"].F64):
		return e.Fails("train.run", in, "another seed drew the same batches; the generator of the batches starts from Options.Seed")
	case differs(evaluations):
		return e.Fails("train.run", in, "at the rate 0 the validation losses are %.6f; want the same after every update: an evaluation draws the same batches every time", evaluations)
	case !(math.Abs(share-math.Round(share)) < 0.05) || math.Round(share) < 1 || math.Round(share) > batches-1:
		return e.Fails("train.run", in, "the validation loss is %.6f. The validation text has two windows, whose losses are %.6f and %.6f; want the mean over %d batches of one window each, of which some are the one and some the other",
			evaluations[0], a, b, batches)
	}
	return nil
}

// twoWindows returns a run at the rate 0 that evaluates on a text with two windows,
// and the losses of both.
func twoWindows(e *course.Exam) (in wire.Values, a, b float64, err error) {
	for {
		in = loop(e)
		began(e.Rng, in, 0)
		in["validation"] = course.IDs(e.Rng, runVocab, runContext+2)
		in["batch"], in["shards"], in["eval_every"], in["save_every"] = wire.Int(1), wire.Int(1), wire.Int(1), wire.Int(0)
		in["lr_max"], in["lr_min"] = wire.Float(0), wire.Float(0)
		text := in["validation"].I64
		if a, err = windowLoss(e.Truth, stateful(in), nil, text[:runContext+1]); err != nil {
			return nil, 0, 0, err
		}
		if b, err = windowLoss(e.Truth, stateful(in), nil, text[1:]); err != nil || math.Abs(a-b) > 0.2 {
			return in, a, b, err
		}
	}
}

// quietly runs without a report, a validation text and a checkpoint, all of which
// may be missing and change nothing.
func quietly(e *course.Exam) error {
	in := loop(e)
	full, err := e.Ask("train.run", in)
	if err != nil {
		return err
	}
	silent := course.With(in, "quiet", wire.Int(1))
	out, err := e.Ask("train.run", silent)
	if err != nil {
		return err
	}
	why := lang.T("report and validation may be nil, and neither changes the training")
	if err := sameRun(e, silent, full, out, nil, lang.T("with a report and without"), why); err != nil {
		return err
	}
	unsaved := course.With(in, "unsaved", wire.Int(1))
	if out, err = e.Ask("train.run", unsaved); err != nil {
		return err
	}
	if n, ok := integer(out, "files"); len(out["told"].I64) > 0 || !ok || n > 0 {
		return e.Fails("train.run", unsaved, "the options name no checkpoint, but the reports of the updates %v say that one was written, and the folder holds %d files", out["told"].I64, n)
	}
	return sameRun(e, unsaved, full, out, []string{"losses", "norms", "evaluations"}, lang.T("with checkpoints and without"), lang.T("a checkpoint changes nothing"))
}
