// Package trainpage starts, watches, stops and resumes training runs: the loss
// against the floor, the speed, the time left, and what the model writes by now.
package trainpage

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/viewport"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/runs"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// What the page asks for.
type (
	Back  struct{}                   // leave the page
	Start struct{ Plan runs.Plan }   // train
	Stop  struct{}                   // save and end the training
	Write struct{ Run, Impl string } // let the model of a run write
	Typed struct{}                   // a moment has passed: more of the sample is there
)

// KeyMap are the keys of the page.
type KeyMap struct {
	Back, Up, Down, Start, Write, Config, Corpus, Impl, Stop, Samples, Scroll key.Binding
}

// State is what goes on.
type state int

const (
	idle state = iota
	building
	training
	saving
)

// Model is the page.
type Model struct {
	Keys    KeyMap
	theme   theme.Theme
	lang    lang.Printer
	runs    []runs.Run
	cursor  int       // 0: a new run; then the runs
	plan    runs.Plan // of a new run
	state   state
	live    runs.Run // that is being trained
	start   run.Start
	saved   int    // step of the last checkpoint
	prints  string // what the student's code printed last
	trouble string // why the last training ended early
	ended   bool   // the last training has just ended: its run is to be shown
	samples bool   // show all samples instead of the chart
	typed   int    // characters of the newest sample that are written; −1: all
	scroll  viewport.Model

	width, height int
}

// New returns the page. It speaks the language of p; solutions tells whether the
// kit holds solutions.
func New(t theme.Theme, p lang.Printer, solutions bool) Model {
	m := Model{theme: t, lang: p, scroll: viewport.New(0, 0), typed: -1, plan: runs.Plan{Config: "tiny", Corpus: "village", Impl: "mine"},
		Keys: KeyMap{
			Back:    key.NewBinding(key.WithKeys("esc", "backspace"), key.WithHelp("esc", p.Say("map"))),
			Up:      key.NewBinding(key.WithKeys("up", "k"), key.WithHelp("↑↓", p.Say("run"))),
			Down:    key.NewBinding(key.WithKeys("down", "j")),
			Start:   key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", p.Say("start"))),
			Write:   key.NewBinding(key.WithKeys("l"), key.WithHelp("l", p.Say("let it write"))),
			Config:  key.NewBinding(key.WithKeys("z"), key.WithHelp("z", p.Say("size"))),
			Corpus:  key.NewBinding(key.WithKeys("x"), key.WithHelp("x", p.Say("text"))),
			Impl:    key.NewBinding(key.WithKeys("i"), key.WithHelp("i", p.Say("whose code"))),
			Stop:    key.NewBinding(key.WithKeys("s"), key.WithHelp("s", p.Say("save and stop"))),
			Samples: key.NewBinding(key.WithKeys("v"), key.WithHelp("v", p.Say("samples"))),
			Scroll:  key.NewBinding(key.WithKeys("pgup", "pgdown", "home", "end"), key.WithHelp("pgup/pgdn", p.Say("scroll"))),
		}}
	m.Keys.Impl.SetEnabled(solutions)
	return m
}

// SetSize sets the room of the page.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.fill()
}

// SetRuns shows the runs of the kit.
func (m *Model) SetRuns(all []runs.Run, err error) {
	m.runs = all
	m.cursor = min(m.cursor, len(all))
	if at := slices.IndexFunc(all, func(r runs.Run) bool { return r.Dir == m.live.Dir }); m.ended && at >= 0 {
		m.cursor = at + 1
	}
	m.ended = false
	if err != nil {
		m.trouble = m.lang.Say("The folder runs cannot be read: %v", err)
	}
	m.fill()
}

// Building shows that the training program is being built.
func (m *Model) Building() { m.state, m.trouble, m.prints = building, "", "" }

// Begin shows a run that begins, or goes on.
func (m *Model) Begin(r runs.Run) {
	m.state, m.live, m.saved = training, r, 0
	m.fill()
}

// Event takes what the training program tells.
func (m *Model) Event(e run.Event) (cmd tea.Cmd) {
	switch {
	case e.Start != nil:
		m.start = *e.Start
		kept := m.live.Steps[:0]
		for _, s := range m.live.Steps { // what came after the checkpoint is computed again
			if s.Step <= e.Start.Step {
				kept = append(kept, s)
			}
		}
		m.live.Steps = kept
	case e.Step != nil:
		m.live.Steps = append(m.live.Steps, *e.Step)
		if e.Step.Sample != "" && !m.theme.Plain {
			cmd = m.typing()
		}
	case e.Saved != nil:
		m.saved = e.Saved.Step
	}
	m.fill()
	return cmd
}

// typing begins to write down the newest sample.
func (m *Model) typing() tea.Cmd {
	under := m.typed >= 0
	m.typed = 0
	if under {
		return nil // the next moment comes anyway
	}
	return moment()
}

// moment is the time between two pieces of a sample.
func moment() tea.Cmd {
	return tea.Tick(40*time.Millisecond, func(time.Time) tea.Msg { return Typed{} })
}

