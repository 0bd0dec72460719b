package roster

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// found is whom a name or a record may mean.
type found struct {
	people []*Person
	group  bool   // it is the work of all of them
	note   string // what somebody should look at nevertheless
}

// settle returns whose the work is, and what somebody should look at; nobody is what
// to say if it fits nobody.
func (f found) settle(nobody string) (people []*Person, problems []string) {
	switch {
	case len(f.people) == 0 && f.note == "":
		return nil, []string{nobody}
	case len(f.people) > 1 && !f.group:
		return nil, []string{fmt.Sprintf("it fits %s in the roster, so it is nobody's", both(f.people))}
	}
	if f.note != "" {
		problems = append(problems, f.note)
	}
	for _, p := range f.people {
		if p.Role == "" {
			people = append(people, p)
		} else {
			problems = append(problems, fmt.Sprintf("it is of %s (%s), who is no student but %s", p.Name, p.ID, p.Role))
		}
	}
	return people, problems
}

// those returns everybody in the roster who fits, those who teach among them.
func (r *Roster) those(fit func(*Person) bool) found {
	var f found
	for _, list := range [][]Person{r.People, r.Staff} {
		for i := range list {
			if fit(&list[i]) {
				f.people = append(f.people, &list[i])
			}
		}
	}
	return f
}

// or adds a group to people of one name: who is meant is the group, if nobody else has
// that name.
func (f found) or(group []*Person) found {
	if len(group) == 0 {
		return f
	}
	for _, p := range f.people {
		if !slices.Contains(group, p) {
			return found{people: append(f.people, group...)}
		}
	}
	return found{people: group, group: true}
}

// members returns who is in a group.
func (r *Roster) members(group string) []*Person {
	n := plain(group)
	return r.those(func(p *Person) bool { return has(p.groups, n) }).people
}

// numbered reports whether the roster has the numbers by which files are named.
func (r *Roster) numbered() bool {
	return slices.ContainsFunc(r.People, func(p Person) bool { return p.number != "" })
}

// submitter returns whom a platform's record means.
func (r *Roster) submitter(s Submitter) found {
	id, email, user := Key(s.ID), Key(s.Email), Key(s.User)
	switch {
	case s.Number != "" && r.numbered():
		return r.number(s)
	case user != "":
		return r.those(func(p *Person) bool { return has(p.users, user) }).or(r.members(s.User))
	case id != "" || email != "":
		return r.those(func(p *Person) bool { return has(p.ids, id) || has(p.emails, email) })
	}
	return r.those(written(s.Name)).or(r.members(s.Name))
}

// written returns whose name a platform writes so: Canvas in a way of its own, Moodle
// with that of the group before it.
func written(name string) func(*Person) bool {
	n, file := plain(name), Key(name)
	return func(p *Person) bool {
		grouped := func(group string) bool {
			return slices.Contains(p.names, strings.TrimPrefix(n, group)) && strings.HasPrefix(n, group)
		}
		return has(p.names, n) || n != "" && p.file == file || slices.ContainsFunc(p.groups, grouped)
	}
}

// number returns whom the number in a name means. Canvas writes the number of one
// member of a group, and the group's name.
func (r *Roster) number(s Submitter) found {
	f := r.those(func(p *Person) bool { return p.number == s.Number })
	if len(f.people) != 1 || s.Name == "" || r.Platform != Canvas {
		return f
	}
	p, group := f.people[0], r.members(s.Name)
	switch {
	case slices.Contains(group, p):
		return found{people: group, group: true}
	case written(s.Name)(p):
		return f
	case len(group) > 0:
		return found{note: fmt.Sprintf("it is called as a group of which %s (%s) is no member", p.Name, p.ID)}
	}
	f.note = fmt.Sprintf("by its number it is %s's (%s), by its name not; if it is the work of a group, say in the scheme who else's", p.Name, p.ID)
	return f
}

// whole returns who, or which group, is called as a submission is. A name with a
// number, adalovelace_4711, has to fit with that, where the roster has such numbers.
func (r *Roster) whole(name string) found {
	is, key := named(name), Key(name)
	f := r.those(func(p *Person) bool { return is(p) || has(p.logins, key) })
	if m := regexp.MustCompile(`^(.*)_(\d+)$`).FindStringSubmatch(name); m != nil && len(f.people) == 0 {
		is, numbered := written(m[1]), r.numbered()
		f = r.those(func(p *Person) bool { return is(p) && (!numbered || p.number == m[2]) })
	}
	return f.or(r.members(name))
}
