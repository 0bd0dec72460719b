package trainpage

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/key"

	"github.com/stubformer/stubformer/cmd/tui/component/chart"
	"github.com/stubformer/stubformer/cmd/tui/component/meter"
	"github.com/stubformer/stubformer/cmd/tui/component/surprise"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/cmd/tui/runs"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/studio/train/run"
)

// choices lists what can be trained.
func (m *Model) choices() []string {
	lines := []string{m.theme.Bold.Render(m.lang.Say("Train a language model with %s", run.CodeOf(m.plan.Impl)))}
	if m.trouble != "" {
		for _, line := range text.Wrap(m.trouble, m.width-2) {
			lines = append(lines, m.theme.Warn.Render("! "+line))
		}
	}
	lines = append(lines, "", m.choice(0, m.lang.Say("a new run: %s on %s", m.plan.Config, m.plan.Corpus)))
	if m.cursor == 0 {
		lines = append(lines, m.explain()...)
	}
	const most = 4 // runs in sight
	first := max(0, min(m.cursor-most, len(m.runs)-most))
	for i := first; i < min(len(m.runs), first+most); i++ {
		lines = append(lines, m.choice(i+1, m.oneLine(m.runs[i])))
	}
	if rest := len(m.runs) - first - most; rest > 0 {
		lines = append(lines, m.theme.Faint.Render("    "+m.lang.Say("and %d older ones", rest)))
	}
	return append(lines, "")
}

func (m *Model) choice(i int, said string) string {
	if i == m.cursor {
		return m.theme.Selected.Render("▸ " + said)
	}
	return "  " + said
}

// oneLine describes a run in a line.
func (m *Model) oneLine(r runs.Run) string {
	s := m.lang.Say("%s   step %d/%d", r.Dir, r.Last().Step, r.Config.Recipe.Steps)
	if v := r.Validation(); v != nil {
		s += m.lang.Say("   validation loss %.3f", *v)
	}
	if r.Last().Step >= r.Config.Recipe.Steps {
		s += m.lang.Say("   finished")
	}
	if whose := r.Config.Impl(); whose == run.Solutions || whose == run.Both {
		s += m.lang.Say("   trained by %s", r.Config.Trainer())
	}
	return s
}

// explain says what the choices for a new run mean.
func (m *Model) explain() []string {
	size := map[string]lang.Text{
		"tiny":  lang.T("2 layers, d_model 64, 800 steps: less than a minute"),
		"small": lang.T("4 layers, d_model 128, 2000 steps: some minutes"),
		"base":  lang.T("4 layers, d_model 512, 5000 steps: hours"),
	}[m.plan.Config]
	source := map[string]lang.Text{
		"village": lang.T("stories from a grammar whose exact entropy is known: you see how far the loss is from the floor"),
		"opticks": lang.T("Newton's book on light, which comes with Go"),
	}[m.plan.Corpus]
	whose := lang.T("the steps as you wrote them; each of the core must at least be implemented")
	if m.plan.Impl == "solutions" {
		whose = lang.T("the course's solutions, to see what to expect")
	}
	var lines []string
	entry := func(k key.Binding, choice string, what lang.Text) {
		if !k.Enabled() {
			return
		}
		label := m.theme.Bold.Render(k.Help().Key) + "  " + m.theme.Faint.Render(k.Help().Desc)
		for _, line := range text.Entry(label, 14, m.lang.Say("%s: %s", choice, what), min(m.width, 100)-4) {
			lines = append(lines, "    "+line)
		}
	}
	entry(m.Keys.Config, m.plan.Config, size)
	entry(m.Keys.Corpus, m.plan.Corpus, source)
	entry(m.Keys.Impl, run.CodeOf(m.plan.Impl).In(m.lang), whose)
	return lines
}

// progress is how far the training is.
func (m *Model) progress() []string {
	r, last := m.live, m.live.Last()
	top := r.Config.Recipe.Steps
	left := m.theme.Bold.Render(r.Dir) + m.theme.Faint.Render("  "+m.lang.Say("%s parameters", count(m.start.Params)))
	status := m.lang.Say("step %d/%d", last.Step, top)
	if m.state == saving {
		status = m.lang.Say("saving …")
	}
	lines := []string{text.Spread(left, status, m.width), meter.Bar(m.theme, last.Step, top, m.width)}
	facts := []string{m.lang.Say("loss %.3f", last.Loss)}
	if v := r.Validation(); v != nil {
		facts = append(facts, m.lang.Say("validation %.3f", *v))
	}
	if r.Floor > 0 {
		facts = append(facts, m.lang.Say("floor %.3f", r.Floor))
	}
	facts = append(facts, m.speed(last, top)...)
	lines = append(lines, text.Flow(facts, m.width)...)
	if m.prints != "" {
		lines = append(lines, m.theme.Faint.Render(text.Cut(m.lang.Say("your code printed: %s", strings.ReplaceAll(untrusted.Visible(m.prints), "\n", " ")), m.width)))
	}
	return append(lines, "")
}

