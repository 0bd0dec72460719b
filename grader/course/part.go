package course

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
)

// Part is a part of a large step that can be graded by itself.
type Part struct {
	Letter string   // "a": the part of step11 is step11a
	Name   string   // in a word
	Title  string   // for people
	Checks []string // how the ids of its checks begin, and of its functions
	Files  []string // in which it is written
}

// Owns reports whether a check or a function belongs to a part.
func (p Part) Owns(id string) bool {
	return slices.ContainsFunc(p.Checks, func(begin string) bool { return id == begin || strings.HasPrefix(id, begin+".") })
}

// AsSteps returns the parts of a step as steps of their own: the same code, and of
// the checks, functions and hints those of the part.
func (s *Step) AsSteps() []*Step {
	var all []*Step
	for _, p := range s.Parts {
		own := *s
		own.ID, own.Name, own.Title = s.ID+p.Letter, p.Name, p.Title
		own.Parts, own.Part, own.Of = nil, p, s
		own.Checks = slices.DeleteFunc(slices.Clone(s.Checks), func(c Check) bool { return !p.Owns(c.ID) })
		own.KeptBack = slices.DeleteFunc(slices.Clone(s.KeptBack), func(id string) bool { return !p.Owns(id) })
		own.Hints = slices.DeleteFunc(slices.Clone(s.Hints), func(h Hint) bool { return !p.Owns(h.For) })
		own.Functions = slices.DeleteFunc(slices.Clone(s.Functions), func(f fixtures.Function) bool { return !p.Owns(f.Name) })
		all = append(all, &own)
	}
	return all
}

// Whole returns the step that a part belongs to, or the step itself.
func (s *Step) Whole() *Step {
	if s.Of != nil {
		return s.Of
	}
	return s
}

// FindPart is Find for names of parts as well: step11a, 11a.
func FindPart(steps []*Step, name string) (*Step, error) {
	found, err := Find(steps, name)
	if err == nil || name == "" {
		return found, err
	}
	letter := name[len(name)-1:]
	whole, wholeErr := Find(steps, strings.TrimSuffix(name, letter))
	if wholeErr != nil {
		return nil, err
	}
	for _, p := range whole.AsSteps() {
		if p.Part.Letter == letter {
			return p, nil
		}
	}
	return nil, err
}

// LessonSection returns what a lesson says about a part: its section, which begins
// with "## Part a:" or, in Chinese, "## a 部分：". It returns the whole lesson if it
// has no such section.
func (p Part) LessonSection(markdown string) string {
	var section strings.Builder
	inside, code := false, false
	for line := range strings.Lines(markdown) {
		code = code != strings.HasPrefix(line, "```")
		if !code && strings.HasPrefix(line, "## ") {
			inside = strings.HasPrefix(line, "## Part "+p.Letter+":") || strings.HasPrefix(line, "## "+p.Letter+" 部分：")
		}
		if inside {
			section.WriteString(line)
		}
	}
	if section.Len() == 0 {
		return markdown
	}
	return section.String()
}
