// Package app is the dashboard itself: it routes keys and messages between the
// pages and the engine, and draws what surrounds a page: the line on top, the
// last news, and the help.
package app

import (
	"context"
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/spinner"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/engine"
	"github.com/stubformer/stubformer/cmd/tui/page/cardpage"
	"github.com/stubformer/stubformer/cmd/tui/page/coursemap"
	"github.com/stubformer/stubformer/cmd/tui/page/plotpage"
	"github.com/stubformer/stubformer/cmd/tui/page/steppage"
	"github.com/stubformer/stubformer/cmd/tui/page/trainpage"
	"github.com/stubformer/stubformer/cmd/tui/page/writepage"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
)

// page is one of the pages.
type page int

const (
	mapPage page = iota
	stepPage
	trainPage
	plotPage
	cardPage
	writePage
)

// settle is how long a file must have been quiet before its grading counts.
const settle = 200 * time.Millisecond

// KeyMap are the keys that work on every page.
type KeyMap struct {
	Grade, Cancel, Edit, Watch, Train, Plots, Milestone, Card, Mouse, Suspend, Help, Quit key.Binding
}

// Model is the dashboard.
type Model struct {
	keys   KeyMap
	theme  theme.Theme
	lang   lang.Printer
	engine *engine.Engine
	steps  []*course.Step
	parted []*course.Step // steps, and the parts of each

	course   standing.Course
	reports  map[string]*report.Step // of this session
	reported map[string]time.Time    // when each was recorded

	page    page
	courses coursemap.Model
	step    steppage.Model
	train   trainpage.Model
	plots   plotpage.Model
	card    cardpage.Model
	write   writepage.Model
	spinner spinner.Model

	drawing     context.Context // of the picture that is being made
	stopDrawing context.CancelFunc

	watch    *engine.Watch // nil: off
	grading  *engine.Grading
	queue    []*course.Step   // to be graded next
	doing    string           // "building", "check 4 of 12"
	run      *engine.Training // nil: nothing is being trained
	writer   *engine.Writer   // nil: no model writes
	learns   string           // the milestone that is being run; "": none
	news     string           // the last thing that happened
	trouble  string           // what is wrong with the disk or the machine
	readOnly string           // why nothing is recorded, or ""
	help     bool             // all keys are shown

	mouse         bool // clicks are read
	width, height int
	footRows      int
}

// New returns the dashboard. It speaks the language of p.
func New(t theme.Theme, p lang.Printer, e *engine.Engine, steps []*course.Step) *Model {
	parted := slices.Clone(steps)
	for _, s := range steps {
		parted = append(parted, s.AsSteps()...)
	}
	return &Model{theme: t, lang: p, engine: e, steps: steps, parted: parted, reports: map[string]*report.Step{}, reported: map[string]time.Time{},
		courses: coursemap.New(t, p), step: steppage.New(t, p), train: trainpage.New(t, p, e.HasSolutions()), plots: plotpage.New(t, p, e.HasSolutions()), card: cardpage.New(t, p), write: writepage.New(t, p),
		stopDrawing: func() {}, spinner: spinner.New(spinner.WithSpinner(spinner.MiniDot)),
		keys: KeyMap{
			Grade:     key.NewBinding(key.WithKeys("r"), key.WithHelp("r", p.Say("grade"))),
			Cancel:    key.NewBinding(key.WithKeys("X"), key.WithHelp("X", p.Say("cancel the grading"))),
			Watch:     key.NewBinding(key.WithKeys("w"), key.WithHelp("w", p.Say("stop watching"))),
			Train:     key.NewBinding(key.WithKeys("t"), key.WithHelp("t", p.Say("train"))),
			Plots:     key.NewBinding(key.WithKeys("p"), key.WithHelp("p", p.Say("pictures"))),
			Milestone: key.NewBinding(key.WithKeys("y"), key.WithHelp("y", p.Say("milestone"))),
			Card:      key.NewBinding(key.WithKeys("c"), key.WithHelp("c", p.Say("card"))),
			Mouse:     key.NewBinding(key.WithKeys("m"), key.WithHelp("m", p.Say("mouse"))),
			Quit:      key.NewBinding(key.WithKeys("q", "ctrl+c"), key.WithHelp("q", p.Say("quit"))),
			Edit:      key.NewBinding(key.WithKeys("e"), key.WithHelp("e", p.Say("edit"))),
			Suspend:   key.NewBinding(key.WithKeys("ctrl+z"), key.WithHelp("ctrl+z", p.Say("suspend; fg returns"))),
			Help:      key.NewBinding(key.WithKeys("?"), key.WithHelp("?", p.Say("all keys"))),
		}}
}

// Init loads the history and begins to watch.
func (m *Model) Init() tea.Cmd {
	var cmd tea.Cmd
	m.watch, cmd = m.engine.Watch()
	return tea.Batch(m.engine.Records(engine.Recorded{}), m.engine.Try(), cmd)
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.handle(msg)
	if rows := len(m.foot()); rows != m.footRows {
		m.footRows = rows // the help needs more or fewer lines now
		cmd = tea.Batch(cmd, m.resize())
	}
	return m, cmd
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m.resize()
	case tea.KeyMsg:
		return m.key(msg)
	case tea.MouseMsg:
		return m.point(msg)
	case spinner.TickMsg:
		return m.tick(msg)
	case engine.Loaded:
		m.loaded(msg)
	case engine.Recorded:
		return tea.Batch(m.engine.Load(), m.engine.Records(msg))
	case engine.Changed:
		return m.changed(msg)
	case engine.Progress:
		return m.progress(msg)
	case engine.Graded:
		return m.graded(msg)
	case engine.MilestoneRun:
		return m.milestoneRun(msg)
	case engine.ReadOnly:
		m.readOnly = m.lang.Say("Attempts and hints cannot be recorded in .stubformer: %v", msg.Err)
	case engine.Edited:
		if msg.Err != nil {
			m.news = m.lang.Say("The editor could not be run: %v. VISUAL or EDITOR names it.", msg.Err)
		}
	case coursemap.Open:
		return m.open(msg.Step)
	case steppage.Back, trainpage.Back, plotpage.Back, cardpage.Back:
		m.turn(mapPage)
		m.stopDrawing()
	default:
		return tea.Batch(m.answer(msg), m.training(msg), m.picture(msg), m.carding(msg), m.writing(msg))
	}
	return nil
}

