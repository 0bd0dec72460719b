package class

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/cmd/teach/roster"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/report"
)

// Names of what Write writes.
const (
	GradebookCSV   = "gradebook.csv"
	GradebookJSONL = "gradebook.jsonl"
	Students       = "students" // folder of a page a student
	Misconceptions = "misconceptions"
)

// Book is what a gradebook is made with beside the results.
type Book struct {
	Roster *roster.Roster // nil for none
	Mark   bool           // tables begin with the mark by which Excel knows UTF-8
	// Alias, if it is set, stands for the names of students everywhere.
	Alias func(name string, p *roster.Person) string
	Lang  lang.Printer // in which the pages for a browser are
}

// Write writes the gradebook, the students' pages and the misconceptions into
// dir, from all stored results: what was graded once keeps its row. Each file is
// written whole before it takes the place of the one before. It returns what the
// roster leaves to look at.
func (b Book) Write(dir string, store Dir) (problems []string, err error) {
	if err := os.MkdirAll(filepath.Join(dir, Students), 0o755); err != nil {
		return nil, err
	}
	steps, handed, err := store.summary()
	if err != nil {
		return nil, err
	}
	match := roster.Match{}
	if b.Roster != nil {
		match = b.Roster.Match(handed)
	}
	var rows [][]string
	var lines []string
	count, class := newCensus(steps), newIndex(steps, b.Lang)
	err = store.Each(func(r *Result) error {
		count.add(r.Report)
		var errs []error
		for i, p := range authors(match.Of[r.Name]) {
			of := *r
			b.hide(&of, p)
			rows = append(rows, b.row(&of, steps, p))
			class.add(&of, b.called(&of, p), b.notes(&of, p))
			if i > 0 && b.Alias == nil { // of a group, there is one page
				continue
			}
			text, err := line(&of)
			lines = append(lines, text)
			errs = append(errs, err, b.writeStudent(filepath.Join(dir, Students), &of, b.title(&of, match.Of[r.Name])))
		}
		return errors.Join(errs...)
	})
	if err != nil {
		return nil, err
	}
	for _, p := range match.Absent {
		rows = append(rows, b.absent(p, steps))
		name := p.Name
		if b.Alias != nil {
			name = b.Alias("", p)
		}
		class.absent(name)
	}
	if b.Alias != nil { // nor may the order tell who is who
		slices.SortFunc(rows, slices.Compare)
		slices.Sort(lines)
	}
	table, err := Table(slices.Concat([][]string{b.header(steps)}, rows), b.Mark)
	if err != nil {
		return nil, err
	}
	found, err := count.list()
	if err != nil {
		return nil, err
	}
	all, err := class.page(found)
	return match.Problems, errors.Join(err,
		whole.Write(filepath.Join(dir, GradebookCSV), table),
		whole.Write(filepath.Join(dir, GradebookJSONL), []byte(strings.Join(lines, ""))),
		whole.Write(filepath.Join(dir, IndexHTML), all),
		count.write(dir, found))
}

// authors returns whose a submission is, in a list of one if that is nobody.
func authors(people []*roster.Person) []*roster.Person {
	if len(people) == 0 {
		return []*roster.Person{nil}
	}
	return people
}

// title is what the page of a submission is called: as its authors are.
func (b Book) title(r *Result, people []*roster.Person) string {
	if b.Alias != nil {
		return r.Name
	}
	var names []string
	for _, p := range authors(people) {
		names = append(names, b.called(r, p))
	}
	return strings.Join(names, ", ")
}

// writeStudent writes what a student may be given to read, as Markdown and for a browser.
func (b Book) writeStudent(dir string, r *Result, name string) error {
	html, err := studentPage(r, name, b.Lang)
	return errors.Join(err, whole.Write(filepath.Join(dir, r.Name+".md"), markdown(r, name)), whole.Write(filepath.Join(dir, r.Name+".html"), html))
}

// hide puts the alias of a student, if there is one, in the place of the name, and
// leaves out what else may hold a name: what files are called.
func (b Book) hide(r *Result, p *roster.Person) {
	if b.Alias == nil {
		return
	}
	r.Name = b.Alias(r.Name, p)
	r.Submission.Near, r.Submission.Notes = nil, nil
	if r.Submission.Refused != "" {
		r.Submission.Refused = unread
	}
	for i := range r.Report.Steps {
		s := &r.Report.Steps[i]
		_, f := r.handed(s)
		if f == nil || f.Refused == nil || f.Refused.Line > 0 { // a line of code is the student's own text
			continue
		}
		f.Refused.Reason, s.Message = lang.Raw(unread), unread
		for j := range s.Checks {
			s.Checks[j].Message = unread
		}
	}
}

