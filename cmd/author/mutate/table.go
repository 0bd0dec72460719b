package mutate

import (
	"fmt"
	"math"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
)

// tally is how the mistakes of one step fared.
type tally struct {
	mistakes, ways, invisible, caught, named int
	margin                                   float64 // the smallest one of all that have one
}

// Table writes the results as a table in Markdown, a row for every step.
//
// Mistakes are counted as in the catalogue, everything else in ways to make
// them. What is only turned down wrongly gives no answer that could be named, so
// fewer are named than caught.
func Table(results []Result) string {
	var steps []*course.Step
	tallies := map[*course.Step]*tally{}
	for _, r := range results {
		t := tallies[r.Step]
		if t == nil {
			t = &tally{margin: math.Inf(1)}
			tallies[r.Step], steps = t, append(steps, r.Step)
		}
		t.add(r)
	}
	var b strings.Builder
	b.WriteString("| step | mistakes | ways to make them | invisible | caught | named | smallest margin |\n")
	b.WriteString("|:--|--:|--:|--:|--:|--:|--:|\n")
	all := &tally{margin: math.Inf(1)}
	for _, s := range steps {
		t := tallies[s]
		t.row(&b, s.ID[len("step"):]+" "+s.Name)
		all.mistakes, all.ways, all.invisible = all.mistakes+t.mistakes, all.ways+t.ways, all.invisible+t.invisible
		all.caught, all.named, all.margin = all.caught+t.caught, all.named+t.named, min(all.margin, t.margin)
	}
	if len(steps) > 1 {
		all.row(&b, "all")
	}
	return b.String()
}

func (t *tally) add(r Result) {
	t.ways++
	if r.Version == r.Mistake.ID {
		t.mistakes++
	}
	switch {
	case r.Mistake.Invisible != "":
		t.invisible++
	case len(r.Caught) > 0:
		t.caught++
	}
	if r.Named == r.Mistake.ID {
		t.named++
	}
	if r.Margin > 0 && r.Mistake.Invisible == "" {
		t.margin = min(t.margin, r.Margin)
	}
}

func (t *tally) row(b *strings.Builder, name string) {
	margin := "–"
	if !math.IsInf(t.margin, 1) {
		margin = fmt.Sprintf("%.0f×", t.margin)
	}
	caught := fmt.Sprintf("%d of %d", t.caught, t.ways-t.invisible)
	fmt.Fprintf(b, "| %s | %d | %d | %d | %s | %d | %s |\n", name, t.mistakes, t.ways, t.invisible, caught, t.named, margin)
}
