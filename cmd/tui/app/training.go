package app

import (
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/page/trainpage"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train"
	"github.com/stubformer/stubformer/grader/workspace"
)

// training does what the training page asks for, and hands it what comes of it.
func (m *Model) training(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case engine.Runs:
		m.train.SetRuns(msg.Runs, msg.Err)
		if m.page == plotPage {
			return m.plots.SetRuns(msg.Runs)
		}
	case trainpage.Start:
		return m.startTraining(msg)
	case trainpage.Stop:
		m.run.Stop()
		m.train.Saving()
	case engine.TrainingBegun:
		m.train.Begin(msg.Run)
		return msg.Training.Next()
	case engine.TrainingEvent:
		return tea.Batch(m.train.Event(msg.Event), msg.Training.Next())
	case trainpage.Typed:
		return m.train.Type()
	case engine.TrainingPrint:
		m.train.Print(msg.Text)
		return msg.Training.Next()
	case engine.TrainingEnded:
		return m.endTraining(msg)
	}
	return nil
}

func (m *Model) startTraining(msg trainpage.Start) tea.Cmd {
	if m.run != nil {
		return nil
	}
	turns := m.grading != nil
	var cmd tea.Cmd
	m.run, cmd = m.engine.Train(msg.Plan)
	m.train.Building()
	m.news = ""
	return tea.Batch(cmd, m.spin(turns))
}

func (m *Model) endTraining(msg engine.TrainingEnded) tea.Cmd {
	m.run = nil
	trouble := ""
	if msg.Err != nil {
		trouble = m.explain(msg.Err)
	}
	m.train.End(trouble)
	switch {
	case trouble != "":
		m.news = m.lang.Say("The training has ended early.")
	default:
		m.news = m.lang.Say("Trained and saved. To let it write: go run ./cmd/grade generate %s", lang.Argument(m.train.Dir()))
	}
	return m.engine.Runs()
}

// explain says why a training ended early, and what to do.
func (m *Model) explain(err error) string {
	var todo *train.NotImplementedError
	var compile *workspace.CompileError
	switch {
	case errors.As(err, &todo):
		return m.lang.Say("%v; training needs every step of the core. Go on with %s first.", todo, todo.Step())
	case errors.As(err, &compile):
		return m.lang.Say("Your code does not compile:\n%v", err)
	}
	return m.lang.Error(err)
}
