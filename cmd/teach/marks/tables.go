package marks

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/cmd/teach/roster"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

// Names of what Write writes.
const (
	MarksCSV  = "marks.csv"
	ChecksCSV = "checks.csv"
	CanvasCSV = "upload-canvas.csv"
	MoodleCSV = "upload-moodle.csv"
)

// Write writes the tables of marks into dir: a student a row, with the marks and
// with the points of every check; and, if the roster is Canvas's or Moodle's, the
// file that can be uploaded there.
func (t *Table) Write(dir string, b class.Book) error {
	tables := map[string][][]string{MarksCSV: t.marks(b), ChecksCSV: t.checks(b)}
	if t.Roster != nil && b.Alias == nil {
		switch t.Roster.Platform {
		case roster.Canvas:
			tables[CanvasCSV] = t.canvas()
		case roster.Moodle:
			tables[MoodleCSV] = t.moodle()
		}
	}
	var errs []error
	for name, rows := range tables {
		data, err := class.Table(rows, b.Mark)
		errs = append(errs, err, whole.Write(filepath.Join(dir, name), data))
	}
	return errors.Join(errs...)
}

// ordered returns the students as the rows of a table name them: who has an alias
// is sorted by that, so that the order tells nothing.
func (t *Table) ordered(b class.Book) []*Student {
	if b.Alias == nil {
		return t.Students
	}
	all := slices.Clone(t.Students)
	slices.SortFunc(all, func(a, c *Student) int { return strings.Compare(a.alias(b), c.alias(b)) })
	return all
}

func (st *Student) alias(b class.Book) string { return b.Alias(st.Name, st.Person) }

// id is the student's in the roster; "" where there is none.
func (st *Student) id() string {
	if st.Person == nil {
		return ""
	}
	return st.Person.ID
}

// who is the beginning of a student's row.
func (t *Table) who(st *Student, b class.Book) []string {
	switch {
	case b.Alias != nil:
		return []string{st.alias(b)}
	case t.Roster == nil:
		return []string{untrusted.Cell(st.Name)}
	case st.Person == nil:
		return []string{untrusted.Cell(st.Name), "", ""}
	case len(st.attempts) == 0:
		return []string{"", untrusted.Cell(st.Person.Name), untrusted.Cell(st.Person.ID)}
	}
	return []string{untrusted.Cell(st.Name), untrusted.Cell(st.Person.Name), untrusted.Cell(st.Person.ID)}
}

func (t *Table) columns(b class.Book) []string {
	if b.Alias != nil || t.Roster == nil {
		return []string{"student"}
	}
	return []string{"student", "name", "id"}
}

func (t *Table) marks(b class.Book) [][]string {
	header := t.columns(b)
	for _, s := range t.Scheme.Steps {
		header = append(header, s.ID)
	}
	rows := [][]string{append(header, "total", "max", "late_days", "notes")}
	for _, st := range t.ordered(b) {
		row := append(t.who(st, b), st.cells()...)
		notes := st.Notes
		if b.Alias != nil { // they may hold names of files
			notes = nil
		}
		rows = append(rows, append(row, st.total(), number(st.Of), strconv.Itoa(st.Late), untrusted.Cell(strings.Join(notes, "; "))))
	}
	return rows
}

// cells are the marks of the steps; one that the grader could not grade has none,
// which is not a zero.
func (st *Student) cells() []string {
	var cells []string
	for _, m := range st.Steps {
		if m.Failed {
			cells = append(cells, "")
		} else {
			cells = append(cells, number(m.Mark))
		}
	}
	return cells
}

func (st *Student) total() string {
	if st.Failed {
		return ""
	}
	return number(st.Total)
}

// number is a mark with at most two decimals.
func number(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

func (t *Table) checks(b class.Book) [][]string {
	header := t.columns(b)
	for _, s := range t.Scheme.Steps {
		for _, c := range s.Checks {
			header = append(header, fmt.Sprintf("%s %s (%d)", s.ID, c.ID, c.Points))
		}
	}
	rows := [][]string{header}
	for _, st := range t.ordered(b) {
		row := t.who(st, b)
		for i, s := range t.Scheme.Steps {
			for _, c := range s.Checks {
				points, known := st.Steps[i].Checks[c.ID]
				if row = append(row, ""); known {
					row[len(row)-1] = strconv.Itoa(points)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// canvas is what Canvas takes as an import of grades: its own columns as it
// exported them, a row of the points that can be had, and the marks. Canvas finds a
// student by the first of the columns that says who it is, and compares names only
// where there is nothing else; so what a spreadsheet would take for a formula is left
// out, and nothing is changed.
func (t *Table) canvas() [][]string {
	header := t.identity()
	possible := append([]string{"    Points Possible"}, make([]string, len(header)-1)...)
	for _, s := range t.Scheme.Steps {
		header, possible = append(header, s.Folder), append(possible, number(s.Weight))
	}
	sum := 0.0
	for _, st := range t.Students {
		sum = max(sum, st.Of) // without what is dropped
	}
	rows := [][]string{append(header, total), append(possible, number(sum))}
	for _, st := range t.Students {
		if p := st.Person; p != nil {
			row := make([]string, len(t.identity()))
			for i, name := range t.identity() {
				if cell := t.Roster.Cell(p, name); !untrusted.Formula(cell) {
					row[i] = cell
				}
			}
			rows = append(rows, append(append(row, st.cells()...), st.total()))
		}
	}
	return rows
}

// identity is the columns in which Canvas says who a student is, in its order: those
// up to the section.
func (t *Table) identity() (columns []string) {
	for _, name := range []string{"Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account", "Section"} {
		if t.Roster.Has(name) || name == "SIS Login ID" || name == "Section" {
			columns = append(columns, name)
		}
	}
	return columns
}

// total is the column of all steps together, on a platform.
const total = "stubformer"

// moodle is what Moodle takes: as an import of grades, or as the grading worksheet
// of an assignment, whichever the roster is.
func (t *Table) moodle() [][]string {
	worksheet := t.Roster.Has("Identifier")
	header := []string{"First name", "Last name", "ID number", "Email address"}
	if worksheet {
		header = []string{"Identifier", "Full name", "Email address", "Grade", "Feedback comments"}
	} else {
		for _, s := range t.Scheme.Steps {
			header = append(header, s.Folder)
		}
		header = append(header, total)
	}
	rows := [][]string{header}
	for _, st := range t.Students {
		p := st.Person
		switch {
		case p == nil:
		case worksheet:
			cell := func(names ...string) string { return untrusted.Cell(t.Roster.Column(p, names...)) }
			rows = append(rows, []string{cell("Identifier"), cell("Full name"), cell("Email address"), st.total(), untrusted.Cell(strings.Join(st.Notes, "; "))})
		default:
			cell := func(names ...string) string { return untrusted.Cell(t.Roster.Column(p, names...)) }
			row := []string{cell("First name"), cell("Last name", "Surname"), cell("ID number"), cell("Email address")}
			rows = append(rows, append(append(row, st.cells()...), st.total()))
		}
	}
	return rows
}

// Remove removes what an earlier run wrote into dir for another platform.
func Remove(dir string) error {
	var errs []error
	for _, name := range []string{CanvasCSV, MoodleCSV} {
		if err := os.Remove(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
