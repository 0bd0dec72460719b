package course

import (
	"slices"

	"github.com/stubformer/stubformer/grader/lang"
)

// Track groups steps that belong together.
type Track string

// The tracks: the core, and those of the electives.
const (
	Core         Track = "core"
	Inference    Track = "inference"
	Text         Track = "text"
	SmallNumbers Track = "small numbers"
	LongTexts    Track = "long texts"
	Adapting     Track = "adapting"
	Parameters   Track = "more parameters"
	Classic      Track = "2017"
)

// Text is the track's name for people.
func (t Track) Text() lang.Text {
	switch t {
	case Core:
		return lang.T("core")
	case Inference:
		return lang.T("inference")
	case Text:
		return lang.T("text")
	case SmallNumbers:
		return lang.T("small numbers")
	case LongTexts:
		return lang.T("long texts")
	case Adapting:
		return lang.T("adapting")
	case Parameters:
		return lang.T("more parameters")
	}
	return lang.Raw(string(t))
}

// Sorted returns the steps with every step after those that it needs. Where that
// leaves a choice they keep their order. Steps that need each other in a circle,
// which is a mistake in the course, come last.
func Sorted(steps []*Step) []*Step {
	var sorted []*Step
	open := slices.Clone(steps)
	for len(open) > 0 {
		next := slices.IndexFunc(open, func(s *Step) bool {
			return !slices.ContainsFunc(open, func(o *Step) bool { return slices.Contains(s.Needs, o.ID) })
		})
		if next < 0 {
			return append(sorted, open...)
		}
		sorted = append(sorted, open[next])
		open = slices.Delete(open, next, next+1)
	}
	return sorted
}

// Prerequisites returns the steps of all that a step needs, directly or through
// another, in the order of all.
func Prerequisites(all []*Step, step *Step) []*Step {
	needed := map[string]bool{}
	var need func(s *Step)
	need = func(s *Step) {
		for _, o := range all {
			if slices.Contains(s.Needs, o.ID) && !needed[o.ID] {
				needed[o.ID] = true
				need(o)
			}
		}
	}
	need(step)
	var found []*Step
	for _, s := range all {
		if needed[s.ID] {
			found = append(found, s)
		}
	}
	return found
}

// Elective reports whether a step is counted beside the core.
func (s *Step) Elective() bool { return s.Track != Core }

// Tracks returns the tracks of the steps, each where its first step is.
func Tracks(steps []*Step) []Track {
	var found []Track
	for _, s := range steps {
		if !slices.Contains(found, s.Track) {
			found = append(found, s.Track)
		}
	}
	return found
}

// OfTrack returns the steps of a track, in their order.
func OfTrack(steps []*Step, t Track) []*Step {
	var found []*Step
	for _, s := range steps {
		if s.Track == t {
			found = append(found, s)
		}
	}
	return found
}
