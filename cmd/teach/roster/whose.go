package roster

import (
	"fmt"
	"slices"
	"strings"
)

// Assign reads whose submissions are, where names and platforms do not say it, or say
// it wrong: a table with a column submission, or group, and one that names a student,
// as Find does. Of several rows for one submission it is everybody's whom they name; a
// row without a student says that it is nobody's. Canvas's export of groups is such a
// table.
func (r *Roster) Assign(data []byte) error {
	rows, err := table(data)
	if err != nil {
		return err
	}
	said := &Roster{Header: rows[0]}
	who := []string{"student", "canvas_user_id", "id", "login_id", "email", "name"}
	named := slices.ContainsFunc(who, func(name string) bool { return said.Has(name) })
	if !named || !said.Has("submission") && !said.Has("group") && !said.Has("group_name") {
		return fmt.Errorf("has the columns %q; want submission (or group) and student", said.Header)
	}
	if r.whose == nil {
		r.whose = map[string][]*Person{}
	}
	for i, row := range rows[1:] {
		line := &Person{Row: row}
		submission, group, student := said.Column(line, "submission"), said.Column(line, "group", "group_name"), said.Column(line, who...)
		switch {
		case submission == "" && (group == "" || student == ""):
		case student == "":
			r.whose[Key(submission)] = append(r.whose[Key(submission)], nil...)
		default:
			p, err := r.Find(student)
			switch {
			case err == nil:
				r.assign(submission, group, p)
			case submission == "": // an export of groups, which may hold others than the roster
				r.Notes = append(r.Notes, fmt.Sprintf("the group %s: %v", group, err))
			default:
				return fmt.Errorf("is wrong in row %d: %w", i+2, err)
			}
		}
	}
	return nil
}

func (r *Roster) assign(submission, group string, p *Person) {
	if group != "" && !slices.Contains(p.groups, plain(group)) {
		p.groups = append(p.groups, plain(group))
	}
	if submission != "" && !slices.Contains(r.whose[Key(submission)], p) {
		r.whose[Key(submission)] = append(r.whose[Key(submission)], p)
	}
}

// Unseen returns the submissions of which Assign knows whose they are, and which are
// not in the list.
func (r *Roster) Unseen(list []string) []string {
	var unseen []string
	for name := range r.whose {
		if !slices.ContainsFunc(list, func(have string) bool { return Key(have) == name }) {
			unseen = append(unseen, name)
		}
	}
	slices.Sort(unseen)
	return unseen
}

// Find returns the one student who has this number, login, address, user or whole name.
func (r *Roster) Find(name string) (*Person, error) {
	var people []*Person
	is := named(name)
	for i := range r.People {
		if p := &r.People[i]; is(p) {
			people = append(people, p)
		}
	}
	switch len(people) {
	case 0:
		return nil, fmt.Errorf("no student in the roster has the number, address, user or whole name %q", strings.TrimSpace(name))
	case 1:
		return people[0], nil
	}
	return nil, fmt.Errorf("%q fits %s in the roster; name one of them by number or address", name, both(people))
}

// named returns who has a number, login, address, user or whole name.
func named(name string) func(*Person) bool {
	key, n := Key(name), plain(name)
	return func(p *Person) bool {
		return key != "" && p.own == key || has(p.ids, key) || has(p.users, key) || has(p.emails, key) || has(p.names, n)
	}
}

// both names the first two of people whom something fits.
func both(people []*Person) string {
	return fmt.Sprintf("%s (%s) and %s (%s)", people[0].Name, people[0].ID, people[1].Name, people[1].ID)
}
