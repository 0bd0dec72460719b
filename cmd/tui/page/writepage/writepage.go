// Package writepage lets a trained model write, token by token: what it has written
// in the colours of its surprise, and what may come next, as bars.
package writepage

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/stubformer/stubformer/cmd/tui/theme"
	"github.com/stubformer/stubformer/grader/lang"
)

// What the page asks for.
type (
	Back struct{} // leave the page, and end the model's program
	Ask  struct{ Question }
	Next struct{} // a moment has passed: the next token may be drawn
)

// Question is a text, and what is to be known about its end.
type Question struct {
	Prompt      string // where Tokens is empty: the text
	Tokens      []int  // the text
	More        int    // tokens to draw behind it
	Temperature float64
	TopP        float64
	Seed        uint64
}

// Piece is the text of a token.
type Piece struct {
	Text     string
	Surprise float64 // −log p, in nats; NaN if it was not foretold
}

// Guess is a token that may come next.
type Guess struct {
	Text string
	P    float64
}

// Answer is what a model says about a text.
type Answer struct {
	Tokens []int   // the text, with what was drawn
	Pieces []Piece // one for each of the tokens
	Next   []Guess // the likeliest that can be drawn, the likeliest first
	Rest   float64 // what the others that can be drawn have together
	Can    int     // how many tokens can be drawn
	Ended  bool    // the model has ended its text
	Err    error   // the others are nothing then
}

// KeyMap are the keys of the page.
type KeyMap struct{ Back, Run, Step, Undo, Prompt, Warmer, Colder, Wider, Narrower, Again key.Binding }

// The first settings.
const (
	temperature = 0.8
	topP        = 0.95
)

// Model is the page.
type Model struct {
	Keys  KeyMap
	theme theme.Theme
	lang  lang.Printer

	run      string // whose model it is
	ready    bool   // the program runs
	question Question
	answer   Answer
	prompt   int    // tokens of the prompt
	running  bool   // it writes on by itself
	waits    bool   // for an answer
	stale    bool   // what is shown is not what is asked for any more
	typing   bool   // the prompt is being typed
	typed    string // so far
	trouble  string

	width, height int
}

// New returns the page. It speaks the language of p.
func New(t theme.Theme, p lang.Printer) Model {
	bind := func(help, what string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, what))
	}
	return Model{theme: t, lang: p, Keys: KeyMap{
		Back:     bind("esc", p.Say("runs"), "esc", "backspace"),
		Run:      bind("enter", p.Say("write on"), "enter"),
		Step:     bind("→", p.Say("one token"), "right", " "),
		Undo:     bind("←", p.Say("take one back"), "left"),
		Prompt:   bind("b", p.Say("another beginning"), "b"),
		Warmer:   bind("+/-", p.Say("temperature"), "+", "="),
		Colder:   bind("", "", "-"),
		Wider:    bind("[ ]", p.Say("top-p"), "]"),
		Narrower: bind("", "", "["),
		Again:    bind("a", p.Say("from the beginning, other draws"), "a"),
	}}
}

// SetSize sets the room of the page.
func (m *Model) SetSize(width, height int) { m.width, m.height = width, height }

// Open shows the model of a run, whose program is being built.
func (m *Model) Open(run string) {
	fresh := New(m.theme, m.lang)
	fresh.SetSize(m.width, m.height)
	*m = fresh
	m.run, m.question = run, Question{Temperature: temperature, TopP: topP, Seed: 1}
}

// Begin says that the program runs, and asks the first question.
func (m *Model) Begin() tea.Cmd {
	m.ready = true
	return m.ask(0)
}

// End says why there is no program any more.
func (m *Model) End(trouble string) {
	m.ready, m.running, m.waits, m.trouble = false, false, false, trouble
}

// Typing reports whether keys are letters of a prompt.
func (m *Model) Typing() bool { return m.typing }

// Doing says in a few words what is going on, or "".
func (m *Model) Doing() string {
	switch {
	case !m.ready && m.trouble == "":
		return m.lang.Say("building")
	case m.running:
		return m.lang.Say("writing")
	}
	return ""
}

// ask asks about the text, with so many more tokens. Only one question is under way.
func (m *Model) ask(more int) tea.Cmd {
	if m.waits {
		m.stale = true
		return nil
	}
	m.waits, m.stale = true, false
	q := m.question
	q.More = more
	return func() tea.Msg { return Ask{q} }
}