// Type writes a few more characters of the newest sample.
func (m *Model) Type() tea.Cmd {
	const piece = 3
	samples := m.live.Samples()
	if m.typed < 0 || len(samples) == 0 {
		return nil
	}
	if m.typed += piece; m.typed >= len([]rune(samples[len(samples)-1].Sample)) {
		m.typed = -1
		return nil
	}
	return moment()
}

// Print shows what the student's code prints.
func (m *Model) Print(said string) { m.prints = strings.TrimSpace(said) }

// Saving shows that the training was asked to stop.
func (m *Model) Saving() { m.state = saving }

// End shows how a training ended: trouble says why it ended early, or "".
func (m *Model) End(trouble string) {
	m.state, m.trouble, m.ended, m.typed = idle, trouble, true, -1
	m.fill()
}

// Active reports whether a training is under way.
func (m *Model) Active() bool { return m.state != idle }

// Dir is the folder of the run that was trained last.
func (m *Model) Dir() string { return m.live.Dir }

// Doing says in a few words what is going on, or "".
func (m *Model) Doing() string {
	switch m.state {
	case building:
		return m.lang.Say("training: building")
	case training:
		return m.lang.Say("training: step %d/%d", m.live.Last().Step, m.live.Config.Recipe.Steps)
	case saving:
		return m.lang.Say("training: saving")
	}
	return ""
}

// Help returns the keys that do something now.
func (m *Model) Help() []key.Binding {
	keys := []key.Binding{m.Keys.Back}
	if m.Active() {
		keys = append(keys, m.Keys.Stop)
	} else {
		keys = append(keys, m.Keys.Up, m.startKey())
		if m.cursor == 0 {
			keys = append(keys, m.Keys.Config, m.Keys.Corpus, m.Keys.Impl)
		} else {
			keys = append(keys, m.Keys.Write, m.Keys.Impl)
		}
	}
	if r := m.shown(); r != nil && len(r.Samples()) > 0 {
		k := m.Keys.Samples
		if m.samples {
			k.SetHelp("v", m.lang.Say("chart"))
			keys = append(keys, m.Keys.Scroll)
		}
		keys = append(keys, k)
	}
	return keys
}

// startKey is the key that begins or resumes, in the word that fits.
func (m *Model) startKey() key.Binding {
	k := m.Keys.Start
	if m.cursor > 0 {
		k.SetHelp("enter", m.lang.Say("go on with it"))
		if r := m.runs[m.cursor-1]; r.Last().Step >= r.Config.Recipe.Steps {
			k.SetEnabled(false)
		}
	}
	return k
}

// Update chooses, starts and stops.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	if !ok {
		return nil
	}
	switch {
	case key.Matches(k, m.Keys.Back):
		return func() tea.Msg { return Back{} }
	case key.Matches(k, m.Keys.Samples):
		m.samples = !m.samples
		m.fill()
		m.scroll.GotoBottom()
	case m.samples && key.Matches(k, m.Keys.Scroll):
		var cmd tea.Cmd
		m.scroll, cmd = m.scroll.Update(msg)
		return cmd
	case m.Active():
		if key.Matches(k, m.Keys.Stop) && m.state != saving {
			return func() tea.Msg { return Stop{} }
		}
	default:
		return m.choose(k)
	}
	return nil
}

// choose takes the keys of the idle page.
func (m *Model) choose(k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.Keys.Up):
		m.cursor = max(0, m.cursor-1)
	case key.Matches(k, m.Keys.Down):
		m.cursor = min(len(m.runs), m.cursor+1)
	case key.Matches(k, m.Keys.Config):
		m.plan.Config = after(m.plan.Config, "tiny", "small", "base")
	case key.Matches(k, m.Keys.Corpus):
		m.plan.Corpus = after(m.plan.Corpus, "village", "opticks")
	case key.Matches(k, m.Keys.Impl):
		m.plan.Impl = after(m.plan.Impl, "mine", "solutions")
	case key.Matches(k, m.Keys.Write) && m.cursor > 0:
		want := Write{m.runs[m.cursor-1].Dir, m.plan.Impl}
		return func() tea.Msg { return want }
	case key.Matches(k, m.startKey()):
		plan := m.plan
		if m.cursor > 0 {
			plan.Resume = m.runs[m.cursor-1].Dir
		}
		return func() tea.Msg { return Start{plan} }
	}
	m.fill()
	return nil
}

// after returns the choice that follows another one, around the end.
func after(now string, choices ...string) string {
	for i, c := range choices {
		if c == now {
			return choices[(i+1)%len(choices)]
		}
	}
	return choices[0]
}

// shown is the run that the page shows, or nil.
func (m *Model) shown() *runs.Run {
	switch {
	case m.state == training || m.state == saving:
		return &m.live
	case m.state == idle && m.cursor > 0:
		return &m.runs[m.cursor-1]
	}
	return nil
}

// View draws the page.
func (m *Model) View() string {
	var lines []string
	switch m.state {
	case idle:
		lines = m.choices()
	case building:
		lines = []string{"", m.lang.Say("Building the training program from %s …", run.CodeOf(m.plan.Impl))}
	default:
		lines = m.progress()
	}
	return text.Block(append(lines, m.picture(m.height-len(lines))...), m.width, m.height)
}
