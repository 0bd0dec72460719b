// Package steppage is the screen of one step: its lesson, its checks, its
// hints, the comparison with the solution, and its history.
package steppage

import (
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/viewport"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/component/checklist"
	"github.com/stubformer/stubformer/cmd/tui/component/tabs"
	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/report"
)

// The tabs, in order.
const (
	LessonTab = iota
	ChecksTab
	HintsTab
	CompareTab
	HistoryTab
)

// What the page asks for.
type (
	Back        struct{}              // leave the page
	WantLesson  struct{ Width int }   // render the lesson
	WantHint    struct{ Step string } // reveal the next hint
	WantCompare struct{ Step string } // read the files to compare
)

// KeyMap are the keys of the page.
type KeyMap struct{ Back, Prev, Next, Jump, Hint, Scroll, Differ, Find, Again key.Binding }

// Model is the page.
type Model struct {
	Keys     KeyMap
	theme    theme.Theme
	lang     lang.Printer
	step     standing.Step
	attempts []progress.Attempt       // of all steps
	running  int                      // number of the check that runs now, from 1; 0: none
	fresh    map[string]*report.Check // of the grading that goes on, by check; nil: none does
	tabs     tabs.Model
	checks   checklist.Model
	scroll   viewport.Model // of every tab but the checks
	lesson   string
	pairs    []standing.Pair
	place    int    // of the differences: which was jumped to last
	differ   []int  // lines of the comparison where the files begin to differ
	trouble  error  // why the files cannot be compared
	query    string // what is looked for
	typing   bool   // it is being typed
	missing  bool   // it was not found
	found    int    // the line where it was found last
	content  string // of the tab, for finding
	toEnd    bool   // a hint has been asked for: scroll to it when it is there

	width, height int
}

// New returns the page. It speaks the language of p.
func New(t theme.Theme, p lang.Printer) Model {
	return Model{theme: t, lang: p, checks: checklist.New(t, p), scroll: viewport.New(0, 0),
		tabs: tabs.Model{Titles: []string{p.Say("Lesson"), p.Say("Checks"), p.Say("Hints"), p.Say("Compare"), p.Say("History")}},
		Keys: KeyMap{
			Back:   key.NewBinding(key.WithKeys("esc", "backspace"), key.WithHelp("esc", p.Say("map"))),
			Prev:   key.NewBinding(key.WithKeys("left", "shift+tab")),
			Next:   key.NewBinding(key.WithKeys("right", "tab"), key.WithHelp("←→ 1-5", p.Say("tab"))),
			Jump:   key.NewBinding(key.WithKeys("1", "2", "3", "4", "5")),
			Hint:   key.NewBinding(key.WithKeys("h"), key.WithHelp("h", p.Say("hints"))),
			Differ: key.NewBinding(key.WithKeys("d"), key.WithHelp("d", p.Say("next difference"))),
			Find:   key.NewBinding(key.WithKeys("/"), key.WithHelp("/", p.Say("find"))),
			Again:  key.NewBinding(key.WithKeys("n"), key.WithHelp("n", p.Say("find again"))),
			Scroll: key.NewBinding(key.WithKeys("up", "down", "pgup", "pgdown", "home", "end"), key.WithHelp("↑↓ pgup/pgdn", p.Say("scroll"))),
		}}
}

// SetSize sets the room of the page.
func (m *Model) SetSize(width, height int) tea.Cmd {
	resized := m.width != width
	m.width, m.height = width, height
	const above = 4 // title, tabs, empty lines
	m.checks.SetSize(width, max(0, height-above))
	m.scroll.Width, m.scroll.Height = width, max(0, height-above)
	m.fill()
	if resized && m.step.Step != nil {
		return m.wantLesson()
	}
	return nil
}

// measure is the widest line that is pleasant to read.
const measure = 100

func (m *Model) wantLesson() tea.Cmd {
	want := WantLesson{min(m.width, measure)}
	return func() tea.Msg { return want }
}

// Show opens the page on a step: at its lesson if nothing is written yet, else
// at its checks.
func (m *Model) Show(s standing.Step, attempts []progress.Attempt) tea.Cmd {
	if m.step.Step != nil && m.step.ID == s.ID {
		m.SetStep(s, attempts)
		return nil
	}
	m.lesson, m.pairs, m.trouble, m.running, m.fresh = "", nil, nil, 0, nil
	m.checks = checklist.New(m.theme, m.lang)
	m.tabs.Active = ChecksTab
	if s.State == standing.Untouched || s.State == standing.Blocked {
		m.tabs.Active = LessonTab
	}
	m.step = s
	cmd := m.SetSize(m.width, m.height)
	m.SetStep(s, attempts)
	m.checks.Select(progress.FirstFailed(s.Step, attempts))
	m.scroll.GotoTop()
	return tea.Batch(cmd, m.wantLesson())
}

