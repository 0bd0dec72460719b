package coursemap

import (
	"fmt"
	"math"
	"strings"

	"github.com/stubformer/stubformer/cmd/command/standing"
	"github.com/stubformer/stubformer/cmd/tui/component/text"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/reference/corpus"
)

// SetLearning shows that a milestone's model is being trained; "" for none.
func (m *Model) SetLearning(name string) { m.learning = name }

// milestones are the small models that the steps can make by now: a row for each,
// or all in one line where there is no room.
func (m *Model) milestones(width int) []string {
	all := m.course.Milestones
	if len(all) == 0 {
		return nil
	}
	if m.height < len(m.places())+12+len(all) {
		return []string{"    " + m.oneLine(width-4)}
	}
	lines := []string{"", "    " + m.theme.Bold.Render(m.lang.Say("What your steps can do"))}
	for _, s := range all {
		lines = append(lines, m.milestone(s, width))
	}
	return append(lines, m.loss("    "+text.Pad(m.lang.Say("floor"), 15), corpus.VillageEntropy()))
}

// oneLine is the losses so far, and the model that can be made next.
func (m *Model) oneLine(width int) string {
	var said []string
	next, learnt := "", false
	for _, s := range m.course.Milestones {
		switch {
		case s.Name == m.learning:
			said = append(said, s.Name+" …")
		case s.Result != nil:
			said, learnt = append(said, fmt.Sprintf("%s %.2f", s.Name, s.Result.Loss)), true
		case len(s.Waits) == 0 && next == "":
			next = s.Name
		}
	}
	switch {
	case len(said) == 0 && next == "":
		return m.theme.Faint.Render(text.Cut(m.lang.Say("The first milestone opens with %s", last(m.course.Milestones[0].Waits)), width))
	case len(said) == 0:
		return text.Cut(m.lang.Say("press y: your steps make a model, %s", next), width)
	case next != "":
		said = append(said, m.lang.Say("y: %s", next))
	}
	if learnt {
		said = append(said, fmt.Sprintf("%s %.2f", m.lang.Say("floor"), corpus.VillageEntropy()))
	}
	return text.Cut(strings.Join(said, " · "), width)
}

func last(ids []string) string { return ids[len(ids)-1] }

// milestone is one in a row: its loss, and what it writes.
func (m *Model) milestone(s standing.Milestone, width int) string {
	head := "    " + text.Pad(fmt.Sprintf("%d %s", s.Number, s.Name), 15)
	switch {
	case s.Name == m.learning:
		return head + m.theme.Accent.Render("… "+m.lang.Say("learning"))
	case s.Result == nil && len(s.Waits) > 0:
		return head + m.theme.Faint.Render(text.Cut(m.lang.Say("after %s", last(s.Waits))+"   "+s.Title.In(m.lang), width-20))
	case s.Result == nil:
		return head + m.theme.Accent.Render(text.Cut(m.lang.Say("press y")+"   "+s.Title.In(m.lang), width-20))
	}
	line := m.loss(head, s.Result.Loss)
	if s.Result.Wrong {
		line += "  " + m.theme.Bad.Render("! "+m.lang.Say("something is wrong"))
	}
	if room := width - text.Width(line) - 3; room > 12 {
		words := strings.Join(strings.Fields(untrusted.Visible(s.Result.Sample)), " ")
		line += "  " + m.theme.Faint.Render(text.Cut(words, room))
	}
	return line
}

// loss is a loss and a bar of its length.
func (m *Model) loss(head string, loss float64) string {
	const cells, most = 16, 2.0 // of the bar, and nats that fill it
	full := min(cells, max(1, int(math.Round(loss/most*cells))))
	bar := m.theme.Good.Render(strings.Repeat("█", full)) + strings.Repeat(" ", cells-full)
	return head + fmt.Sprintf("%.4f  ", loss) + bar
}
