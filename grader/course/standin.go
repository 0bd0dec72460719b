package course

import (
	"maps"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/lang"
)

// Guest is what stands in a model: a step, or one of several parts that a step has.
type Guest struct {
	Step   *Step
	Name   string // by which it is asked for: that of the step, or of the part
	Places []Place
}

// Generates reports whether a model with the guest is there to generate.
func (g Guest) Generates() bool {
	return slices.ContainsFunc(g.Places, func(p Place) bool { return p.Generates })
}

// StandIns returns the electives of the given names, which are to stand in a model for
// parts of the core, in the order of all. A name that is no step, a step that has
// no place in a model, and two that want the same place are errors. A name of Sets stands
// for several.
func StandIns(all []*Step, names []string) ([]Guest, error) {
	chosen, err := chosen(all, names)
	if err != nil {
		return nil, err
	}
	var guests []Guest
	for _, g := range standing(all) {
		if !slices.Contains(chosen, g.Name) {
			continue
		}
		for _, o := range guests {
			if name, in := g.shared(o); name != "" {
				return nil, lang.Errorf("%s and %s both stand in for %s of %s; a model can have one of them only", o.Name, g.Name, name, in)
			}
		}
		guests = append(guests, g)
	}
	return guests, nil
}

// standing are all that can stand in a model.
func standing(all []*Step) (guests []Guest) {
	for _, s := range all {
		if s.Place.In != "" {
			guests = append(guests, Guest{s, s.Name, []Place{s.Place}})
		}
		for _, seat := range s.Seats {
			guests = append(guests, Guest{s, seat.Name, seat.Places})
		}
	}
	return guests
}

// chosen returns the names of the guests that are meant by the given names.
func chosen(all []*Step, names []string) (found []string, err error) {
	guests := standing(all)
	for _, name := range names {
		if set := setOf(all, name); set != nil {
			found = append(found, set...)
			continue
		}
		if slices.ContainsFunc(guests, func(g Guest) bool { return g.Name == name }) {
			found = append(found, name)
			continue
		}
		s, err := Find(all, name)
		switch {
		case err != nil && slices.ContainsFunc(all, func(s *Step) bool { return len(s.Seats) > 0 }):
			return nil, lang.Errorf("%w; parts of electives are %s", err, strings.Join(seats(all), ", "))
		case err != nil:
			return nil, err
		case len(s.Seats) > 0:
			return nil, lang.Errorf("%s (%s) has several parts that a model can be built with; name them: %s", s.ID, s.Name, strings.Join(seats([]*Step{s}), ", "))
		case s.Place.In == "":
			return nil, lang.Errorf("%s (%s) is no part that a model can be built with; those are %s", s.ID, s.Name, placed(all))
		}
		found = append(found, s.Name)
	}
	return found, nil
}

// setOf returns the names that a name stands for, or nil.
func setOf(all []*Step, name string) []string {
	for _, s := range all {
		if set := s.Sets[name]; set != nil {
			return set
		}
	}
	return nil
}

// seats names the parts of steps that have several, and what stands for more than one of them.
func seats(all []*Step) (names []string) {
	for _, s := range all {
		for _, seat := range s.Seats {
			names = append(names, seat.Name)
		}
		names = append(names, slices.Sorted(maps.Keys(s.Sets))...)
	}
	return names
}

// shared returns a name that both want to stand at, and in which step, or "". Parts of one
// step may stand at a place together, where one function of the step knows of both.
func (g Guest) shared(o Guest) (name, in string) {
	for _, p := range g.Places {
		for _, q := range o.Places {
			if g.Step == o.Step && p.In == q.In && len(p.By) > 0 && maps.Equal(p.By, q.By) {
				continue
			}
			if name := p.shared(q); name != "" {
				return name, p.In
			}
		}
	}
	return "", ""
}

// shared returns a name that both want to stand at, or "".
func (p Place) shared(o Place) string {
	if i := slices.IndexFunc(p.Names, func(n string) bool { return p.In == o.In && slices.Contains(o.Names, n) }); i >= 0 {
		return p.Names[i]
	}
	return ""
}

// placed names what can stand in a model.
func placed(all []*Step) string {
	var names []string
	for _, g := range standing(all) {
		names = append(names, g.Name)
	}
	if names == nil {
		return "–"
	}
	return strings.Join(names, ", ")
}
