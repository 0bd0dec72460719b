package training

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/reference/wire"
)

// trains is a subject with AdamW in one of its forms, whose losses are off by a factor.
type trains struct {
	form   adamForm
	losses float64
	rate   float64 // by which the loop multiplies the learning rate: 1 is right
}

func (s trains) Call(_ context.Context, function string, in wire.Values) (wire.Values, error) {
	switch function {
	case "adamw.run":
		return adamTruth(in, s.form), nil
	case "train.trajectory":
		rates := wire.Floats(nil, in["lr"].Shape...)
		for _, lr := range in["lr"].F64 {
			rates.F64 = append(rates.F64, s.rate*lr)
		}
		out, err := trajectoryTruth(course.Truth, course.With(in, "lr", rates), s.form)
		for i := range out["losses"].F64 {
			out["losses"].F64[i] *= s.losses
		}
		return out, err
	}
	return nil, &verdict.Failure{Kind: verdict.NotImplemented, What: function}
}

// Every published form of AdamW passes where the oracle is kept back, too: the fixtures
// hold the answers of one of them. What they do hold is asked of all.
func TestTrajectoryWithoutTheOracle(t *testing.T) {
	set, err := fixtures.Load()
	require.NoError(t, err)
	step := Step()
	run := func(s trains) (inPart bool, err error) {
		e := &course.Exam{Step: step, Subject: s, Fixtures: set, Seed: 1, Oracle: course.KeepBack}
		for _, c := range step.Checks {
			if c.ID == "train.trajectory" {
				err = e.Run(t.Context(), c)
			}
		}
		return e.InPart(), err
	}
	for _, form := range adamForms() {
		inPart, err := run(trains{form, 1, 1})
		require.NoError(t, err, "%+v", form)
		require.True(t, inPart)
		_, err = run(trains{form, 1.01, 1})
		require.Error(t, err, "losses of %+v that are wrong", form)
	}
	_, err = run(trains{adamForms()[0], 1, 2})
	require.Error(t, err, "a loop that doubles the rate")
}
