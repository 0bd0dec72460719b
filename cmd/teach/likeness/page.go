package likeness

import (
	_ "embed"
	"fmt"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/report/page"
)

//go:embed page/page.html
var pageHTML string

//go:embed page/page.css
var pageCSS string

// maxLines is how many lines of code a page shows; the other pairs are in its tables.
const maxLines = 40_000

// filling is what the page is filled with. Everything that comes from a submission is
// cleaned, and escaped by the template.
type filling struct {
	Title, Compared, None, Left, NotesTitle string
	Cautions, Columns, Notes                []string
	Groups                                  []group
}

type group struct {
	Title string
	Pairs []row
}

// row is a pair on the page.
type row struct {
	ID, Step, A, B, Likeness, Common, NearA, NearB string
	Code                                           []beside
}

// Page returns the report as one HTML page that needs no other file, runs no script
// and loads nothing.
func (r *Report) Page(p lang.Printer) ([]byte, error) {
	f := filling{Title: p.Say("Submissions that are alike"),
		Compared: p.Say("Submissions: %d. Steps: %d. Pairs that are alike, from a likeness of %s on: %d.", len(r.Names), len(r.Steps), percent(r.Threshold), len(r.Pairs)),
		Cautions: cautions(p), NotesTitle: p.Say("Not compared"),
		None: p.Say("No two are alike. This does not say that nobody copied."),
		Columns: []string{p.Say("step"), p.Say("submission"), p.Say("and"), p.Say("likeness"), p.Say("pieces in common"),
			p.Say("first: as the solution"), p.Say("second: as the solution")}}
	budget, left, id := maxLines, 0, 0
	for _, c := range r.Clusters {
		g := group{Title: p.Say("A pair")}
		if len(c.Names) > 2 {
			g.Title = p.Say("A group of %d", len(c.Names))
		}
		for _, pair := range c.Pairs {
			id++
			one := row{ID: fmt.Sprintf("pair-%d", id), Step: pair.Step, A: shownName(pair.A), B: shownName(pair.B), Likeness: percent(pair.Likeness),
				Common: fmt.Sprintf("%.0f", pair.Common), NearA: percent(pair.NearA), NearB: percent(pair.NearB)}
			if budget > 0 {
				one.Code = pair.beside(p)
			} else {
				left++
			}
			budget -= lines(one.Code)
			g.Pairs = append(g.Pairs, one)
		}
		f.Groups = append(f.Groups, g)
	}
	if left > 0 {
		f.Left = p.Say("The code of the last %d pairs is not shown, for the page would be too large. Raise --threshold, or choose --steps.", left)
	}
	for _, n := range r.Notes {
		f.Notes = append(f.Notes, shownName(n.Name)+", "+n.Step+": "+untrusted.Line(n.Why.In(p), untrusted.MaxArg))
	}
	return page.Page{Lang: p.Name(), Title: f.Title, Style: pageCSS}.Fill(pageHTML, f)
}

// cautions say what the page cannot show.
func cautions(p lang.Printer) []string {
	return []string{
		p.Say("This page is a reason to look and to ask, and never a proof. It cannot show who copied, from whom, or whether anybody did: " +
			"two who learnt from one tutor or one book, worked side by side where that was allowed, or found the one natural way can be alike."),
		p.Say("It compares programs without names, comments, layout, the order of statements and the form of loops. " +
			"What the stub gave, and what the solution or the lesson writes, does not count; how much of each submission that is stands in the last two columns. " +
			"Of two that are close to the solution this page can say little."),
		p.Say("A copy that was changed enough is not here. How often the one and the other happens says docs/instructors.md."),
	}
}

func percent(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }

func shownName(name string) string { return untrusted.Line(name, untrusted.MaxName) }
