package class

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/report"
)

// Names of what Write writes.
const (
	GradebookCSV   = "gradebook.csv"
	GradebookJSONL = "gradebook.jsonl"
	Students       = "students" // folder of a page a student
	Misconceptions = "misconceptions"
)

// Write writes the gradebook, the students' pages and the misconceptions into
// dir, from all stored results: what was graded once keeps its row. Each file is
// written whole before it takes the place of the one before.
func Write(dir string, store Dir) error {
	if err := os.MkdirAll(filepath.Join(dir, Students), 0o755); err != nil {
		return err
	}
	names, err := store.names()
	if err != nil {
		return err
	}
	steps, err := store.steps(names)
	if err != nil {
		return err
	}
	var table, lines bytes.Buffer
	w := csv.NewWriter(&table)
	if err := w.Write(header(steps)); err != nil {
		return err
	}
	count := newCensus(steps)
	for _, name := range names {
		r, err := store.Load(name)
		if err != nil {
			return err
		}
		if r == nil {
			continue // damaged; Lost has told of it
		}
		if err := errors.Join(w.Write(row(r, steps)), line(&lines, r), writeFile(filepath.Join(dir, Students, name+".md"), page(r))); err != nil {
			return err
		}
		count.add(r.Report)
	}
	w.Flush()
	return errors.Join(w.Error(),
		writeFile(filepath.Join(dir, GradebookCSV), table.Bytes()),
		writeFile(filepath.Join(dir, GradebookJSONL), lines.Bytes()),
		count.write(dir))
}

// steps returns the steps of which anything is stored, in the course's order.
func (d Dir) steps(names []string) ([]*course.Step, error) {
	graded := map[string]bool{}
	for _, name := range names {
		r, err := d.Load(name)
		if err != nil {
			return nil, err
		}
		if r == nil {
			continue
		}
		for _, s := range r.Report.Steps {
			graded[s.ID] = true
		}
	}
	return slices.DeleteFunc(registry.Steps(), func(s *course.Step) bool { return !graded[s.ID] }), nil
}

// The columns beside those of the steps.
const (
	studentColumn      = "student"
	totalColumn        = "total" // of the core
	maxColumn          = "max"
	electivesColumn    = "electives" // only where one was graded
	electivesMaxColumn = "electives_max"
	notesColumn        = "notes" // why something has no points, and what to look at
)

func header(steps []*course.Step) []string {
	columns := []string{studentColumn}
	for _, s := range steps {
		columns = append(columns, s.ID)
	}
	columns = append(columns, totalColumn, maxColumn)
	if electives(steps) {
		columns = append(columns, electivesColumn, electivesMaxColumn)
	}
	return append(columns, notesColumn)
}

func electives(steps []*course.Step) bool {
	return slices.ContainsFunc(steps, func(s *course.Step) bool { return s.Elective() })
}

// row is a student's line of the table. A step that was not graded has no score
// and no part in the maximum. Where the grader failed there is no score, which
// is not a zero, and so no total either. Electives are counted beside the core.
func row(r *Result, steps []*course.Step) []string {
	columns := []string{cell(r.Name)}
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
	return append(columns, cell(strings.Join(r.Notes(), "; ")))
}

// sum adds up the scores of steps.
type sum struct {
	score, top int
	failed     bool // in a step, the grader
}

// add counts a step, if it was graded, and returns its cell.
func (n *sum) add(s *report.Step) string {
	if s == nil {
		return ""
	}
	n.top += s.Max
	if s.Score == nil {
		n.failed = true
		return ""
	}
	n.score += *s.Score
	return strconv.Itoa(*s.Score)
}

func (n *sum) columns() []string {
	if n.failed {
		return []string{"", strconv.Itoa(n.top)}
	}
	return []string{strconv.Itoa(n.score), strconv.Itoa(n.top)}
}

// cell keeps a spreadsheet from taking a name for a formula.
func cell(name string) string {
	if name != "" && strings.ContainsRune("=+-@\t", rune(name[0])) {
		return "'" + name
	}
	return name
}

// line adds a student's report as one line of JSON.
func line(b *bytes.Buffer, r *Result) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		Student string         `json:"student"`
		Hash    string         `json:"hash"`
		Kit     string         `json:"kit_hash"`
		Report  *report.Report `json:"report"`
	}{r.Name, r.Hash, r.Terms.Kit, r.Report})
}
