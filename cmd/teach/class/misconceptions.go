package class

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/fixtures"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/diagnose"
	"github.com/stubformer/stubformer/grader/host/whole"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Misconception is a known mistake, and how many of those who worked at the
// step answered like it.
type Misconception struct {
	Step     string `json:"step"`
	ID       string `json:"id"`
	Title    string `json:"title"` // completes "what you get when …"
	Why      string `json:"why"`   // it is one: what to say about it in the next lesson
	Students int    `json:"students"`
	Of       int    `json:"of"` // students whose code of the step could be run
}

// census counts mistakes over a class.
type census struct {
	steps    []*course.Step
	worked   map[string]int            // students by step
	mistakes map[string]map[string]int // students by step and mistake
}

func newCensus(steps []*course.Step) *census {
	c := &census{steps: steps, worked: map[string]int{}, mistakes: map[string]map[string]int{}}
	for _, s := range steps {
		c.mistakes[s.ID] = map[string]int{}
	}
	return c
}

// add counts one student.
func (c *census) add(r *report.Report) {
	for _, s := range r.Steps {
		if !worked(s) || c.mistakes[s.ID] == nil {
			continue
		}
		c.worked[s.ID]++
		seen := map[string]bool{}
		for _, check := range s.Checks {
			if check.Diagnosis.Kind != verdict.Mistake {
				continue
			}
			for id := range strings.SplitSeq(check.Diagnosis.ID, "+") {
				if !seen[id] {
					c.mistakes[s.ID][id]++
				}
				seen[id] = true
			}
		}
	}
}

// worked reports whether there was code of a step that could be run.
func worked(s report.Step) bool {
	return slices.ContainsFunc(s.Checks, func(c report.Check) bool {
		switch c.Verdict {
		case verdict.NotImplemented, verdict.Blocked, verdict.CompileError, verdict.Refused, verdict.GraderError:
			return false
		}
		return true
	})
}

// list returns the mistakes that were made, by step, the most frequent first.
func (c *census) list() ([]Misconception, error) {
	found := []Misconception{}
	for _, s := range c.steps {
		known, err := diagnose.Load(fixtures.Mistakes, s.Folder)
		if err != nil {
			return nil, err
		}
		first := len(found)
		for _, id := range slices.Sorted(maps.Keys(c.mistakes[s.ID])) {
			if w, ok := known.Words[id]; ok {
				found = append(found, Misconception{s.ID, id, w.Title, w.Why, c.mistakes[s.ID][id], c.worked[s.ID]})
			}
		}
		slices.SortStableFunc(found[first:], func(a, b Misconception) int { return b.Students - a.Students })
	}
	return found, nil
}

// write writes misconceptions.csv, .json and .md.
func (c *census) write(dir string, found []Misconception) error {
	data, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return err
	}
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	w.Write([]string{"step", "id", "title", "students", "of", "percent"}) // Flush tells of an error
	for _, m := range found {
		w.Write([]string{m.Step, m.ID, m.Title, strconv.Itoa(m.Students), strconv.Itoa(m.Of), strconv.Itoa(m.percent())})
	}
	w.Flush()
	base := filepath.Join(dir, Misconceptions)
	return errors.Join(w.Error(), whole.Write(base+".csv", table.Bytes()),
		whole.Write(base+".json", append(data, '\n')), whole.Write(base+".md", c.page(found)))
}

func (m Misconception) percent() int { return (100*m.Students + m.Of/2) / m.Of }

// page writes the mistakes for a person.
func (c *census) page(found []Misconception) []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, "# Misconceptions\n\nOf the students whose code of a step could be run, how many answered as one does when …\n")
	if len(found) == 0 {
		fmt.Fprint(&b, "\nNo answer was that of a known mistake.\n")
	}
	last := ""
	for _, m := range found {
		if m.Step != last {
			fmt.Fprintf(&b, "\n## %s (%d students)\n\n| students | | … | what to say tomorrow |\n|---:|---:|---|---|\n", m.Step, m.Of)
		}
		fmt.Fprintf(&b, "| %d | %d %% | %s | %s |\n", m.Students, m.percent(), plain(m.Title), plain(m.Why))
		last = m.Step
	}
	return b.Bytes()
}
