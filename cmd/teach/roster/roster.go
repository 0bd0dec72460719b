// Package roster reads who takes part in a class, as Canvas, Moodle, Gradescope,
// Classroom 50 and GitHub Classroom export it, and finds whose a submission is.
package roster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Platform is where a roster comes from.
type Platform string

// The platforms, by the columns that only they have.
const (
	Canvas      Platform = "Canvas"
	Moodle      Platform = "Moodle"
	Gradescope  Platform = "Gradescope"
	Classroom50 Platform = "Classroom 50"
	GitHub      Platform = "GitHub Classroom"
	Plain       Platform = "a table" // one with a column for the name
)

// Roster is who takes part.
type Roster struct {
	Platform Platform
	Header   []string
	People   []Person // who learn
	Staff    []Person // who teach: they have no marks
	Notes    []string // what of it somebody should look at

	whose map[string][]*Person // by the key of a submission's name; see Assign
}

// Column returns a person's value in the first of the columns that holds one.
func (r *Roster) Column(p *Person, names ...string) string {
	for _, name := range names {
		if i := r.column(name); i >= 0 && i < len(p.Row) && strings.TrimSpace(p.Row[i]) != "" {
			return strings.TrimSpace(p.Row[i])
		}
	}
	return ""
}

// Cell returns what stands in a column, as it stands there.
func (r *Roster) Cell(p *Person, name string) string {
	if i := r.column(name); i >= 0 && i < len(p.Row) {
		return p.Row[i]
	}
	return ""
}

func (r *Roster) column(name string) int {
	return slices.IndexFunc(r.Header, func(have string) bool { return strings.EqualFold(strings.TrimSpace(have), name) })
}

// Has reports whether the roster has all these columns.
func (r *Roster) Has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return r.column(name) < 0 })
}

// Parse reads a roster.
func Parse(data []byte) (*Roster, error) {
	rows, err := table(data)
	if err != nil {
		return nil, fmt.Errorf("the roster %w", err)
	}
	r := &Roster{Header: rows[0]}
	if r.Platform, err = r.platform(); err != nil {
		return nil, err
	}
	seen := map[string]int{} // the line
	for i, row := range rows[1:] {
		p, ok := r.person(row)
		switch before, twice := seen[p.ID], seen[p.ID] > 0; {
		case !ok && !r.aside(row):
			r.Notes = append(r.Notes, fmt.Sprintf("row %d of the roster names nobody, and is left out", i+2))
		case !ok:
		case p.Role != "":
			r.Staff = append(r.Staff, p)
		case twice:
			return nil, fmt.Errorf("the roster names %s twice, in rows %d and %d; remove one, or give each a number or an address", p.ID, before, i+2)
		default:
			seen[p.ID] = i + 2
			r.People = append(r.People, p)
		}
	}
	// Who teaches and learns, learns.
	r.Staff = slices.DeleteFunc(r.Staff, func(p Person) bool { return seen[p.ID] > 0 })
	if len(r.People) == 0 {
		return nil, errors.New("the roster has no students: there are names of columns and nobody below them who learns")
	}
	return r, nil
}

// aside reports whether a row is there for other things than a person: it is empty,
// or one of those that Canvas puts above the students.
func (r *Roster) aside(row []string) bool {
	filled := func(cell string) bool { return strings.TrimSpace(cell) != "" }
	return r.Platform == Canvas || !slices.ContainsFunc(row, filled)
}

func (r *Roster) platform() (Platform, error) {
	switch {
	case r.Has("Student", "ID"), r.Has("LastName", "FirstName", "ID"):
		return Canvas, nil
	case r.Has("username", "first_name", "last_name"):
		return Classroom50, nil
	case r.Has("identifier", "github_username"):
		return GitHub, nil
	case r.Has("First Name", "Last Name", "SID"), r.Has("Name", "SID"):
		return Gradescope, nil
	case r.Has("Email address"), r.Has("Identifier", "Full name"), r.Has("First name", "Last name"), r.Has("First name", "Surname"):
		return Moodle, nil
	case r.Has("student"), r.Has("name"):
		return Plain, nil
	}
	return "", fmt.Errorf("the roster has the columns %q; want those of an export of Canvas (Student, ID), "+
		"Moodle (First name, Last name, Email address), Gradescope (First Name, Last Name, SID) "+
		"Classroom 50 (username, first_name, last_name) or GitHub Classroom (identifier, github_username), or one called name", r.Header)
}
