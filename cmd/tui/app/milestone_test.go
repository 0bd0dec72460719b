package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/trial"
)

// A milestone that is open is run by s, and what comes of it is told.
func TestMilestone(t *testing.T) {
	d := started(t).size(160, 50)
	c := d.standingOf(nil).WithMilestones(nil)
	d.send(engine.Loaded{Course: c})
	require.NotContains(t, d.model.View(), "y milestone")
	d.press("y")
	require.Nil(t, d.last, "none is open")

	c.Milestones[0].Waits = nil
	d.send(engine.Loaded{Course: c})
	require.Contains(t, d.model.View(), "y milestone")
	d.press("y")
	require.NotNil(t, d.last)
	require.Contains(t, d.model.View(), "bigram: learning")
	d.press("y")
	require.Nil(t, d.last, "one at a time")

	m := c.Milestones[0].Milestone
	d.send(engine.MilestoneRun{Milestone: m, Result: trial.Result{Name: "bigram", Loss: 1.98, Seconds: 2}})
	require.Contains(t, d.model.News(), "a loss of 1.9800 nats per character")
	require.NotContains(t, d.model.View(), "bigram: learning")
	d.send(engine.MilestoneRun{Milestone: m, Result: trial.Result{Name: "bigram", Loss: 1.98,
		Doubts: []run.Doubt{{Kind: run.WrongLoss, Got: 3, Want: 2}}}})
	require.Contains(t, d.model.News(), "Your cross-entropy says 3")
	d.send(engine.MilestoneRun{Milestone: m, Err: &train.NotImplementedError{What: "step07: CrossEntropy.Forward"}})
	require.Contains(t, d.model.News(), "this milestone needs it. Go on with step07 first")
}
