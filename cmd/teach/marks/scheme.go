// Package marks makes marks of the stored results of a class: by a scheme of
// weights, deadlines and attempts, as tables and as files that platforms take. It
// grades nothing, and the points of checks stay what they are.
package marks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
)

// Scheme says how marks are made of points.
type Scheme struct {
	Steps       []Step
	Late        Late
	Drop        int  // so many steps of a student, those with the lowest share, do not count
	Last        bool // of several submissions the last one counts, not the best
	Collections []Collection
	Extensions  []Extension
	Whose       string // file that says whose submissions are; "" for none

	graded bool // no steps are named: those of the core that were graded count
}

// Step is a step that counts.
type Step struct {
	*course.Step
	Weight  float64   // marks for all points
	Due     time.Time // zero for no deadline
	Without []string  // checks that do not count
}

// Late says what handing in late costs. A day that has begun is one.
type Late struct {
	Free int     `yaml:"free"` // days for nothing, of all steps together
	Cost float64 `yaml:"cost"` // per cent of a step's marks, for each day after that
	Most int     `yaml:"most"` // days with cost; what comes later has no marks
}

// Collection is a folder of results, of submissions that were collected at once.
type Collection struct {
	Results string    // the folder OUT of `grade class`
	At      time.Time // when; zero if nobody says
}

// written is a scheme as it is written.
type written struct {
	Zone  string `yaml:"zone"`
	Steps map[string]struct {
		Weight  *float64 `yaml:"weight"`
		Due     string   `yaml:"due"`
		Without []string `yaml:"without"`
	} `yaml:"steps"`
	Late        Late   `yaml:"late"`
	Drop        int    `yaml:"drop"`
	Attempts    string `yaml:"attempts"`
	Collections []struct {
		Results string `yaml:"results"`
		At      string `yaml:"at"`
	} `yaml:"collections"`
	Extensions []writtenExtension `yaml:"extensions"`
	Whose      string             `yaml:"whose"`
}

// Plain is the scheme in which every step of the core that was graded counts by
// its points.
func Plain(results string) *Scheme {
	s := &Scheme{Collections: []Collection{{Results: results}}, graded: true}
	for _, step := range registry.Steps() {
		if !step.Elective() {
			s.Steps = append(s.Steps, Step{Step: step, Weight: float64(step.Max())})
		}
	}
	return s
}

// Parse reads a scheme. Paths in it are relative to dir; without collections
// the only one is results.
func Parse(data []byte, dir, results string) (*Scheme, error) {
	var w written
	in := yaml.NewDecoder(bytes.NewReader(data))
	in.KnownFields(true)
	if err := in.Decode(&w); err != nil && !errors.Is(err, io.EOF) {
		return nil, unread(err)
	}
	if err := in.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.New("the scheme holds more than one YAML document, or something behind its end (...); want one, without a line --- in it")
	}
	zone, err := time.LoadLocation(w.Zone) // "" is UTC
	if err != nil {
		return nil, fmt.Errorf("zone: %w; want a name such as Europe/Berlin", err)
	}
	s := &Scheme{Late: w.Late, Drop: w.Drop, Last: w.Attempts == "last"}
	if !slices.Contains([]string{"", "best", "last"}, w.Attempts) {
		return nil, fmt.Errorf("attempts is %q; want best or last", w.Attempts)
	}
	if err := s.addSteps(w, zone); err != nil {
		return nil, err
	}
	if err := s.addExtensions(w.Extensions, zone); err != nil {
		return nil, err
	}
	if s.Whose = w.Whose; s.Whose != "" && !filepath.IsAbs(s.Whose) {
		s.Whose = filepath.Join(dir, s.Whose)
	}
	for _, c := range w.Collections {
		at, err := moment(c.At, zone)
		if err != nil || c.Results == "" {
			return nil, errors.Join(err, fmt.Errorf("collections: each wants results, a folder of `grade class --out`, and at, when it was collected"))
		}
		if !filepath.IsAbs(c.Results) {
			c.Results = filepath.Join(dir, c.Results)
		}
		s.Collections = append(s.Collections, Collection{c.Results, at})
	}
	if len(s.Collections) == 0 {
		s.Collections = []Collection{{Results: results}}
	}
	return s, s.check()
}

