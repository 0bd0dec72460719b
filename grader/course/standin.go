package course

import (
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// StandIns returns the steps of the given names, which are to stand in a model for
// parts of the core, in the order of all. A name that is no step, a step that has
// no place in a model, and two that want the same place are errors.
func StandIns(all []*Step, names []string) ([]*Step, error) {
	chosen := map[string]bool{}
	for _, name := range names {
		s, err := Find(all, name)
		if err != nil {
			return nil, err
		}
		if s.Place.In == "" {
			return nil, lang.Errorf("%s (%s) is no part that a model can be built with; those are %s", s.ID, s.Name, placed(all))
		}
		chosen[s.ID] = true
	}
	var guests []*Step
	for _, s := range all {
		if !chosen[s.ID] {
			continue
		}
		for _, o := range guests {
			if name := s.Place.shared(o.Place); name != "" {
				return nil, lang.Errorf("%s and %s both stand in for %s of %s; a model can have one of them only", o.Name, s.Name, name, s.Place.In)
			}
		}
		guests = append(guests, s)
	}
	return guests, nil
}

// shared returns a name that both want to stand at, or "".
func (p Place) shared(o Place) string {
	if i := slices.IndexFunc(p.Names, func(n string) bool { return p.In == o.In && slices.Contains(o.Names, n) }); i >= 0 {
		return p.Names[i]
	}
	return ""
}

// placed names the steps that have a place in a model.
func placed(all []*Step) string {
	var names []string
	for _, s := range all {
		if s.Place.In != "" {
			names = append(names, s.Name)
		}
	}
	if names == nil {
		return "–"
	}
	return strings.Join(names, ", ")
}
