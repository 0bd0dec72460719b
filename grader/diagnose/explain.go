package diagnose

import (
	"maps"
	"math"
	"slices"
)

// Found is a mistake that explains a subject's answers.
type Found struct {
	ID        string
	Version   string   // the only way of making it that explains the answers; "" if there are several
	Partly    bool     // it changes other functions too, which answer otherwise
	Checks    []string // that it makes fail
	Agreement float64  // how far the answers are from the mistake's, relative to their size
	Curve     bool     // only the loss curves say so
	Shape     bool     // only the shapes of arrays say so

	Rule  *Rule    // that it is, if nobody wrote it down
	In    []string // the functions that follow the rule
	Where          // they follow it
}

// Explain returns the mistakes that explain wrong answers, function by function;
// functions are those of the step, each behind those that it is made of.
//
// A mistake stands in a function if it explains all of its wrong answers, or does
// together with one or two others, and none of the right ones contradicts it.
// Where there are several explanations, what they have in common stands. A later
// function may answer otherwise than the mistake does: a wrong forward pass has its
// name whatever the derivative is. An earlier one may not: a derivative is not that
// of a mistake which the forward pass does not make.
func (k Known) Explain(marks map[string]Mark, functions []string) []Found {
	return newInquiry(k, marks, functions).written()
}

// written returns the written mistakes that stand.
func (c *inquiry) written() []Found {
	stood := map[string]*standing{}
	for _, f := range c.functions {
		sets := c.explanations(f)
		for _, id := range common(sets) {
			if stood[id] == nil {
				stood[id] = &standing{}
			}
			stood[id].add(f, ways(sets, id))
		}
	}
	var found []Found
	for _, id := range slices.Sorted(maps.Keys(stood)) {
		if c.speaks(stood[id], func(m Mark) bool { return !m.Outcome }) {
			found = append(found, c.found(id, stood[id]))
		}
	}
	return found
}

// standing is where a mistake stands, and in which versions.
type standing struct {
	functions []string
	versions  []string // that explain it there, some in one function and some in another
	whole     []string // those that do so in each of the functions
}

func (s *standing) add(function string, versions []string) {
	s.whole = slices.DeleteFunc(s.whole, func(v string) bool { return !slices.Contains(versions, v) })
	if len(s.functions) == 0 {
		s.whole = slices.Clone(versions)
	}
	s.functions = append(s.functions, function)
	s.versions = append(s.versions, versions...)
}

// speaks reports whether any of the answers for which a mistake stands is such.
func (c *inquiry) speaks(s *standing, such func(Mark) bool) bool {
	for _, v := range s.versions {
		for _, f := range s.functions {
			if slices.ContainsFunc(c.explained(v, f), func(name string) bool { return such(c.marks[name]) }) {
				return true
			}
		}
	}
	return false
}

// found says what is known of a mistake that stands.
func (c *inquiry) found(id string, s *standing) Found {
	f := Found{ID: id, Shape: !c.speaks(s, func(m Mark) bool { return !m.Outcome && len(m.Got.Sums) > 0 })}
	for _, v := range s.versions {
		for _, check := range c.known[v].Checks {
			about := function(check, c.step)
			if slices.Contains(f.Checks, check) {
				continue
			}
			if slices.Contains(s.functions, about) || c.fits(v) && len(c.open[about]) == 0 {
				f.Checks = append(f.Checks, check)
			}
		}
		for _, at := range s.functions {
			f.Agreement = math.Max(f.Agreement, c.distance(v, at))
		}
	}
	if len(s.whole) == 1 {
		f.Version, f.Partly = s.whole[0], !c.fits(s.whole[0])
	}
	return f
}

// common returns the mistakes that are in every set, whatever the version.
func common(sets [][]string) []string {
	var shared []string
	for i, set := range sets {
		var in []string
		for _, version := range set {
			in = append(in, mistake(version))
		}
		if i == 0 {
			shared = slices.Compact(slices.Sorted(slices.Values(in)))
		}
		shared = slices.DeleteFunc(shared, func(id string) bool { return !slices.Contains(in, id) })
	}
	return shared
}

// ways returns the versions of a mistake in any of the sets, each once.
func ways(sets [][]string, id string) []string {
	all := slices.DeleteFunc(slices.Concat(sets...), func(v string) bool { return mistake(v) != id })
	slices.Sort(all)
	return slices.Compact(all)
}

// distance is how far the answers of a function are from those of a version,
// relative to their size.
func (c *inquiry) distance(v, f string) float64 {
	worst := 0.0
	for _, name := range c.changed[v][f] {
		if m, s := c.marks[name], c.known[v].Answers[name]; s.RMS > 0 && len(m.Got.Sums) == len(s.Sums) {
			for i := range s.Sums {
				worst = math.Max(worst, math.Abs(s.Sums[i]-m.Got.Sums[i])/s.RMS)
			}
		}
	}
	return worst
}
