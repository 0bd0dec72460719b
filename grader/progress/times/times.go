// Package times works out how long steps took: for one student from the history of the
// attempts, and for a class from what its students chose to hand over.
//
// A step's time is the time between one record of the history, an attempt or a hint, and
// the next, and belongs to the step of the later one. A longer pause than Pause does not
// count: nobody knows what it was. So what was read and written before the very first
// attempt, and before the first after a break, is not in it: a measured time is a lower
// bound of the hours that CURRICULUM.md estimates.
package times

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"time"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/progress"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Pause is the longest time between two records that counts as work.
const Pause = 30 * time.Minute

// schema is the number of the file's form.
const schema = 1

// File is what a student hands over: no name, no date, no code and no marks.
type File struct {
	Schema int    `json:"schema"`
	Steps  []Step `json:"steps"` // in the order of the course, those that were tried
}

// Step is how long a step took, up to the first time that it passed.
type Step struct {
	ID       string `json:"step"`
	Minutes  int    `json:"minutes"`
	Attempts int    `json:"attempts"`
	Hints    int    `json:"hints"`
	Passed   bool   `json:"passed"`
}

// Of works out the times of the steps from all attempts, oldest first.
func Of(steps []*course.Step, attempts []progress.Attempt) File {
	took := map[string]time.Duration{}
	found := map[string]*Step{}
	var last time.Time
	for _, a := range attempts {
		s := found[a.Step]
		if s == nil {
			s = &Step{ID: a.Step}
			found[a.Step] = s
		}
		if gap := a.Time.Sub(last); !s.Passed && gap > 0 && gap <= Pause {
			took[a.Step] += gap
		}
		last = a.Time
		switch {
		case s.Passed: // what comes later is looking back
		case a.Hint > 0:
			s.Hints++
		case a.Verdict == string(verdict.NotImplemented): // nothing is written yet
		default:
			s.Attempts++
			s.Passed = a.Max > 0 && a.Score == a.Max
		}
	}
	f := File{Schema: schema, Steps: []Step{}}
	for _, step := range steps {
		if s := found[step.ID]; s != nil && s.Attempts+s.Hints > 0 {
			s.Minutes = int(took[step.ID].Round(time.Minute) / time.Minute)
			f.Steps = append(f.Steps, *s)
		}
	}
	return f
}

// Text is the file as it is written.
func (f File) Text() ([]byte, error) {
	text, err := json.MarshalIndent(f, "", "  ")
	return append(text, '\n'), err
}

// Read reads a file that a student has handed over. Its error names the file and what is
// wrong with it.
func Read(path string, steps []*course.Step) (File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return File{}, err
	}
	var f File
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, lang.Errorf("%s is not what grade history --times writes: %w", path, err)
	}
	if f.Schema != schema {
		return f, lang.Errorf("%s has schema %d; this version of the course reads %d", path, f.Schema, schema)
	}
	seen := map[string]bool{}
	for _, s := range f.Steps {
		known := slices.ContainsFunc(steps, func(step *course.Step) bool { return step.ID == s.ID })
		switch {
		case !known || seen[s.ID]:
			return f, lang.Errorf("%s: %q is no step of the course, or there twice", path, s.ID)
		case s.Minutes < 0 || s.Attempts < 0 || s.Hints < 0:
			return f, lang.Errorf("%s: a number of %s is below 0", path, s.ID)
		}
		seen[s.ID] = true
	}
	return f, nil
}
