package engine

import (
	"errors"
	"io"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/grader/course/milestone"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/trial"
	"github.com/stubformer/stubformer/grader/workspace"
)

// MilestoneRun is the end of a milestone's training.
type MilestoneRun struct {
	Milestone milestone.Milestone
	Result    trial.Result
	Err       error // it did not come to an end, or its result could not be kept
}

// Milestone runs a milestone on the student's own steps and keeps its result, as
// `grade milestone N` does.
func (e *Engine) Milestone(m milestone.Milestone) tea.Cmd {
	return e.during(func() tea.Msg {
		a := trial.Attempt{Milestone: m, Kit: e.kit, Source: workspace.Own(), Prints: io.Discard}
		r, err := a.Run(e.ctx, func(run.Step) {})
		if err == nil {
			err = r.Save(e.kit.Root, m)
		}
		if errors.Is(err, e.ctx.Err()) && err != nil {
			return nil // the dashboard ends
		}
		return MilestoneRun{m, r, err}
	})
}
