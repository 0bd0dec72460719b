package class

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
)

// Lost lists what the gradebook in dir, or a stored result, holds and would hold
// no more after a run that grades these steps of these submissions: one line a
// student. A run that would lose anything should not begin unasked.
func Lost(dir string, store Dir, list []Source, steps []*course.Step) ([]string, error) {
	stored, after, err := store.expected(list, steps)
	if err != nil {
		return nil, err
	}
	marks, order, err := readGradebook(filepath.Join(dir, GradebookCSV))
	if err != nil {
		return nil, err
	}
	for name, had := range stored { // what the gradebook does not show yet counts as well
		if marks[untrusted.Cell(name)] == nil {
			order = append(order, untrusted.Cell(name))
		}
		marks[untrusted.Cell(name)] = append(marks[untrusted.Cell(name)], had...)
	}
	slices.Sort(order)
	var lost []string
	for _, student := range slices.Compact(order) {
		var columns []string
		for _, column := range marks[student] {
			if !slices.Contains(after[student], column) && !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
		switch {
		case after[student] == nil:
			lost = append(lost, fmt.Sprintf("%s: the whole row, for no result is stored in %s", student, store))
		case len(columns) > 0:
			lost = append(lost, fmt.Sprintf("%s: %q", student, columns))
		}
	}
	return lost, nil
}

// expected returns the steps of which results are stored, by student, and the
// columns that a student's row, as the gradebook names it, may have after a run.
func (d Dir) expected(list []Source, steps []*course.Step) (stored, after map[string][]string, err error) {
	stored, after = map[string][]string{}, map[string][]string{}
	names, err := d.names()
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		r, err := d.Load(name)
		if err != nil {
			return nil, nil, err
		}
		stored[name] = nil
		if r == nil {
			continue // damaged
		}
		for _, s := range r.Report.Steps {
			stored[name] = append(stored[name], s.ID)
		}
		after[untrusted.Cell(name)] = append(stored[name], studentColumn, totalColumn, maxColumn, electivesColumn, electivesMaxColumn, notesColumn, nameColumn, idColumn)
	}
	for _, s := range list {
		after[untrusted.Cell(s.Name)] = append(Book{}.header(steps), nameColumn, idColumn)
	}
	return stored, after, nil
}

// readGradebook returns the names of the columns that are not empty, by student,
// and the students in their order. A gradebook that is not there is empty.
func readGradebook(path string) (marks map[string][]string, order []string, err error) {
	marks = map[string][]string{}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return marks, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, nil, fmt.Errorf("%s cannot be read, so what it holds might be lost: %w; move it away or repair it", path, err)
	}
	if len(rows) > 0 {
		rows[0][0] = strings.TrimPrefix(rows[0][0], "\ufeff") // as spreadsheets write it
	}
	for i, row := range rows {
		if i == 0 || len(row) == 0 || row[0] == "" { // who handed in nothing has no marks to lose
			continue
		}
		order = append(order, row[0])
		marks[row[0]] = []string{}
		for c, value := range row {
			if value != "" {
				marks[row[0]] = append(marks[row[0]], rows[0][c])
			}
		}
	}
	return marks, order, nil
}
