package quiz

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// linesForAPoint is how many empty lines a point is given to be earned on.
const linesForAPoint = 3

// Sheet is the paper for those who answer it, in Markdown: questions, points and
// space. The frame is in the language of p, the questions are in English.
func (p *Paper) Sheet(say lang.Printer) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", p.title(say))
	fmt.Fprintf(&b, "%s %s    %s ______________\n\n", say.Say("Name:"), cmp.Or(p.Name, strings.Repeat("_", 30)), say.Say("Date:"))
	if p.Name != "" {
		fmt.Fprintf(&b, "%s\n", say.Say("%d questions, %d points, about what you handed in. The lines are those of your files.", len(p.Items), p.Points()))
	} else {
		fmt.Fprintf(&b, "%s\n", say.Say("%d questions, %d points. Show how you came to a number, and round it to four decimals.", len(p.Items), p.Points()))
	}
	for i, q := range p.Items {
		fmt.Fprintf(&b, "\n## %d. %s\n\n*%s*\n\n%s\n", i+1, q.Title, p.worth(say, q), q.Text)
		if !p.Oral {
			b.WriteString(strings.Repeat("\n&nbsp;\n", linesForAPoint*q.Points))
		}
		fmt.Fprintf(&b, "\n%s\n", say.Say("Points: _____ of %d", q.Points))
	}
	fmt.Fprintf(&b, "\n%s\n", say.Say("Total: _____ of %d", p.Points()))
	return []byte(b.String())
}

// Key is the paper for those who mark it: each question with its rubric and its answer.
func (p *Paper) Key(say lang.Printer) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n", p.title(say), say.Say("the key"))
	fmt.Fprintf(&b, "%s\n", say.Say("%d questions, %d points. A mistake is charged once: what follows from it correctly has its points. So does an answer that is right by another way, and a number that is off in its last decimal.", len(p.Items), p.Points()))
	for i, q := range p.Items {
		fmt.Fprintf(&b, "\n## %d. %s\n\n*%s*\n\n%s\n\n**%s**\n\n", i+1, q.Title,
			p.worth(say, q)+" · "+place(say, q), q.Text, say.Say("Rubric"))
		for _, c := range q.Rubric {
			if c.Points == 0 {
				fmt.Fprintf(&b, "- **%s** %s\n", say.Say("Often wrong:"), c.Text)
			} else {
				fmt.Fprintf(&b, "- **%d** %s\n", c.Points, c.Text)
			}
		}
		fmt.Fprintf(&b, "\n**%s**\n\n%s\n", say.Say("Answer"), q.Answer)
	}
	return []byte(b.String())
}

// place says where a question comes from.
func place(say lang.Printer, q Question) string {
	if q.Number == 0 {
		return say.Say("%s, from the code itself", q.Step)
	}
	return say.Say("%s, question %d of its bank", q.Step, q.Number)
}

// title names the steps and the seed.
func (p *Paper) title(say lang.Printer) string {
	var steps []string
	for _, q := range p.Items {
		steps = append(steps, strings.TrimPrefix(q.Step, "step"))
	}
	list := strings.Join(slices.Compact(steps), ", ")
	if p.Name != "" {
		return say.Say("About the code of %s: steps %s (seed %d)", p.Name, list, p.Seed)
	}
	if p.Oral {
		return say.Say("Oral examination: steps %s (seed %d)", list, p.Seed)
	}
	return say.Say("Quiz: steps %s (seed %d)", list, p.Seed)
}

// worth says what a question asks for, and its points.
func (p *Paper) worth(say lang.Printer, q Question) string {
	return asks(say, q.Kind) + " · " + say.Say("%d points", q.Points)
}

// asks says what kind of question it is.
func asks(say lang.Printer, k Kind) string {
	switch k {
	case Derivation:
		return say.Say("a derivation")
	case Numbers:
		return say.Say("by hand")
	case Break:
		return say.Say("what would break")
	case Oral:
		return say.Say("to be discussed")
	case Own:
		return say.Say("about your own code")
	}
	return say.Say("explain")
}
