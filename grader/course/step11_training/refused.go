package training

import (
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// badBatch is a batch that must be refused.
type badBatch struct {
	what lang.Text
	in   wire.Values
}

// badBatches draws batches with one fault each, and a good one beside it.
func badBatches(e *course.Exam) []badBatch {
	with := func(name string, v wire.Value) wire.Values {
		good := batch(e, 1)
		in := course.With(good, name, v)
		in["good_ids"], in["good_targets"] = good["ids"], good["targets"]
		return in
	}
	spoilt := func(name string, id int64, at int) wire.Values {
		in := with(name, course.IDs(e.Rng, 11, 6, 5))
		in[name].I64[at] = id
		return in
	}
	long := with("ids", course.IDs(e.Rng, 11, 6, 6))
	long["targets"] = course.IDs(e.Rng, 11, 6, 6)
	return []badBatch{
		{lang.T("the unknown id 11 in its last row"), spoilt("ids", 11, 29)},
		{lang.T("the unknown id 11 in its first row"), spoilt("ids", 11, 0)},
		{lang.T("the target −1 in its last row"), spoilt("targets", -1, 29)},
		{lang.T("six rows of ids and five of targets"), with("targets", course.IDs(e.Rng, 11, 5, 5))},
		{lang.T("six rows of ids and seven of targets"), with("targets", course.IDs(e.Rng, 11, 7, 5))},
		{lang.T("a row of targets that is shorter than its ids"), with("ragged", wire.Int(1))},
		{lang.T("sequences longer than the model's context"), long},
	}
}

// badBatchRefused puts such batches to Step and to Loss. The trainer then goes on
// as if it had never been asked.
func badBatchRefused(e *course.Exam) error {
	for _, bad := range badBatches(e) {
		for _, in := range []wire.Values{bad.in, course.With(bad.in, "loss", wire.Int(1))} {
			out, err := e.Ask("train.bad_batch", in)
			if err != nil {
				return err
			}
			if refused, _ := integer(out, "refused"); refused != 1 {
				return e.Fails("train.bad_batch", in, "a batch with %s must be an error", bad.what)
			}
			if _, loss := in["loss"]; !loss {
				if changed, _ := integer(out, "changed"); changed != 0 {
					return e.Fails("train.bad_batch", in, "a batch with %s was turned down, but a parameter has changed, or what else is in the trainer's state", bad.what)
				}
			}
			if after, _ := integer(out, "after"); after != 0 {
				return e.Fails("train.bad_batch", in, "a batch with %s was turned down, and then the update from a good batch is not what it would have been without it. %s",
					bad.what, lang.Raw(out["message"].Text))
			}
		}
	}
	return nil
}

// lossKeeps checks that Loss of a good batch, and an evaluation, change nothing, neither
// in the trainer's state nor in the gradients that the last update has left.
func lossKeeps(e *course.Exam) error {
	loss := course.With(batch(e, 1), "loss", wire.Int(1))
	loss["good_ids"], loss["good_targets"] = course.IDs(e.Rng, 11, 6, 5), course.IDs(e.Rng, 11, 6, 5)
	for _, c := range []struct {
		name string
		in   wire.Values
	}{{"Loss", loss}, {"Evaluate", course.With(loss, "evaluate", wire.Int(1))}} {
		out, err := e.Ask("train.bad_batch", c.in)
		if err != nil {
			return err
		}
		if refused, _ := integer(out, "refused"); refused != 0 {
			return e.Fails("train.bad_batch", c.in, "%s turned down a good batch: %s", c.name, lang.Raw(out["message"].Text))
		}
		for _, name := range []string{"changed", "after"} {
			if changed, _ := integer(out, name); changed != 0 {
				return e.Fails("train.bad_batch", c.in, "Trainer.%s changes nothing: afterwards the parameters, the gradients, the optimiser and the generator are what they were, and so is the next update", c.name)
			}
		}
	}
	return nil
}
