package mutate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Score is how the mechanical mutants of a step fared.
type Score struct {
	Caught     int
	Slow       int // of those caught: what ran out of time
	Equivalent int
	Survived   int

	Seed uint64 // of the fresh cases
	Day  string // on which the mutants were run, as 2006-01-02
}

// Scores are those of several steps, by the number and the name of the step:
// "05 swiglu".
type Scores map[string]Score

// Add counts a result that was found on some day. A mutant that does not compile
// does not count.
func (s Scores) Add(r Result, day time.Time) {
	name := strings.TrimPrefix(r.Step.ID, "step") + " " + r.Step.Name
	n := s[name]
	n.Seed, n.Day = r.seed, day.Format(time.DateOnly)
	switch {
	case r.Invalid:
	case len(r.Caught) > 0:
		n.Caught++
		if r.slow {
			n.Slow++
		}
	case r.Mistake.Invisible != "":
		n.Equivalent++
	default:
		n.Survived++
	}
	s[name] = n
}

// heading begins the table of Scores.
const heading = "| step | mutants | caught | of these, out of time | equivalent | survived | score | seed | day |\n" +
	"|:--|--:|--:|--:|--:|--:|--:|--:|:--|\n"

// Table writes the scores as a table in Markdown, a row for every step. The
// score is the share of those caught among those that can be.
func (s Scores) Table() string {
	var b strings.Builder
	b.WriteString(heading)
	all := Score{}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		n := s[name]
		fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", name, n.numbers(), n.Seed, n.Day)
		all.Caught, all.Slow = all.Caught+n.Caught, all.Slow+n.Slow
		all.Equivalent, all.Survived = all.Equivalent+n.Equivalent, all.Survived+n.Survived
	}
	if len(s) > 1 {
		fmt.Fprintf(&b, "| all | %s | | |\n", all.numbers())
	}
	return b.String()
}

func (n Score) numbers() string {
	score := "–"
	if n.Caught+n.Survived > 0 {
		score = fmt.Sprintf("%.1f %%", 100*float64(n.Caught)/float64(n.Caught+n.Survived))
	}
	return fmt.Sprintf("%d | %d | %d | %d | %d | %s", n.Caught+n.Equivalent+n.Survived, n.Caught, n.Slow, n.Equivalent, n.Survived, score)
}

// Page returns a page with the scores in its table: those of the steps that were
// run are put in the place of the old ones, and the others are kept.
func (s Scores) Page(old string) (string, error) {
	before, table, found := strings.Cut(old, heading)
	if !found {
		return "", fmt.Errorf("the page has no table that begins with %q", heading)
	}
	merged := Scores{}
	for strings.HasPrefix(table, "|") {
		var line string
		line, table, _ = strings.Cut(table, "\n")
		if name, n, ok := parseRow(line); ok {
			merged[name] = n
		}
	}
	maps.Copy(merged, s)
	return before + merged.Table() + table, nil
}

// parseRow reads a row of Table. There is none for all steps.
func parseRow(line string) (name string, n Score, ok bool) {
	cells := strings.Split(line, "|")
	if len(cells) != 11 {
		return "", n, false
	}
	var numbers [9]int
	for _, i := range []int{3, 4, 5, 6, 8} {
		number, err := strconv.Atoi(strings.TrimSpace(cells[i]))
		if err != nil {
			return "", n, false
		}
		numbers[i] = number
	}
	return strings.TrimSpace(cells[1]), Score{Caught: numbers[3], Slow: numbers[4], Equivalent: numbers[5], Survived: numbers[6],
		Seed: uint64(numbers[8]), Day: strings.TrimSpace(cells[9])}, true
}
