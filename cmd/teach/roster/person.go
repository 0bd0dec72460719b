package roster

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Person is one row of a roster.
type Person struct {
	Name string // as it is read: "Ada Lovelace"
	ID   string // the number, login or address by which the platform knows them
	Role string // of who teaches, as the roster has it; "" for a student
	Row  []string

	own    string   // the ID, as Key makes it
	number string   // by which the platform names files
	ids    []string // numbers and logins of the school, as Key makes them
	users  []string // at GitHub, likewise
	emails []string // likewise
	logins []string // with which addresses begin, where that names somebody, likewise
	names  []string // as plain makes them
	file   string   // the name as Canvas writes it into that of a file
	groups []string // as plain makes their names
}

// person reads a row; ok is false for one that is nobody's.
func (r *Roster) person(row []string) (p Person, ok bool) {
	p = Person{Row: row}
	get := func(names ...string) string { return r.Column(&p, names...) }
	p.Name = get("Full name", "Student", "Name", "student")
	if name := strings.TrimSpace(get("First name", "first_name", "FirstName") + " " + get("Last name", "Surname", "last_name", "LastName")); name != "" {
		p.Name = name
	}
	if r.Platform == Canvas {
		p.sortable(r)
	}
	email := get("Email address", "Email")
	participant := strings.TrimPrefix(get("Identifier"), "Participant ")
	switch r.Platform {
	case Canvas:
		p.ID = get("ID")
		p.number, p.ids = p.ID, []string{get("SIS Login ID"), get("SIS User ID")}
	case Moodle:
		p.ID = cmp.Or(get("ID number", "Username"), email, participant)
		p.number, p.ids = participant, []string{get("ID number"), get("Username")}
	case Gradescope:
		p.ID = get("SID", "Email")
		p.ids = []string{get("SID")}
	case Classroom50:
		p.ID = get("username", "email")
		p.users = []string{get("username")}
	case GitHub:
		p.ID = get("identifier", "github_username")
		p.Name = cmp.Or(p.Name, p.ID)
		p.users, p.ids = []string{get("github_username")}, []string{get("identifier")}
	case Plain:
		p.ID = get("id")
		p.ids, p.users = []string{p.ID}, []string{p.ID}
	}
	p.ID = cmp.Or(p.ID, p.Name)
	p.Name = cmp.Or(p.Name, p.ID)
	p.own, p.emails = Key(p.ID), []string{email}
	if local, _, is := strings.Cut(email, "@"); is && r.Platform != GitHub && r.Platform != Classroom50 { // there a login is another's
		p.logins = []string{local}
	}
	for _, list := range [][]string{p.ids, p.users, p.emails, p.logins} {
		for i, text := range list {
			list[i] = Key(text)
		}
	}
	p.names = append(p.names, plain(p.Name))
	p.groups = r.groups(&p)
	if role := get("Role", "Roles"); teaches(role) {
		p.Role = role
	}
	// Canvas puts rows of its own above the students': "    Points Possible".
	return p, p.ID != "" && !(r.Platform == Canvas && strings.Contains(p.Name, "Points Possible"))
}

// sortable reads a name as Canvas has it, "Lovelace, Ada", which it writes as a
// formula if it begins like one.
func (p *Person) sortable(r *Roster) {
	whole := r.Column(p, "Student")
	if r.Has("LastName", "FirstName") {
		whole = r.Column(p, "LastName") + ", " + r.Column(p, "FirstName")
	}
	if inner, quoted := strings.CutPrefix(whole, `="`); quoted {
		whole = strings.TrimSuffix(inner, `"`)
	}
	p.file, p.names = inFile(whole), []string{plain(whole)}
	if last, first, turned := strings.Cut(whole, ","); turned {
		whole = strings.TrimSpace(first) + " " + strings.TrimSpace(last)
	}
	p.Name = strings.TrimSpace(whole)
}

// groups are those that a row says somebody is in.
func (r *Roster) groups(p *Person) []string {
	list := append(strings.Split(r.Column(p, "Groups"), ","), r.Column(p, "Group", "group_name", "Team"))
	for i, name := range list {
		list[i] = plain(name)
	}
	return slices.DeleteFunc(list, func(name string) bool { return name == "" })
}

// teaches reports whether a role is one of those who teach. Who has that of a
// student, or one that is unknown here, is a student.
func teaches(role string) bool {
	words := strings.FieldsFunc(strings.ToLower(role), func(r rune) bool { return !unicode.IsLetter(r) })
	staff := []string{"instructor", "teacher", "ta", "hta", "assistant", "tutor", "reader", "grader", "lecturer", "professor",
		"designer", "observer", "manager", "staff", "owner", "admin"}
	return !slices.Contains(words, "student") && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(staff, w) })
}

// Key is a text as it is compared whole: without case, and in one form of Unicode.
func Key(text string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(text))) }

// has reports whether a key is one of a list, which may have empty ones.
func has(list []string, key string) bool { return key != "" && slices.Contains(list, key) }

// plain is a name as it is compared: without case, and without anything but
// letters, digits and what addresses need.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '@' || r == '.' {
			return r
		}
		return -1
	}, Key(text))
}

// inFile is a name as Canvas writes it before the numbers in the name of a file:
// letters, digits and what joins words, in lower case, and no number between two
// underscores.
//
// Source: https://github.com/instructure/canvas-lms/blob/master/lib/content_zipper.rb
func inFile(name string) string {
	name = regexp.MustCompile(`_(\d+)_`).ReplaceAllString(name, "$1")
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc) {
			return r
		}
		return -1
	}, Key(name))
}
