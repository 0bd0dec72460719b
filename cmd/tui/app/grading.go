package app

import (
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/spinner"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/grader/course"
)

// changed grades what was saved. A newer save of the step that is being graded
// cancels that grading; other steps wait for their turn.
func (m *Model) changed(msg engine.Changed) tea.Cmd {
	if msg.Watch != m.watch {
		return nil // it was turned off
	}
	cmds := []tea.Cmd{m.engine.Changes(m.watch)}
	for _, s := range msg.Steps {
		cmds = append(cmds, m.grade(s, settle))
	}
	return tea.Batch(cmds...)
}

// grade grades a step now, or after what is being graded if that is another one.
func (m *Model) grade(s *course.Step, settle time.Duration) tea.Cmd {
	if m.grading != nil && m.grading.Step != s {
		if !slices.Contains(m.queue, s) {
			m.queue = append(m.queue, s)
		}
		return nil
	}
	idle := m.grading == nil
	if !idle {
		m.grading.Cancel()
	}
	var cmd tea.Cmd
	m.grading, cmd = m.engine.Grade(s, m.lang, settle)
	m.doing, m.news = m.grading.Doing(m.lang), ""
	m.courses.SetBusy(s.ID, m.doing)
	if m.step.Step() == s.ID {
		m.step.Begin()
	}
	return tea.Batch(cmd, m.spin(!idle || m.train.Active()))
}

// spin lets the spinner turn, unless it turns already.
func (m *Model) spin(turns bool) tea.Cmd {
	if turns {
		return nil
	}
	return m.spinner.Tick
}

func (m *Model) tick(msg spinner.TickMsg) tea.Cmd {
	if m.grading == nil && m.learns == "" && !m.train.Active() {
		return nil
	}
	if m.grading != nil {
		m.doing = m.grading.Doing(m.lang)
		m.courses.SetBusy(m.grading.Step.ID, m.doing)
	}
	var cmd tea.Cmd
	m.spinner, cmd = m.spinner.Update(msg)
	return cmd
}

// progress shows how far a grading is.
func (m *Model) progress(msg engine.Progress) tea.Cmd {
	if msg.Grading != m.grading {
		return nil // it was cancelled
	}
	m.grading.Note(msg)
	m.doing = m.grading.Doing(m.lang)
	m.courses.SetBusy(msg.Event.Step.ID, m.doing)
	if m.step.Step() == msg.Event.Step.ID {
		m.step.Progress(msg.Event.Number, msg.Event.Result)
	}
	return msg.Grading.Next()
}

// graded shows the result of a grading, and begins the next one.
func (m *Model) graded(msg engine.Graded) tea.Cmd {
	if msg.Grading != m.grading {
		return nil
	}
	m.grading = nil
	m.courses.SetBusy("", "")
	m.step.End()
	cmds := []tea.Cmd{m.engine.Load()}
	switch {
	case msg.Err != nil:
		m.news = m.lang.Say("The grader could not start: %v", msg.Err)
	default:
		m.news = m.said(msg)
		m.reports[msg.Report.ID], m.reported[msg.Report.ID] = msg.Report, msg.At
		for _, p := range msg.Grading.Step.AsSteps() {
			delete(m.reports, p.ID) // the report of the whole is newer
		}
		m.show()
		if m.step.Step() == msg.Report.ID {
			m.step.Graded(msg.Report)
		}
	}
	if msg.Record != nil {
		m.news = m.lang.Say("The attempt could not be recorded: %v", msg.Record)
	}
	return tea.Batch(append(cmds, m.next())...)
}

// next grades the step that waits, if one does.
func (m *Model) next() tea.Cmd {
	if len(m.queue) == 0 {
		return nil
	}
	next := m.queue[0]
	m.queue = m.queue[1:]
	return m.grade(next, 0)
}

// cancel gives the grading up. Nothing is recorded of it.
func (m *Model) cancel() tea.Cmd {
	step := m.grading.Step.ID
	m.grading.Cancel()
	m.grading = nil
	m.courses.SetBusy("", "")
	m.step.End()
	cmd := m.next()
	m.news = m.lang.Say("The grading of %s was cancelled; nothing was recorded.", step)
	return cmd
}
