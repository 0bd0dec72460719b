// Package diagnose recognises known mistakes: it compares what a subject
// answered to all of a step's fixtures with what every mistake in the catalogue
// answers to them.
//
// A wrong name is worse than none. A mistake is named only if it explains every
// answer, the right ones included, and no other mistake does.
package diagnose

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Known is what the known mistakes of a step do, by id. A mistake that can be
// made in several ways has an entry for each: "gain-forgotten" and
// "gain-forgotten/derivative-too".
type Known map[string]Entry

// Entry is what one mistake does.
type Entry struct {
	Checks  []string          `json:"checks"`          // that fail
	Answers map[string]Sketch `json:"answers"`         // where they differ from the right ones, by mark
	Curve   bool              `json:"curve,omitempty"` // a loss curve is enough to know it by; see Known.Curve
}

// Of returns the entry of a mistake that has these marks and fails these
// checks. Numbers are rounded to what a comparison can use.
func Of(marks map[string]Mark, checks []string) Entry {
	e := Entry{Checks: checks, Answers: map[string]Sketch{}}
	for name, m := range marks {
		if m.Right() {
			continue
		}
		s := m.Got
		s.RMS = rounded(s.RMS)
		s.Sums = slices.Clone(s.Sums)
		for i := range s.Sums {
			s.Sums[i] = rounded(s.Sums[i])
		}
		e.Answers[name] = s
	}
	return e
}

// rounded keeps nine significant digits: two more than float32 has.
func rounded(x float64) float64 {
	var y float64
	fmt.Sscan(fmt.Sprintf("%.9g", x), &y)
	return y
}

// Found is a mistake that explains a subject's answers.
type Found struct {
	ID        string
	Checks    []string // that it makes fail
	Agreement float64  // how far the answers are from the mistake's, relative to their size
	Curve     bool     // only the loss curves say so
}

// atOnce is how many mistakes at once are looked for.
const atOnce = 3

// Explain returns the mistake that explains all marks, or the two or three that
// explain them together. Where there are several explanations, it returns what
// they have in common: nil if that is nothing.
func (k Known) Explain(marks map[string]Mark) []Found {
	marks = telling(marks)
	var open []string
	for _, name := range slices.Sorted(maps.Keys(marks)) {
		if wrong(marks[name]) {
			open = append(open, name)
		}
	}
	if len(open) == 0 {
		return nil
	}
	touched := map[string][]string{}
	for id := range k {
		if k.fits(marks, id) {
			touched[id] = slices.DeleteFunc(slices.Clone(open), func(name string) bool {
				_, ok := k[id].Answers[name]
				return !ok
			})
		}
	}
	for n := range atOnce {
		if sets := cover(open, touched, n+1); len(sets) > 0 {
			return k.common(sets, marks)
		}
	}
	return nil
}

func wrong(m Mark) bool { return !m.Right() }

// telling leaves the answers to chosen inputs away if those to the fixtures
// have something to tell.
func telling(marks map[string]Mark) map[string]Mark {
	fixtures := maps.Clone(marks)
	maps.DeleteFunc(fixtures, func(_ string, m Mark) bool { return m.Chosen })
	if slices.ContainsFunc(slices.Collect(maps.Values(fixtures)), wrong) {
		return fixtures
	}
	return marks
}

// fits reports whether a mistake answers like the subject wherever it answers
// otherwise than right. Marks that are not there, because the subject gave no
// answer, do not count.
func (k Known) fits(marks map[string]Mark, id string) bool {
	for name, s := range k[id].Answers {
		if m, ok := marks[name]; ok && !m.Is(s) {
			return false
		}
	}
	return true
}

// cover returns the sets of at most n mistakes that explain each open mark by
// one of them; touched says which marks each mistake explains. What two mistakes
// do together to one answer is not known, so no two of a set touch the same one.
func cover(open []string, touched map[string][]string, n int) [][]string {
	if len(open) == 0 {
		return [][]string{nil}
	}
	if n == 0 {
		return nil
	}
	var sets [][]string
	for _, id := range slices.Sorted(maps.Keys(touched)) {
		isOpen := func(name string) bool { return slices.Contains(open, name) }
		explains := func(name string) bool { return slices.Contains(touched[id], name) }
		if !explains(open[0]) || slices.ContainsFunc(touched[id], func(name string) bool { return !isOpen(name) }) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(open), explains)
		for _, set := range cover(rest, touched, n-1) {
			sets = append(sets, append([]string{id}, set...))
		}
	}
	return sets
}

// common returns the mistakes that are in every set, whatever the variant.
func (k Known) common(sets [][]string, marks map[string]Mark) []Found {
	shared := mistakes(sets[0])
	for _, set := range sets[1:] {
		in := mistakes(set)
		shared = slices.DeleteFunc(shared, func(id string) bool { return !slices.Contains(in, id) })
	}
	var found []Found
	for _, id := range shared {
		f := Found{ID: id}
		for _, version := range slices.Concat(sets...) {
			if mistake(version) == id {
				f.Checks = append(f.Checks, k[version].Checks...)
				f.Agreement = math.Max(f.Agreement, k.distance(marks, version))
			}
		}
		found = append(found, f)
	}
	return found
}

// mistakes are the mistakes of a set, each once.
func mistakes(set []string) []string {
	var ids []string
	for _, version := range set {
		ids = append(ids, mistake(version))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// mistake is the id of the mistake that a variant belongs to.
func mistake(id string) string {
	id, _, _ = strings.Cut(id, "/")
	return id
}

// distance is how far the marks are from the answers of a mistake, relative to
// the size of the answers.
func (k Known) distance(marks map[string]Mark, id string) float64 {
	worst := 0.0
	for name, m := range marks {
		if s, ok := k[id].Answers[name]; ok && s.RMS > 0 {
			for i := range s.Sums {
				worst = math.Max(worst, math.Abs(s.Sums[i]-m.Got.Sums[i])/s.RMS)
			}
		}
	}
	return worst
}
