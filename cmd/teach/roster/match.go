package roster

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Handed is a submission whose authors are looked for.
type Handed struct {
	Name string      // as it is called in the results
	By   []Submitter // what the platform's own record says
}

// Submitter is somebody of whom a platform says that they handed something in. Each
// part is compared whole, and with the same of a person: a user is no address.
type Submitter struct {
	ID     string `json:"id,omitempty"` // of the school
	Email  string `json:"email,omitempty"`
	User   string `json:"user,omitempty"`   // at GitHub, or a team there
	Number string `json:"number,omitempty"` // by which the platform names files
	Name   string `json:"name,omitempty"`   // of a person, or of a group
}

func (s Submitter) String() string {
	parts := []string{s.Name, s.User, s.ID, s.Email, s.Number}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// Match is whose the submissions are.
type Match struct {
	Of       map[string][]*Person // by the name of the submission; of a group's work, all its members
	Absent   []*Person            // who handed in nothing, in the order of the roster
	Problems []string             // submissions of nobody, or of one who has another
}

// Match finds the authors of submissions. One that fits nobody, or more than one
// person who did not hand it in together, is nobody's.
func (r *Roster) Match(list []Handed) Match {
	m := Match{Of: map[string][]*Person{}, Problems: slices.Clone(r.Notes)}
	submissions := map[*Person][]string{}
	for _, h := range list {
		people, problems := r.authors(h)
		for i, why := range problems {
			if len(people) == 0 && i == len(problems)-1 {
				why += "; it has a row of its own"
			}
			m.Problems = append(m.Problems, h.Name+": "+why)
		}
		for _, p := range people {
			m.Of[h.Name] = append(m.Of[h.Name], p)
			submissions[p] = append(submissions[p], h.Name)
		}
	}
	m.Problems = append(m.Problems, advice(m.Problems)...)
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

// authors returns who wrote a submission: whom the teacher says, else whom the
// platform says, else who has its name.
func (r *Roster) authors(h Handed) (people []*Person, problems []string) {
	if said, known := r.whose[Key(h.Name)]; known {
		return said, nil
	}
	by := h.By
	if len(by) == 0 {
		by = inMoodle(h.Name)
	}
	if len(by) == 0 {
		return r.whole(h.Name).settle("nobody in the roster is called so" + r.ending(h.Name))
	}
	for _, s := range by {
		some, why := r.submitter(s).settle("nobody in the roster is " + s.String())
		problems = append(problems, why...)
		for _, p := range some {
			if !slices.Contains(people, p) {
				people = append(people, p)
			}
		}
	}
	return people, problems
}

// inMoodle is what the name of a folder of Moodle's says, Ada
// Lovelace_4711_assignsubmission_file_.
func inMoodle(name string) []Submitter {
	m := regexp.MustCompile(`^([^_]*)_(\d+)_(?:assignsubmission|onlinetext)`).FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	return []Submitter{{Name: m[1], Number: m[2]}}
}

// ending says of a submission that is nobody's what its name ends with, if that is a
// user's: how it begins has to be known before that means anything.
func (r *Roster) ending(name string) string {
	key := Key(name)
	for i := range r.People {
		for _, user := range r.People[i].users {
			if user != "" && strings.HasSuffix(key, "-"+user) {
				return fmt.Sprintf("; it ends as %s does, %s", user, notEnough)
			}
		}
	}
	return ""
}

// notEnough marks the problems that advice is for.
const notEnough = "which says nothing"

// advice says once what to do about repositories that are nobody's.
func advice(problems []string) []string {
	if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, notEnough) }) {
		return nil
	}
	return []string{"repositories are called ASSIGNMENT-USER, and ASSIGNMENT is not known: leave the folder in which they lie the name that it was downloaded with " +
		"(ASSIGNMENT-submissions), or lay the platform's table of grades into it, or say in the scheme whose they are"}
}