// speed is what is known about time.
func (m *Model) speed(last run.Step, top int) []string {
	if last.TokensPerSecond == 0 {
		return nil
	}
	seconds := float64(top-last.Step) * float64(m.start.TokensPerStep) / last.TokensPerSecond
	left := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	return []string{m.lang.Say("%s tokens/s", count(int(last.TokensPerSecond))), m.lang.Say("%s left", left)}
}

// count writes a number with a unit: 812, 21.3k, 1.4M.
func count(n int) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// sideBySide is the width from which the samples stand beside the chart.
const sideBySide = 110

// picture is the chart of the run that is shown, and what its model wrote.
func (m *Model) picture(height int) []string {
	r := m.shown()
	if r == nil || height < 5 {
		return nil
	}
	losses := r.Chart(m.lang)
	switch {
	case losses == nil:
		return []string{m.lang.Say("No step is done yet.")}
	case m.samples:
		m.scroll.Height = height
		return strings.Split(m.scroll.View(), "\n")
	case m.width >= sideBySide:
		half := m.width * 11 / 20
		return text.Beside(chart.Lines(m.theme, losses, half, height), m.wrote(*r, m.width-half-3, height), half, m.theme.Faint.Render(" │ "))
	}
	sample := m.wrote(*r, m.width, 4)
	for len(sample) > 0 && sample[len(sample)-1] == "" {
		sample = sample[:len(sample)-1]
	}
	if height < len(sample)+9 {
		return chart.Lines(m.theme, losses, m.width, height)
	}
	return append(chart.Lines(m.theme, losses, m.width, height-len(sample)), sample...)
}

// wrote shows what the model wrote: the newest sample at the end, and as many
// earlier ones as there is room for.
func (m *Model) wrote(r runs.Run, width, height int) []string {
	var lines, legend []string
	samples := r.Samples()
	if len(samples) > 0 && len(samples[len(samples)-1].Surprise) > 0 {
		legend = surprise.Legend(m.theme, m.lang, width)
	}
	if 2*len(legend) >= height {
		legend = nil
	}
	height -= len(legend)
	for i := len(samples) - 1; i >= 0; i-- {
		one := m.sample(samples[i], width)
		if i == len(samples)-1 && m.live.Dir == r.Dir && m.typed >= 0 {
			one = m.beginning(one, samples[i], width)
		}
		if len(one)+len(lines) > height {
			if len(lines) == 0 {
				lines = one[:min(len(one)-1, height)]
			}
			break
		}
		lines = append(one, lines...)
	}
	return append(lines, legend...)
}

// sample is what was written after a step, in the colours of its surprise.
func (m *Model) sample(s run.Step, width int) []string {
	lines := []string{m.theme.Faint.Render(m.lang.Say("what it writes after step %d", s.Step))}
	said := strings.TrimLeftFunc(s.Sample, unicode.IsSpace)
	nats := s.Surprise[min(len(s.Surprise), utf8.RuneCountInString(s.Sample)-utf8.RuneCountInString(said)):]
	return append(append(lines, surprise.Lines(m.theme, strings.TrimSpace(said), nats, width)...), "")
}

// beginning is as much of a sample as has been typed, in the room of all of it.
func (m *Model) beginning(whole []string, s run.Step, width int) []string {
	s.Sample = string([]rune(s.Sample)[:m.typed])
	lines := m.sample(s, width)
	lines[max(0, len(lines)-2)] += m.theme.Accent.Render("▌")
	for len(lines) < len(whole) {
		lines = append(lines, " ")
	}
	return lines[:len(whole)]
}

// fill writes the samples for scrolling.
func (m *Model) fill() {
	m.scroll.Width, m.scroll.Height = m.width, max(0, m.height-6)
	r := m.shown()
	if r == nil {
		return
	}
	bottom := m.scroll.AtBottom()
	var lines []string
	for _, s := range r.Samples() {
		lines = append(lines, m.sample(s, min(m.width, 100))...)
	}
	m.scroll.SetContent(strings.Join(lines, "\n"))
	m.scroll.SetYOffset(m.scroll.YOffset) // no further down than there are lines
	if bottom {
		m.scroll.GotoBottom()
	}
}
