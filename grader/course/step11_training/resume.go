package training

import (
	"maps"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// runResumes cuts a run at a random update and resumes it.
func runResumes(e *course.Exam) error {
	in := loop(e)
	unbroken, err := e.Ask("train.run", in)
	if err != nil {
		return err
	}
	if err := learns(e, in, unbroken); err != nil {
		return err
	}
	at := course.Between(e.Rng, 6, 9) // between two checkpoints, so that only one saved on cancelling will do
	cut := course.With(in, "cut", wire.Int(at))
	resumed, err := e.Ask("train.run", cut)
	if err != nil {
		return err
	}
	markResumed(e, unbroken, resumed, at)
	if !slices.Equal(unbroken["steps"].I64, resumed["steps"].I64) {
		return e.Fails("train.run", cut, "the updates are %v; want %v: a resumed run goes on where the other was cut", resumed["steps"].I64, unbroken["steps"].I64)
	}
	if err := cutAtTheEnd(e, in, unbroken); err != nil {
		return err
	}
	return sameRun(e, cut, unbroken, resumed, []string{"losses", "lr", "norms", "evaluations"}, lang.T("unbroken and resumed"),
		lang.T("a checkpoint holds the parameters, both means of AdamW, the number of updates and the state of the random generator, and Restore takes up all of them"))
}

// cutAtTheEnd cancels a run after its last update: there is nothing left to break off.
func cutAtTheEnd(e *course.Exam, in, unbroken wire.Values) error {
	steps := unbroken["steps"].I64
	cut := course.With(in, "cut", wire.Int(len(steps)))
	out, err := e.Ask("train.run", cut)
	if err == nil && !slices.Equal(steps, out["steps"].I64) {
		err = e.Fails("train.run", cut, "the updates are %v; want %v: the run was cancelled after its last update", out["steps"].I64, steps)
	}
	return err
}

// unfitOptions asks for trainers that there cannot be. The error names all that is wrong.
func unfitOptions(e *course.Exam, in wire.Values) error {
	with := func(in wire.Values, name string, n int) wire.Values { return course.With(in, name, wire.Int(n)) }
	return course.All(
		course.Refuses("train.restore", "a context of 5 tokens and a model for 4", with(in, "context_length", 4), "context"),
		course.Refuses("train.restore", "a batch of 0 in 0 shards", with(with(in, "batch", 0), "shards", 0), "batch", "shards"),
		course.Refuses("train.restore", "a vocabulary of 0 and -1 steps", with(with(in, "vocab_size", 0), "steps", -1), "vocab_size", "steps"))(e)
}

// unfitRefused puts states to Restore that do not fit the trainer.
func unfitRefused(e *course.Exam) error {
	in := maps.Clone(loop(e))
	for _, name := range []string{"tokens", "validation", "eval_every", "save_every", "procs", "cut"} {
		delete(in, name)
	}
	if err := unfitOptions(e, in); err != nil {
		return err
	}
	out, err := e.Ask("train.restore", in)
	if err != nil {
		return err
	}
	unfit := []lang.Text{lang.T("another rope_theta"), lang.T("no m for lm_head.weight"), lang.T("no v for layers.0.ln1.weight"),
		lang.T("a v of shape (2, 3) for lm_head.weight"), lang.T("a random generator of which a byte is missing"), lang.T("no parameter ln_final.weight")}
	refused, changed := out["refused"], out["changed"]
	for _, v := range []wire.Value{refused, changed} {
		if v.DType != wire.I64 || v.Len() != len(unfit) {
			return e.Fails("train.restore", in, "refused is %s and changed is %s; want %d numbers each", refused, changed, len(unfit))
		}
	}
	for i, what := range unfit {
		if refused.I64[i] != 1 {
			return e.Fails("train.restore", in, "a state with %s does not fit the trainer: Restore must return an error", what)
		}
		if changed.I64[i] != 0 {
			return e.Fails("train.restore", in, "a state with %s was turned down, but the trainer is no longer what it was before", what)
		}
	}
	return nil
}

// markResumed notes what a run that was cut after an update and resumed has in
// common with an unbroken one. The loss of the first update after the cut needs
// the right parameters and the right batch, and no means.
func markResumed(e *course.Exam, unbroken, resumed wire.Values, cut int) {
	a, b, steps := unbroken["losses"].F64, resumed["losses"].F64, resumed["steps"].I64
	if min(len(a), len(b), len(steps)) <= cut {
		return
	}
	e.MarkFlag("the update after the cut", steps[cut] == int64(cut)+1)
	e.MarkFlag("the loss after the cut", a[cut] == b[cut])
	e.MarkFlag("the losses later", slices.Equal(a[cut+1:], b[cut+1:]))
	e.MarkFlag("the last update", slices.Equal(unbroken["steps"].I64, steps))
}
