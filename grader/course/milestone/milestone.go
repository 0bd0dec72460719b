// Package milestone says what a student's steps can do long before the last: small
// models that learn and write, each made of the steps that it needs and no others.
package milestone

import (
	"path/filepath"
	"slices"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
)

// Milestone is one model.
type Milestone struct {
	Number int    // from 1, as people call it
	Name   string // "bigram"; its program is the package of that name in grader/programs/milestone
	Title  lang.Text
	Needs  []string
	Loss   float64 // that sound steps reach, in nats per character
	Table  bool    // it looks at one character only
}

// All returns the milestones of this edition, in order: those whose steps it has.
func All() []Milestone {
	all := []Milestone{
		{Name: "bigram", Title: lang.T("a table: which character follows which"), Loss: 1.980, Table: true,
			Needs: []string{"step03", "step07"}},
		{Name: "window", Title: lang.T("three characters through your feed-forward network"), Loss: 0.658,
			Needs: []string{"step01", "step03", "step05", "step07"}},
		{Name: "attention", Title: lang.T("two layers of your attention, and nothing else"), Loss: 0.446,
			Needs: []string{"step01", "step03", "step04", "step08"}},
		{Name: "transformer", Title: lang.T("your Transformer, on the kit's optimiser"), Loss: 0.318,
			Needs: []string{"step10"}},
		{Name: "trained", Title: lang.T("your Transformer, your optimiser, your matrix product"), Loss: 0.320,
			Needs: []string{"step11"}},
	}
	var there []Milestone
	for i, m := range all {
		m.Number = i + 1
		if len(m.Steps(registry.Steps())) > 0 {
			there = append(there, m)
		}
	}
	return there
}

// Find returns the milestone of a number or a name.
func Find(name string) (Milestone, error) {
	var known []string
	for _, m := range All() {
		if name == m.Name || name == string(rune('0'+m.Number)) {
			return m, nil
		}
		known = append(known, m.Name)
	}
	return Milestone{}, lang.DidYouMean(lang.Errorf("there is no milestone %q; want 1 to %d, or a name", name, len(known)), name, known...)
}

// Steps returns the steps that a milestone needs, directly or through another, in
// the order of all; none if one of them is missing.
func (m Milestone) Steps(all []*course.Step) []*course.Step {
	needed := course.Prerequisites(all, &course.Step{Needs: m.Needs})
	for _, id := range m.Needs {
		if !slices.ContainsFunc(needed, func(s *course.Step) bool { return s.ID == id }) {
			return nil
		}
	}
	return needed
}

// Waits returns the steps that have yet to pass before a milestone is open.
func (m Milestone) Waits(passed func(step string) bool) []string {
	var waits []string
	for _, s := range m.Steps(registry.Steps()) {
		if !passed(s.ID) {
			waits = append(waits, s.ID)
		}
	}
	return waits
}

// NeedsStep reports whether a milestone needs a step, directly or through another.
func (m Milestone) NeedsStep(id string) bool {
	return slices.ContainsFunc(m.Steps(registry.Steps()), func(s *course.Step) bool { return s.ID == id })
}

// Path returns where the kit in the folder root keeps how a milestone went.
func (m Milestone) Path(root string) string {
	return filepath.Join(root, ".stubformer", "milestones", m.Name+".json")
}
