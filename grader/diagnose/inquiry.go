package diagnose

import (
	"maps"
	"slices"
	"strings"
)

// atOnce is how many mistakes at once are looked for in a function.
const atOnce = 3

// inquiry is the search for what explains a subject's answers.
type inquiry struct {
	known     Known
	marks     map[string]Mark                // those that have something to tell
	step      []string                       // the functions of the step
	functions []string                       // those that there are answers of, in the step's order
	open      map[string][]string            // the names of the wrong answers, by function
	changed   map[string]map[string][]string // the answers that a version changes, by version and function
	whole     [][]string                     // the sets of mistakes that explain all of the step
	takenBy   map[string]bool                // whether written mistakes explain a function, as far as it was asked
}

func newInquiry(k Known, marks map[string]Mark, step []string) *inquiry {
	c := &inquiry{known: k, marks: map[string]Mark{}, step: step, open: map[string][]string{}, changed: map[string]map[string][]string{},
		takenBy: map[string]bool{}}
	answers := map[string]map[string]Mark{}
	for name, m := range marks {
		put(answers, function(name, step), name, m)
	}
	for f, all := range answers {
		c.functions = append(c.functions, f)
		maps.Copy(c.marks, telling(all))
	}
	slices.SortFunc(c.functions, c.order)
	for _, name := range slices.Sorted(maps.Keys(c.marks)) {
		if f := function(name, step); !c.marks[name].Right() {
			c.open[f] = append(c.open[f], name)
		}
	}
	for v, e := range k {
		c.changed[v] = map[string][]string{}
		for name := range e.Answers {
			f := function(name, step)
			c.changed[v][f] = append(c.changed[v][f], name)
		}
	}
	c.whole = c.ofTheWholeStep()
	return c
}

func put(m map[string]map[string]Mark, outer, inner string, mark Mark) {
	if m[outer] == nil {
		m[outer] = map[string]Mark{}
	}
	m[outer][inner] = mark
}

// function returns the function of the step that an answer or a check is about:
// both begin with its name, or with that of a check. Without one, it is the check.
func function(name string, step []string) string {
	head, _, _ := strings.Cut(name, "/")
	best := ""
	for _, f := range step {
		if (head == f || strings.HasPrefix(head, f+".")) && len(f) > len(best) {
			best = f
		}
	}
	for _, f := range step {
		if best == "" && strings.HasPrefix(f, head+".") {
			best = f
		}
	}
	if best == "" {
		return head
	}
	return best
}

// order puts the functions of the step first, in their order.
func (c *inquiry) order(a, b string) int {
	i, j := slices.Index(c.step, a), slices.Index(c.step, b)
	switch {
	case i >= 0 && j >= 0:
		return i - j
	case i < 0 && j < 0:
		return strings.Compare(a, b)
	}
	return j - i
}

// telling leaves the answers to chosen inputs away if those to the fixtures
// have something to tell.
func telling(marks map[string]Mark) map[string]Mark {
	fixtures := maps.Clone(marks)
	maps.DeleteFunc(fixtures, func(_ string, m Mark) bool { return m.Chosen })
	for _, m := range fixtures {
		if !m.Right() {
			return fixtures
		}
	}
	return marks
}

// explanations returns the sets of mistakes that explain the wrong answers of a
// function: out of those sets that explain the whole step, if there are any.
func (c *inquiry) explanations(f string) [][]string {
	var sets [][]string
	for _, set := range c.whole {
		sets = append(sets, slices.DeleteFunc(slices.Clone(set), func(v string) bool { return !c.stands(v, f) }))
	}
	if len(sets) > 0 || len(c.open[f]) == 0 {
		return sets
	}
	candidates, possible := map[string][]string{}, map[string][]string{}
	for v := range c.known {
		if c.stands(v, f) {
			candidates[v] = c.explained(v, f)
		}
		if c.mayStand(v, f) {
			possible[v] = c.explained(v, f)
		}
	}
	sets = c.furthest(smallest(c.open[f], candidates))
	for _, set := range smallest(c.open[f], possible) {
		doubtful := slices.ContainsFunc(set, func(v string) bool { return candidates[v] == nil })
		if doubtful && len(sets) > 0 && len(common(append(slices.Clone(sets), set))) == 0 {
			return nil // it may as well be another, of which an earlier function does not tell
		}
	}
	return sets
}