// unread says what is wrong with a scheme that does not have the form of one.
func unread(err error) error {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		return fmt.Errorf("the scheme is no YAML that can be read: %w", err)
	}
	var lines []string
	for _, line := range wrong.Errors {
		line, _, _ = strings.Cut(line, " in type ")
		line, _, _ = strings.Cut(line, " into ")
		lines = append(lines, line)
	}
	return fmt.Errorf("the scheme cannot be read: %s; want zone, steps (weight, due, without), late (free, cost, most), "+
		"drop, attempts, collections (results, at), extensions (who, steps, due or days) and whose", strings.Join(lines, "; "))
}

// addSteps adds the steps that the scheme names, or those of the core if it names
// none, in the course's order.
func (s *Scheme) addSteps(w written, zone *time.Location) error {
	s.graded = len(w.Steps) == 0
	named := map[string]bool{}
	for id := range w.Steps {
		step, err := course.Find(registry.Steps(), id)
		if err != nil {
			return fmt.Errorf("steps: %w", err)
		}
		if step.ID != id {
			return fmt.Errorf("steps: %s is called %s here", id, step.ID)
		}
		named[id] = true
	}
	for _, step := range registry.Steps() {
		if !s.graded && !named[step.ID] || s.graded && step.Elective() {
			continue
		}
		is := w.Steps[step.ID]
		due, err := moment(is.Due, zone)
		if err != nil {
			return fmt.Errorf("%s: due: %w", step.ID, err)
		}
		mine := Step{Step: step, Due: due, Without: is.Without}
		for _, c := range step.Checks {
			if !slices.Contains(is.Without, c.ID) {
				mine.Weight += float64(c.Points)
			}
		}
		for _, id := range is.Without {
			if !slices.ContainsFunc(step.Checks, func(c course.Check) bool { return c.ID == id }) {
				return fmt.Errorf("%s: without: there is no check %q; `grade describe %s` lists them", step.ID, id, step.ID)
			}
		}
		if is.Weight != nil {
			mine.Weight = *is.Weight
		}
		if !(0 <= mine.Weight && mine.Weight <= maxWeight) {
			return fmt.Errorf("%s: weight is %v; want a number from 0 to %d", step.ID, mine.Weight, maxWeight)
		}
		s.Steps = append(s.Steps, mine)
	}
	return nil
}

// maxWeight is how many marks a step may have.
const maxWeight = 1_000_000

func (s *Scheme) check() error {
	switch {
	case s.Late.Free < 0 || s.Late.Most < 0:
		return fmt.Errorf("late: free is %d and most is %d; want numbers of days", s.Late.Free, s.Late.Most)
	case !(0 <= s.Late.Cost && s.Late.Cost <= 100):
		return fmt.Errorf("late: cost is %v; want per cent, from 0 to 100", s.Late.Cost)
	case s.Drop < 0 || s.Drop >= len(s.Steps):
		return fmt.Errorf("drop is %d of %d steps; want fewer, and 0 or more", s.Drop, len(s.Steps))
	}
	return nil
}

// moment reads a date with a time of day; without one it is the end of the day. It is
// in the zone, whose days are counted from it.
func moment(text string, zone *time.Location) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.In(zone), nil
	}
	for _, layout := range []string{time.DateTime, "2006-01-02 15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return onClocks(t, zone), nil
		}
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return onClocks(day.AddDate(0, 0, 1).Add(-1), zone), nil
	}
	return time.Time{}, fmt.Errorf("%q is no date; want 2026-10-19 or 2026-10-19 23:59", text)
}