// Step returns the id of the step that is shown, or "".
func (m *Model) Step() string {
	if m.step.Step == nil {
		return ""
	}
	return m.step.ID
}

// SetStep shows another standing in the step.
func (m *Model) SetStep(s standing.Step, attempts []progress.Attempt) {
	m.step, m.attempts = s, attempts
	m.setItems()
	m.fill()
	if m.toEnd {
		m.scroll.GotoBottom()
		m.toEnd = false
	}
}

// Graded opens the checks at the first of the first cause.
func (m *Model) Graded(r *report.Step) {
	m.tabs.Active = ChecksTab
	if causes := r.Causes(); len(causes) > 0 {
		m.checks.Select(causes[0].Checks[0].ID)
	}
}

// SetLesson shows the rendered lesson.
func (m *Model) SetLesson(lesson string, err error) {
	m.lesson = lesson
	if err != nil {
		m.lesson = m.lang.Say("The lesson cannot be read: %v", err)
	}
	m.fill()
}

// SetPairs shows the files to compare.
func (m *Model) SetPairs(pairs []standing.Pair, err error) {
	m.pairs, m.trouble = pairs, err
	m.fill()
	m.toDifference(0)
}

// Help returns the keys that do something now.
func (m *Model) Help() []key.Binding {
	keys := []key.Binding{m.Keys.Back, m.Keys.Next}
	switch m.tabs.Active {
	case ChecksTab:
		keys = append(keys, m.checks.Keys.Up, m.checks.Keys.Expand, m.checks.Keys.Page)
	case CompareTab:
		keys = append(keys, m.Keys.Scroll)
		if len(m.differ) > 0 {
			keys = append(keys, m.Keys.Differ)
		}
	default:
		keys = append(keys, m.Keys.Scroll)
	}
	keys = append(keys, m.Keys.Find)
	if m.query != "" {
		keys = append(keys, m.Keys.Again)
	}
	hint := m.Keys.Hint
	if m.tabs.Active == HintsTab {
		hint.SetHelp("h", m.lang.Say("show a hint"))
	}
	return append(keys, hint)
}

// Update moves between the tabs and inside them.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	if !ok || m.step.Step == nil {
		return nil
	}
	switch {
	case m.typing:
		m.typed(k)
	case key.Matches(k, m.Keys.Find):
		m.query, m.typing, m.missing = "", true, false
	case key.Matches(k, m.Keys.Again) && m.query != "":
		m.find()
	case key.Matches(k, m.Keys.Back):
		return func() tea.Msg { return Back{} }
	case key.Matches(k, m.Keys.Next):
		m.tabs.Move(1)
		return m.open(m.tabs.Active)
	case key.Matches(k, m.Keys.Prev):
		m.tabs.Move(-1)
		return m.open(m.tabs.Active)
	case key.Matches(k, m.Keys.Jump):
		return m.open(int(k.Runes[0] - '1'))
	case key.Matches(k, m.Keys.Hint):
		if m.tabs.Active != HintsTab { // a hint is taken on purpose, not by a slip
			return m.open(HintsTab)
		}
		want := WantHint{m.step.ID}
		m.toEnd = true
		return func() tea.Msg { return want }
	case m.tabs.Active == CompareTab && key.Matches(k, m.Keys.Differ):
		m.toDifference(m.place + 1)
	case m.tabs.Active == ChecksTab:
		return m.checks.Update(msg)
	case k.String() == "home" || k.String() == "g":
		m.scroll.GotoTop()
	case k.String() == "end" || k.String() == "G":
		m.scroll.GotoBottom()
	default:
		var cmd tea.Cmd
		m.scroll, cmd = m.scroll.Update(msg)
		return cmd
	}
	return nil
}

// Click opens the tab that stands in a place of the page, if one does.
func (m *Model) Click(column, line int) tea.Cmd {
	const row = 2 // of the tabs
	if tab := m.tabs.At(column); line == row && tab >= 0 {
		return m.open(tab)
	}
	return nil
}

// open opens a tab.
func (m *Model) open(tab int) tea.Cmd {
	m.tabs.Active = tab
	m.scroll.GotoTop()
	m.fill()
	if tab == CompareTab && m.step.HasPassed() {
		want := WantCompare{m.step.ID}
		return func() tea.Msg { return want }
	}
	return nil
}