// mayStand reports whether a version changes a function as the subject does, and no
// function before it is right that it would change: one that is wrong in another way
// may have a second mistake.
func (c *inquiry) mayStand(v, f string) bool {
	if len(c.explained(v, f)) == 0 || !c.agrees(v, f) {
		return false
	}
	for g := range c.changed[v] {
		if c.underlies(g, f) && !c.agrees(v, g) && len(c.open[g]) == 0 {
			return false
		}
	}
	return true
}

// ofTheWholeStep returns the smallest sets of mistakes that explain every wrong
// answer, those first that contradict none of the right ones.
func (c *inquiry) ofTheWholeStep() [][]string {
	var open []string
	fitting, standing := map[string][]string{}, map[string][]string{}
	for _, f := range c.functions {
		open = append(open, c.open[f]...)
		for v := range c.known {
			if c.stands(v, f) {
				standing[v] = append(standing[v], c.explained(v, f)...)
			}
		}
	}
	for v := range standing {
		if c.fits(v) {
			fitting[v] = standing[v]
		}
	}
	return smallest(open, fitting, standing)
}

// furthest returns the sets that explain most answers of the whole step.
func (c *inquiry) furthest(sets [][]string) [][]string {
	most := 0
	reach := make([]int, len(sets))
	for i, set := range sets {
		for _, v := range set {
			reach[i] += c.reach(v)
		}
		most = max(most, reach[i])
	}
	var far [][]string
	for i, set := range sets {
		if reach[i] == most {
			far = append(far, set)
		}
	}
	return far
}

// stands reports whether a version changes a function as the subject does, and
// those before it.
func (c *inquiry) stands(v, f string) bool {
	if len(c.explained(v, f)) == 0 {
		return false
	}
	for g := range c.changed[v] {
		if c.underlies(g, f) && !c.agrees(v, g) {
			return false
		}
	}
	return true
}

// underlies reports whether a function may be part of another, or is the same:
// those before it are, but no derivative is part of a forward pass.
func (c *inquiry) underlies(g, f string) bool {
	derivative := func(name string) bool { return strings.HasSuffix(name, ".backward") }
	return c.order(g, f) <= 0 && (derivative(f) || !derivative(g))
}

// fits reports whether a version answers like the subject wherever it answers
// otherwise than right.
func (c *inquiry) fits(v string) bool {
	for g := range c.changed[v] {
		if !c.agrees(v, g) {
			return false
		}
	}
	return true
}

// agrees is fits for one function. Answers that are not there, because the subject
// gave none, do not count.
func (c *inquiry) agrees(v, f string) bool {
	for _, name := range c.changed[v][f] {
		if m, ok := c.marks[name]; ok && !m.Is(c.known[v].Answers[name]) {
			return false
		}
	}
	return true
}

// explained returns the wrong answers of a function that a version changes.
func (c *inquiry) explained(v, f string) []string {
	return slices.DeleteFunc(slices.Clone(c.open[f]), func(name string) bool {
		_, ok := c.known[v].Answers[name]
		return !ok
	})
}

// reach is how many wrong answers of the step a version explains.
func (c *inquiry) reach(v string) int {
	n := 0
	for f := range c.changed[v] {
		if c.stands(v, f) {
			n += len(c.explained(v, f))
		}
	}
	return n
}

// smallest returns the sets of as few mistakes as possible that explain all open
// answers, out of the first candidates that do.
func smallest(open []string, candidates ...map[string][]string) [][]string {
	for n := range atOnce {
		for _, c := range candidates {
			if sets := cover(open, c, n+1); len(open) > 0 && len(sets) > 0 {
				return sets
			}
		}
	}
	return nil
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