// SetAnswer shows an answer.
func (m *Model) SetAnswer(a Answer) tea.Cmd {
	m.waits = false
	m.trouble = ""
	if a.Err != nil {
		m.trouble, m.running = m.lang.Error(a.Err), false
		return nil
	}
	if m.stale { // it is about a text that is not shown any more
		return m.ask(0)
	}
	if len(m.question.Tokens) == 0 {
		m.prompt = len(a.Tokens)
	}
	for i := range min(len(a.Pieces), len(m.answer.Pieces)) { // what it saw when it was drawn
		if was := m.answer.Pieces[i]; was.Text == a.Pieces[i].Text && !math.IsNaN(was.Surprise) {
			a.Pieces[i].Surprise = was.Surprise
		}
	}
	m.answer, m.question.Tokens = a, a.Tokens
	if a.Ended {
		m.running = false
	}
	if m.running {
		return tea.Tick(60*time.Millisecond, func(time.Time) tea.Msg { return Next{} })
	}
	return nil
}

// Go draws the next token, if the model writes by itself.
func (m *Model) Go() tea.Cmd {
	if !m.running || m.waits {
		return nil
	}
	return m.ask(1)
}

// Help returns the keys that do something now.
func (m *Model) Help() []key.Binding {
	k := m.Keys
	switch {
	case m.typing:
		k.Run.SetHelp("enter", m.lang.Say("done"))
		k.Back.SetHelp("esc", m.lang.Say("as before"))
		return []key.Binding{k.Run, k.Back}
	case !m.ready:
		return []key.Binding{k.Back}
	case m.running:
		k.Run.SetHelp("enter", m.lang.Say("pause"))
	}
	return []key.Binding{k.Back, k.Run, k.Step, k.Undo, k.Prompt, k.Warmer, k.Wider, k.Again}
}

// Update writes, and changes how.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return nil
	case m.typing:
		return m.letter(k)
	case key.Matches(k, m.Keys.Back):
		return func() tea.Msg { return Back{} }
	case !m.ready:
		return nil
	}
	return m.write(k)
}

// write takes the keys of the page while the program runs.
func (m *Model) write(k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.Keys.Run):
		m.running = !m.running && !m.answer.Ended
		return m.Go()
	case key.Matches(k, m.Keys.Step):
		if m.running = false; !m.waits {
			return m.ask(1)
		}
	case key.Matches(k, m.Keys.Undo):
		if m.running = false; len(m.question.Tokens) > m.prompt {
			m.question.Tokens = slices.Clone(m.question.Tokens[:len(m.question.Tokens)-1])
			m.answer.Ended = false
			return m.ask(0)
		}
	case key.Matches(k, m.Keys.Prompt):
		m.running, m.typing, m.typed = false, true, m.question.Prompt
	case key.Matches(k, m.Keys.Warmer):
		return m.heat(0.1)
	case key.Matches(k, m.Keys.Colder):
		return m.heat(-0.1)
	case key.Matches(k, m.Keys.Wider):
		return m.widen(0.05)
	case key.Matches(k, m.Keys.Narrower):
		return m.widen(-0.05)
	case key.Matches(k, m.Keys.Again):
		m.question.Seed++
		return m.restart()
	}
	return nil
}

// heat changes the temperature, from 0, at which the likeliest token is taken.
func (m *Model) heat(by float64) tea.Cmd {
	m.question.Temperature = min(max(0, math.Round(10*(m.question.Temperature+by))/10), 3)
	return m.ask(0)
}

// widen changes top-p.
func (m *Model) widen(by float64) tea.Cmd {
	m.question.TopP = min(max(0.05, math.Round(20*(m.question.TopP+by))/20), 1)
	return m.ask(0)
}

// restart goes back to the prompt.
func (m *Model) restart() tea.Cmd {
	m.question.Tokens, m.answer.Pieces, m.answer.Ended = nil, nil, false
	return m.ask(0)
}

// letter takes a key of the prompt.
func (m *Model) letter(k tea.KeyMsg) tea.Cmd {
	switch k.Type {
	case tea.KeyEnter:
		m.typing, m.question.Prompt = false, m.typed
		return m.restart()
	case tea.KeyEsc, tea.KeyCtrlC:
		m.typing = false
	case tea.KeyBackspace:
		_, last := utf8.DecodeLastRuneInString(m.typed)
		m.typed = m.typed[:len(m.typed)-last]
	case tea.KeyRunes, tea.KeySpace:
		m.typed += strings.ReplaceAll(string(k.Runes), "\r", "\n")
	}
	return nil
}
