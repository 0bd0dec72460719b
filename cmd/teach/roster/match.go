package roster

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Handed is a submission whose author is looked for.
type Handed struct {
	Name string   // as it is called in the results
	By   []string // names, numbers and addresses that the platform wrote beside it
}

// Match is whose the submissions are.
type Match struct {
	Of       map[string]*Person // by the name of the submission
	Absent   []*Person          // who handed in nothing, in the order of the roster
	Problems []string           // submissions of nobody, or of one who has another
}

// Match finds the authors of submissions. One that fits nobody, or more than one
// person, is nobody's.
func (r *Roster) Match(list []Handed) Match {
	m := Match{Of: map[string]*Person{}}
	submissions := map[*Person][]string{}
	for _, h := range list {
		switch people := r.find(h); len(people) {
		case 0:
			m.Problems = append(m.Problems, h.Name+": nobody in the roster is called so; it has a row of its own")
		case 1:
			m.Of[h.Name] = people[0]
			submissions[people[0]] = append(submissions[people[0]], h.Name)
		default:
			m.Problems = append(m.Problems, fmt.Sprintf("%s: it fits %s (%s) and %s (%s) in the roster, so it is nobody's and has a row of its own",
				h.Name, people[0].Name, people[0].ID, people[1].Name, people[1].ID))
		}
	}
	for i := range r.People {
		p := &r.People[i]
		switch names := submissions[p]; {
		case len(names) == 0:
			m.Absent = append(m.Absent, p)
		case len(names) > 1:
			m.Problems = append(m.Problems, fmt.Sprintf("%s (%s) has %d submissions: %s; in the marks the best of them counts", p.Name, p.ID, len(names), strings.Join(names, ", ")))
		}
	}
	return m
}

// find returns who may have written a submission: by what the platform wrote
// beside it, else by the number in its name, else by the name itself, else by the
// user with whom a repository's name ends.
func (r *Roster) find(h Handed) []*Person {
	name, numbers := parts(h.Name)
	var by []string
	for _, text := range h.By {
		by = append(by, plain(text))
	}
	for _, fits := range []func(*Person) bool{
		func(p *Person) bool {
			return slices.ContainsFunc(by, func(key string) bool { return key != "" && slices.Contains(p.keys, key) })
		},
		func(p *Person) bool {
			return slices.ContainsFunc(numbers, func(n string) bool { return slices.Contains(p.numbers, n) })
		},
		func(p *Person) bool {
			return slices.Contains(p.keys, plain(h.Name)) || slices.Contains(p.keys, plain(name))
		},
		func(p *Person) bool { return ends(h.Name, p.users) },
	} {
		var people []*Person
		for i := range r.People {
			if fits(&r.People[i]) {
				people = append(people, &r.People[i])
			}
		}
		if len(people) > 0 {
			return longest(people, h.Name)
		}
	}
	return nil
}

// parts takes apart the name of a submission of Canvas (adalovelace_4711) or
// Moodle (Ada Lovelace_4711_assignsubmission_file_).
func parts(name string) (student string, numbers []string) {
	m := regexp.MustCompile(`^(.*?)_(\d+)(?:_(?:assignsubmission|onlinetext).*)?$`).FindStringSubmatch(name)
	if m == nil {
		return name, nil
	}
	return m[1], []string{m[2]}
}

// ends reports whether the name of a repository, ASSIGNMENT-USER, is a user's.
func ends(name string, users []string) bool {
	return slices.ContainsFunc(users, func(user string) bool {
		return user != "" && strings.HasSuffix(strings.ToLower(name), "-"+strings.ToLower(user))
	})
}

// longest keeps, of users with whom the name of one repository ends, the longest:
// attention-a-turing is a-turing's and not turing's.
func longest(people []*Person, name string) []*Person {
	best := 0
	for _, p := range people {
		if ends(name, p.users) {
			best = max(best, len(p.users[0]))
		}
	}
	if best == 0 {
		return people
	}
	return slices.DeleteFunc(people, func(p *Person) bool { return len(p.users[0]) < best })
}

// plain is a name as it is compared: without case, and without anything but
// letters, digits and what addresses need.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '@' || r == '.' {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
