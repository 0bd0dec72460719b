package lm

import (
	"maps"
	"math/rand/v2"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/reference/wire"
)

// drawSide draws a model, a batch for it, and a batch of longer or shorter texts for a
// replica.
func drawSide(rng *rand.Rand, longer bool) wire.Values {
	in := DrawLMBackward(rng)
	vocab, t := in["lm_head.weight"].Shape[0], in["ids"].Shape[1]
	rows, length := course.Between(rng, 1, 3), t-course.Between(rng, 1, 3)
	if longer {
		length = t + 1
	}
	in["other_ids"], in["other_targets"] = course.IDs(rng, vocab, rows, length), course.IDs(rng, vocab, rows, length)
	return in
}

// sideBySide runs a model and a replica in turn, Forward of both and then Backward of
// both, on texts of different lengths: each learns what it would alone.
func sideBySide(e *course.Exam) error {
	return course.InTurn(4, func(i int) error {
		story := lang.T("a model and a replica in turn, on texts of different lengths; what the model learned")
		if i >= 2 {
			story = lang.T("a replica and its model in turn, on texts of different lengths; what the replica learned")
		}
		_, err := learnsAlone(e, func(rng *rand.Rand) wire.Values {
			in := drawSide(rng, i%2 == 1)
			if i >= 2 {
				in["swapped"] = wire.Int(1)
			}
			return in
		})
		return course.Told(story, err)
	})
}

// atOnce lets a model and two replicas learn at the same time.
func atOnce(e *course.Exam) error {
	in, err := learnsAlone(e, func(rng *rand.Rand) wire.Values { return drawSide(rng, false) })
	if err != nil {
		return course.Told(lang.T("a model and a replica in turn, on texts of different lengths; what the model learned"), err)
	}
	in = course.With(in, "meetings", wire.Int(course.Meetings))
	_, err = learnsAlone(e, func(*rand.Rand) wire.Values { return in })
	return course.Disturbed(err)
}

// learnsAlone compares what one of several workers learns with what it would learn
// alone, and returns what it was given.
func learnsAlone(e *course.Exam, draw func(*rand.Rand) wire.Values) (in wire.Values, err error) {
	tolerance := e.LargestTolerance("lm.backward")
	of := func(string) float64 { return tolerance }
	in, want, err := e.Drawn(course.Drawing{Draw: draw, Tolerance: of, Truth: func(in wire.Values) (wire.Values, error) {
		in = maps.Clone(in)
		for _, name := range []string{"other_ids", "other_targets", "swapped", "meetings"} {
			delete(in, name)
		}
		return e.Solve("lm.backward")(in)
	}})
	if err != nil {
		return nil, err
	}
	got, err := e.Ask("lm.replica", in)
	if err == nil {
		err = e.Compare("lm.replica", in, got, want, nil, of)
	}
	return in, err
}
