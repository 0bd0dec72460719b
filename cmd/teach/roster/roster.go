// Package roster reads who takes part in a class, as Canvas, Moodle, Gradescope,
// Classroom 50 and GitHub Classroom export it, and finds whose a submission is.
package roster

import (
	"bytes"
	"cmp"
	"encoding/csv"
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

// Person is one row of a roster.
type Person struct {
	Name string // as it is read: "Ada Lovelace"
	ID   string // the number, login or address by which the platform knows them
	Row  []string

	numbers []string // by which files are named
	users   []string // with which repositories end
	keys    []string // anything else that names them, normalised
}

// Roster is who takes part.
type Roster struct {
	Platform Platform
	Header   []string
	People   []Person
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

func (r *Roster) column(name string) int {
	return slices.IndexFunc(r.Header, func(have string) bool { return strings.EqualFold(strings.TrimSpace(have), name) })
}

// Has reports whether the roster has all these columns.
func (r *Roster) Has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return r.column(name) < 0 })
}

// Parse reads a roster: a CSV file, separated by commas, semicolons or tabs,
// with or without the mark of UTF-8.
func Parse(data []byte) (*Roster, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	first, _, _ := bytes.Cut(data, []byte("\n"))
	in := csv.NewReader(bytes.NewReader(data))
	in.FieldsPerRecord = -1
	for _, separator := range ";\t" {
		if strings.Count(string(first), string(separator)) > strings.Count(string(first), string(in.Comma)) {
			in.Comma = separator
		}
	}
	rows, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("the roster is no CSV file that can be read: %w", err)
	}
	if len(rows) == 0 {
		return nil, errors.New("the roster is empty; want a row of names of columns, and a row a student")
	}
	r := &Roster{Header: rows[0]}
	if r.Platform, err = r.platform(); err != nil {
		return nil, err
	}
	seen := map[string]int{} // the line
	for i, row := range rows[1:] {
		p, ok := r.person(row)
		if !ok {
			continue
		}
		if before, twice := seen[p.ID]; twice {
			return nil, fmt.Errorf("the roster names %s twice, in rows %d and %d; remove one", p.ID, before, i+2)
		}
		seen[p.ID] = i + 2
		r.People = append(r.People, p)
	}
	if len(r.People) == 0 {
		return nil, errors.New("the roster has no students: it has names of columns and nothing below them")
	}
	return r, nil
}

func (r *Roster) platform() (Platform, error) {
	switch {
	case r.Has("Student", "ID"):
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

// person reads a row; ok is false for one that is no student's.
func (r *Roster) person(row []string) (p Person, ok bool) {
	p = Person{Row: row}
	get := func(names ...string) string { return r.Column(&p, names...) }
	p.Name = get("Full name", "Student", "Name", "student", "identifier", "username")
	if name := strings.TrimSpace(get("First name", "first_name") + " " + get("Last name", "Surname", "last_name")); name != "" {
		p.Name = name
	}
	if last, first, turned := strings.Cut(p.Name, ","); turned && r.Platform == Canvas {
		p.Name = strings.TrimSpace(first) + " " + strings.TrimSpace(last)
	}
	participant := strings.TrimPrefix(get("Identifier"), "Participant ")
	email := get("Email address", "Email")
	local, _, _ := strings.Cut(email, "@")
	switch r.Platform {
	case Canvas:
		p.ID = get("ID")
		p.numbers = []string{p.ID}
		p.keys = []string{get("SIS Login ID"), get("SIS User ID")}
	case Moodle:
		p.ID = cmp.Or(get("ID number", "Username"), email, participant, p.Name)
		p.numbers = []string{participant}
		p.keys = []string{get("ID number"), get("Username")}
	case Gradescope:
		p.ID = get("SID", "Email")
		p.keys = []string{get("SID")}
	case Classroom50:
		p.ID = get("username")
		p.users = []string{p.ID}
		p.keys = []string{p.ID}
	case GitHub:
		p.ID = get("identifier")
		p.users = []string{get("github_username")}
		p.keys = []string{p.ID, get("github_username"), get("name")}
	case Plain:
		p.ID = cmp.Or(get("id"), p.Name)
		p.keys = []string{p.ID}
	}
	p.keys = append(p.keys, p.Name, email, local)
	for i, key := range p.keys {
		p.keys[i] = plain(key)
	}
	p.keys = slices.DeleteFunc(p.keys, func(key string) bool { return key == "" })
	// Canvas puts rows of its own above the students': "    Points Possible".
	return p, p.ID != "" && p.Name != "" && !(r.Platform == Canvas && strings.Contains(p.Name, "Points Possible"))
}
