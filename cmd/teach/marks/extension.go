package marks

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stubformer/stubformer/cmd/teach/roster"
)

// Extension is more time for one student.
type Extension struct {
	Who   string    // in the roster; without one the name of the submission
	Steps []string  // all that have a deadline, if none is named
	Due   time.Time // the new deadline; zero for that of the step, and so many days
	Days  int
}

// writtenExtension is one as it is written.
type writtenExtension struct {
	Who   string   `yaml:"who"`
	Steps []string `yaml:"steps"`
	Due   string   `yaml:"due"`
	Days  int      `yaml:"days"`
}

// maxDays bounds how long an extension may be.
const maxDays = 1000

func (s *Scheme) addExtensions(list []writtenExtension, zone *time.Location) error {
	for _, w := range list {
		due, err := moment(w.Due, zone)
		switch {
		case w.Who == "":
			return errors.New("extensions: who is missing; want the number, address, user or whole name of a student")
		case err != nil:
			return fmt.Errorf("extensions: %s: due: %w", w.Who, err)
		case due.IsZero() == (w.Days == 0) || w.Days < 0 || w.Days > maxDays:
			return fmt.Errorf("extensions: %s: want due, a new deadline, or days, a number of them from 1 to %d", w.Who, maxDays)
		}
		e := Extension{Who: w.Who, Steps: w.Steps, Due: due, Days: w.Days}
		if err := s.allows(e); err != nil {
			return fmt.Errorf("extensions: %s: %w", w.Who, err)
		}
		s.Extensions = append(s.Extensions, e)
	}
	return nil
}

// allows returns an error if a step that an extension names is not extended by it, or
// none is.
func (s *Scheme) allows(e Extension) error {
	extended := map[string]bool{}
	for _, step := range s.Steps {
		if e.names(step.ID) && !step.Due.IsZero() && e.until(step.Due).After(step.Due) {
			extended[step.ID] = true
		}
	}
	for _, id := range e.Steps {
		if !extended[id] {
			return fmt.Errorf("%s has no deadline in this scheme, or a later one", id)
		}
	}
	if len(extended) == 0 {
		return errors.New("no step has a deadline in this scheme, or all have later ones")
	}
	return nil
}

// names reports whether an extension is for a step.
func (e Extension) names(step string) bool {
	return len(e.Steps) == 0 || slices.Contains(e.Steps, step)
}

// until returns the new deadline in the place of one.
func (e Extension) until(due time.Time) time.Time {
	if e.Due.IsZero() {
		return onClocks(wall(due).AddDate(0, 0, e.Days), due.Location())
	}
	return e.Due
}

// extend gives students their extensions. One of nobody is a mistake, where a roster
// says who there is.
func (t *Table) extend() error {
	for _, e := range t.Scheme.Extensions {
		is := func(st *Student) bool { return st.Person == nil && roster.Key(st.Name) == roster.Key(e.Who) }
		if t.Roster != nil {
			p, err := t.Roster.Find(e.Who)
			if err != nil {
				return fmt.Errorf("extensions: %w", err)
			}
			is = func(st *Student) bool { return st.Person == p }
		}
		i := slices.IndexFunc(t.Students, is)
		if i < 0 {
			t.Problems = append(t.Problems, fmt.Sprintf("%s has an extension, and there is no submission of that name", e.Who))
			continue
		}
		t.Students[i].extensions = append(t.Students[i].extensions, e)
	}
	return nil
}

// due returns a student's deadline of a step: of several extensions the latest.
func (s *Scheme) due(st *Student, step int) time.Time {
	due := s.Steps[step].Due
	latest := due
	for _, e := range st.extensions {
		if until := e.until(due); !due.IsZero() && e.names(s.Steps[step].ID) && until.After(latest) {
			latest = until
		}
	}
	return latest
}
