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
	"github.com/stubformer/stubformer/grader/report"
)

// Names of what Write writes.
const (
	GradebookCSV   = "gradebook.csv"
	GradebookJSONL = "gradebook.jsonl"
	Students       = "students" // folder of a page a student
	Misconceptions = "misconceptions"
)

// Write writes the gradebook, the students' pages and the misconceptions of
// the named submissions into dir, from their stored results.
func Write(dir string, store Store, names []string, steps []*course.Step) error {
	if err := os.MkdirAll(filepath.Join(dir, Students), 0o755); err != nil {
		return err
	}
	var table, lines bytes.Buffer
	w := csv.NewWriter(&table)
	if err := w.Write(header(steps)); err != nil {
		return err
	}
	count := newCensus(steps)
	for _, name := range slices.Sorted(slices.Values(names)) {
		r, err := store.Load(name)
		if err != nil {
			return err
		}
		if r == nil {
			return errors.New("the result of " + name + " is not stored")
		}
		if err := errors.Join(w.Write(row(r)), line(&lines, r), writeFile(filepath.Join(dir, Students, name+".md"), page(r))); err != nil {
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

func header(steps []*course.Step) []string {
	columns := []string{"student"}
	for _, s := range steps {
		columns = append(columns, s.ID)
	}
	return append(columns, "total", "max")
}

// row is a student's line of the table. Where the grader failed there is no
// score, which is not a zero, and so no total either.
func row(r *Result) []string {
	columns := []string{cell(r.Name)}
	total, top, whole := 0, 0, true
	for _, s := range r.Report.Steps {
		top += s.Max
		if s.Score == nil {
			columns, whole = append(columns, ""), false
			continue
		}
		total += *s.Score
		columns = append(columns, strconv.Itoa(*s.Score))
	}
	if !whole {
		return append(columns, "", strconv.Itoa(top))
	}
	return append(columns, strconv.Itoa(total), strconv.Itoa(top))
}

// cell keeps a spreadsheet from taking a name for a formula.
func cell(name string) string {
	if strings.ContainsRune("=+-@\t", rune(name[0])) {
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