// answer does what the step's page asks for, and hands it what came of it.
func (m *Model) answer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case steppage.WantLesson:
		return m.engine.Lesson(m.find(m.step.Step()), m.theme, m.lang, msg.Width)
	case engine.Lesson:
		if msg.Step == m.step.Step() {
			m.step.SetLesson(msg.Text, msg.Err)
		}
	case steppage.WantHint:
		return m.engine.Hint(m.find(msg.Step))
	case engine.Hinted:
		if msg.Err != nil {
			m.news = m.lang.Error(msg.Err)
		}
		return m.engine.Load()
	case steppage.WantCompare:
		if s := m.course.Find(msg.Step); s != nil { // parts go when the whole has passed
			return m.engine.Compare(m.find(msg.Step), s.Files)
		}
	case engine.Compared:
		if msg.Step == m.step.Step() {
			m.step.SetPairs(msg.Files, msg.Err)
		}
	}
	return nil
}

func (m *Model) find(id string) *course.Step {
	return m.parted[slices.IndexFunc(m.parted, func(s *course.Step) bool { return s.ID == id })]
}

// key does what a key asks for.
func (m *Model) key(k tea.KeyMsg) tea.Cmd {
	switch {
	case m.help && k.String() != "ctrl+c":
		m.help = false
		return nil
	case m.page == stepPage && m.step.Typing():
		return m.step.Update(k)
	case m.page == writePage && m.write.Typing():
		return m.write.Update(k)
	case key.Matches(k, m.keys.Quit):
		return tea.Quit
	case key.Matches(k, m.keys.Help):
		m.help = true
		return nil
	case key.Matches(k, m.keys.Suspend):
		return tea.Suspend
	case key.Matches(k, m.keys.Edit) && (m.page == mapPage || m.page == stepPage):
		return m.edit()
	case key.Matches(k, m.keys.Grade) && (m.page == mapPage || m.page == stepPage):
		id := m.courses.Selected()
		if m.page == stepPage {
			id = m.step.Step()
		}
		if id == "" {
			return nil
		}
		return m.grade(m.find(id), 0)
	case key.Matches(k, m.keys.Cancel) && m.grading != nil && (m.page == mapPage || m.page == stepPage):
		return m.cancel()
	case key.Matches(k, m.keys.Watch):
		return m.toggleWatch()
	case key.Matches(k, m.keys.Mouse):
		return m.toggleMouse()
	case key.Matches(k, m.keys.Train) && m.page == mapPage:
		m.turn(trainPage)
		return m.engine.Runs()
	case key.Matches(k, m.keys.Card) && m.page == mapPage:
		return m.showCard()
	case key.Matches(k, m.keys.Milestone) && m.page == mapPage:
		return m.runMilestone()
	case key.Matches(k, m.keys.Plots) && m.page == mapPage:
		return m.showPlots()
	}
	var cmd tea.Cmd
	switch m.page {
	case stepPage:
		cmd = m.step.Update(k)
	case trainPage:
		cmd = m.train.Update(k)
	case plotPage:
		cmd = m.plots.Update(k)
	case cardPage:
		cmd = m.card.Update(k)
	case writePage:
		cmd = m.write.Update(k)
	default:
		cmd = m.courses.Update(k)
	}
	return cmd
}

// turn turns to a page. What was told on another one is old news.
func (m *Model) turn(to page) { m.page, m.news = to, "" }

// open shows the screen of a step.
func (m *Model) open(id string) tea.Cmd {
	m.turn(stepPage)
	return m.step.Show(*m.course.Find(id), m.course.Attempts)
}

func (m *Model) toggleWatch() tea.Cmd {
	if m.watch != nil {
		m.watch.Stop()
		m.watch = nil
		m.keys.Watch.SetHelp("w", m.lang.Say("watch"))
		m.news = m.lang.Say("Watching is off; r grades by hand.")
		return nil
	}
	var cmd tea.Cmd
	m.watch, cmd = m.engine.Watch()
	m.keys.Watch.SetHelp("w", m.lang.Say("stop watching"))
	m.news = m.lang.Say("Watching is on: save a file and its step is graded.")
	return cmd
}

// loaded takes the standing as the disk has it.
func (m *Model) loaded(msg engine.Loaded) {
	m.trouble = ""
	if msg.Err != nil {
		m.trouble = m.lang.Say("The history cannot be read: %v", msg.Err)
	}
	m.course = msg.Course
	for id := range m.reports {
		if s := m.course.Find(id); s != nil && s.Last != nil && s.Last.Time.After(m.reported[id]) {
			delete(m.reports, id) // another terminal has a newer one
		}
	}
	m.show()
}

// show hands the standing to the pages.
func (m *Model) show() {
	m.course = m.course.WithReports(m.reports)
	m.courses.SetCourse(m.course)
	if s := m.course.Find(m.step.Step()); s != nil {
		m.step.SetStep(*s, m.course.Attempts)
	}
}

// Training reports whether a training run is under way.
func (m *Model) Training() bool { return m.run != nil }
