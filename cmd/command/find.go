package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
)

// FindStep resolves a step's name as course.Find does, and by the part of its
// folder's name behind the underscore: "init". A name that cannot be found is
// answered with the nearest one, of the steps and of what else may stand there.
func FindStep(name string, others ...string) (*course.Step, error) {
	all, known := registry.Steps(), others
	found, err := course.Find(all, name)
	if err == nil {
		return found, nil
	}
	for _, s := range all {
		_, short, _ := strings.Cut(s.Folder, "_")
		if name == short {
			return s, nil
		}
		known = append(known, s.ID, s.Name, s.Folder, short)
	}
	return nil, lang.DidYouMean(err, name, known...)
}

// FindPart is FindStep for a part of a step as well: step11a.
func FindPart(name string, others ...string) (*course.Step, error) {
	if found, err := course.FindPart(registry.Steps(), name); err == nil {
		return found, nil
	}
	return FindStep(name, others...)
}

// FindSteps resolves the names on the command line with find; "all" is every step.
// Others may have been meant by an unknown name.
func FindSteps(find func(string, ...string) (*course.Step, error), names []string, others ...string) ([]*course.Step, error) {
	var steps []*course.Step
	for _, name := range names {
		if name == "all" {
			return registry.Steps(), nil
		}
		s, err := find(name, others...)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// StepRange reads a list of steps, ranges of steps and tracks: "01-07,09", "core".
func StepRange(text string) ([]*course.Step, error) {
	all := registry.Steps()
	if text == "all" {
		return all, nil
	}
	chosen, others := map[string]bool{}, append(trackNames(all), "all")
	for part := range strings.SplitSeq(text, ",") {
		if track := ofTrack(all, strings.TrimSpace(part)); track != nil {
			for _, s := range track {
				chosen[s.ID] = true
			}
			continue
		}
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err := FindStep(strings.TrimSpace(from), others...)
		if err != nil {
			return nil, err
		}
		last, err := FindStep(strings.TrimSpace(to), others...)
		if err != nil {
			return nil, err
		}
		lo, hi := slices.Index(all, first), slices.Index(all, last)
		if lo > hi {
			return nil, fmt.Errorf("--steps %s: %s comes after %s", text, first.ID, last.ID)
		}
		for _, s := range all[lo : hi+1] {
			chosen[s.ID] = true
		}
	}
	var steps []*course.Step
	for _, s := range all {
		if chosen[s.ID] {
			steps = append(steps, s)
		}
	}
	return steps, nil
}

// ofTrack returns the steps of a track: "core", "small-numbers".
func ofTrack(all []*course.Step, name string) []*course.Step {
	return course.OfTrack(all, course.Track(strings.ReplaceAll(name, "-", " ")))
}

// trackNames are the names of the tracks that have a step, as ofTrack takes them.
func trackNames(all []*course.Step) (names []string) {
	for _, s := range all {
		names = append(names, strings.ReplaceAll(string(s.Track), " ", "-"))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