// unread stands for a reason that may hold the names of files.
const unread = "it could not be read"

// summary returns the steps of which anything is stored, in the course's order,
// and the submissions as somebody who looks for their authors sees them.
func (d Dir) summary() (steps []*course.Step, handed []roster.Handed, err error) {
	graded := map[string]bool{}
	err = d.Each(func(r *Result) error {
		handed = append(handed, r.Handed())
		for _, s := range r.Report.Steps {
			graded[s.ID] = true
		}
		return nil
	})
	return slices.DeleteFunc(registry.Steps(), func(s *course.Step) bool { return !graded[s.ID] }), handed, err
}

// The columns beside those of the steps.
const (
	studentColumn      = "student" // the name of the submission, empty if there is none
	nameColumn         = "name"    // as the roster has it, if there is one
	idColumn           = "id"
	totalColumn        = "total" // of the core
	maxColumn          = "max"
	electivesColumn    = "electives" // only where one was graded
	electivesMaxColumn = "electives_max"
	notesColumn        = "notes" // why something has no points, and what to look at
)

func (b Book) header(steps []*course.Step) []string {
	columns := []string{studentColumn}
	if b.named() {
		columns = append(columns, nameColumn, idColumn)
	}
	for _, s := range steps {
		columns = append(columns, s.ID)
	}
	columns = append(columns, totalColumn, maxColumn)
	if electives(steps) {
		columns = append(columns, electivesColumn, electivesMaxColumn)
	}
	return append(columns, notesColumn)
}

// named reports whether the rows hold what the roster says of a student.
func (b Book) named() bool { return b.Roster != nil && b.Alias == nil }

// called is the name of a student for people to read.
func (b Book) called(r *Result, p *roster.Person) string {
	if b.named() && p != nil {
		return p.Name
	}
	return r.Name
}

func electives(steps []*course.Step) bool {
	return slices.ContainsFunc(steps, func(s *course.Step) bool { return s.Elective() })
}

// row is a student's line of the table. A step that was not graded has no score
// and no part in the maximum. Where the grader failed there is no score, which
// is not a zero, and so no total either. Electives are counted beside the core.
func (b Book) row(r *Result, steps []*course.Step, p *roster.Person) []string {
	columns := []string{untrusted.Cell(r.Name)}
	switch {
	case b.named() && p != nil:
		columns = append(columns, untrusted.Cell(p.Name), untrusted.Cell(p.ID))
	case b.named():
		columns = append(columns, "", "")
	}
	var core, beside sum
	for _, step := range steps {
		of := &core
		if step.Elective() {
			of = &beside
		}
		columns = append(columns, of.add(r.Report.Find(step.ID)))
	}
	columns = append(columns, core.columns()...)
	if electives(steps) {
		columns = append(columns, beside.columns()...)
	}
	return append(columns, untrusted.Cell(b.notes(r, p)))
}

// notes is what there is to look at in a result.
func (b Book) notes(r *Result, p *roster.Person) string {
	notes := r.Notes()
	if b.Roster != nil && p == nil {
		notes = append([]string{"not found in the roster"}, notes...)
	}
	return strings.Join(notes, "; ")
}

// absent is the line of somebody who handed in nothing.
func (b Book) absent(p *roster.Person, steps []*course.Step) []string {
	nothing := &Result{Report: &report.Report{}, Submission: &Submission{}}
	for _, s := range steps {
		score := 0
		nothing.Report.Steps = append(nothing.Report.Steps, report.Step{ID: s.ID, Score: &score, Max: s.Max()})
	}
	if b.Alias != nil {
		nothing.Name = b.Alias("", p)
	}
	columns := b.row(nothing, steps, p)
	columns[len(columns)-1] = "handed in nothing"
	return columns
}

// line is a student's report as one line of JSON.
func line(r *Result) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Student string         `json:"student"`
		Hash    string         `json:"hash"`
		Kit     string         `json:"kit_hash"`
		Report  *report.Report `json:"report"`
	}{r.Name, r.Hash, r.Terms.Kit, r.Report})
	return b.String(), err
}
