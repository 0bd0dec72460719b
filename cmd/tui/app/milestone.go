package app

import (
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/grader/studio/train"
)

// runMilestone lets the steps that are there learn and write.
func (m *Model) runMilestone() tea.Cmd {
	next := m.course.NextMilestone()
	if next == nil || m.learns != "" {
		return nil
	}
	turns := m.grading != nil || m.train.Active()
	m.learns = next.Name
	m.courses.SetLearning(m.learns)
	m.news = m.lang.Say("Milestone %d: %s. It takes some seconds.", next.Number, next.Title)
	return tea.Batch(m.engine.Milestone(next.Milestone), m.spin(turns))
}

// milestoneRun shows what came of it.
func (m *Model) milestoneRun(msg engine.MilestoneRun) tea.Cmd {
	m.learns = ""
	m.courses.SetLearning("")
	var todo *train.NotImplementedError
	wrong := msg.Result.Wrong(msg.Milestone)
	switch {
	case errors.As(msg.Err, &todo):
		m.news = m.lang.Say("%v; this milestone needs it. Go on with %s first.", todo, todo.Step())
	case msg.Err != nil:
		m.news = m.explain(msg.Err)
	case len(wrong) > 0:
		m.news = wrong[0].In(m.lang)
	default:
		m.news = m.lang.Say("Milestone %d: a loss of %.4f nats per character after %.0f seconds.", msg.Milestone.Number, msg.Result.Loss, msg.Result.Seconds)
	}
	return m.engine.Load()
}
