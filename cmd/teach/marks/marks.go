package marks

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/cmd/teach/roster"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Student is somebody's marks.
type Student struct {
	Name   string // of the submission, or of who handed in nothing
	Person *roster.Person
	Steps  []Mark // as in the scheme
	Total  float64
	Of     float64
	Failed bool // the grader did, somewhere: there is no total
	Late   int  // days
	Notes  []string

	attempts   []attempt
	extensions []Extension
}

// Mark is what one step counts.
type Mark struct {
	Mark    float64
	Points  int
	Of      int // points; 0 if the step was not graded
	Late    int // days
	Dropped bool
	Failed  bool           // the grader, so that there is no mark
	Checks  map[string]int // points of each check, by its id
}

// attempt is one submission, without its files.
type attempt struct {
	steps    map[string]*report.Step
	at       time.Time
	from     string
	notes    []string
	position int // of the collection
}

// Table is the marks of a class.
type Table struct {
	Scheme   *Scheme
	Roster   *roster.Roster // nil for none
	Students []*Student     // those who handed in by their names, then the others as in the roster
	Problems []string

	names []string // of all submissions
}

// Make makes the marks of stored results.
func Make(s *Scheme, r *roster.Roster) (*Table, error) {
	t := &Table{Scheme: s, Roster: r}
	students := map[string]*Student{}
	for i, c := range s.Collections {
		if err := t.collect(i, c, students); err != nil {
			return nil, err
		}
	}
	if r != nil {
		for _, name := range r.Unseen(t.names) {
			t.Problems = append(t.Problems, fmt.Sprintf("%s: the scheme says whose it is, and there is no submission of that name", name))
		}
	}
	t.Scheme = s.narrowed(students)
	for _, st := range students {
		t.Students = append(t.Students, st)
	}
	slices.SortFunc(t.Students, func(a, b *Student) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.id(), b.id()))
	})
	if r != nil {
		here := map[*roster.Person]bool{}
		for _, st := range t.Students {
			here[st.Person] = true
		}
		for i := range r.People {
			if p := &r.People[i]; !here[p] {
				t.Students = append(t.Students, &Student{Name: p.Name, Person: p, Notes: []string{"handed in nothing"}})
			}
		}
	}
	if err := t.extend(); err != nil {
		return nil, err
	}
	for _, st := range t.Students {
		if err := t.Scheme.mark(st); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// narrowed leaves out, where the scheme names no steps, those that nobody's
// results hold.
func (s *Scheme) narrowed(students map[string]*Student) *Scheme {
	if !s.graded {
		return s
	}
	graded := map[string]bool{}
	for _, st := range students {
		for _, a := range st.attempts {
			for id := range a.steps {
				graded[id] = true
			}
		}
	}
	n := *s
	n.Steps = slices.DeleteFunc(slices.Clone(s.Steps), func(step Step) bool { return !graded[step.ID] })
	return &n
}

// collect adds the submissions of one collection to their authors'.
func (t *Table) collect(position int, c Collection, students map[string]*Student) error {
	store := class.Dir(filepath.Join(c.Results, "results"))
	if _, err := os.Stat(string(store)); err != nil {
		return fmt.Errorf("%s holds no results of `grade class`: %w", c.Results, err)
	}
	var match roster.Match
	if t.Roster != nil {
		var handed []roster.Handed
		err := store.Each(func(r *class.Result) error {
			handed = append(handed, r.Handed())
			return nil
		})
		if err != nil {
			return err
		}
		match = t.Roster.Match(handed)
		t.Problems = append(t.Problems, match.Problems...)
	}
	return store.Each(func(r *class.Result) error {
		t.names = append(t.names, r.Name)
		a := attempt{steps: map[string]*report.Step{}, at: c.At, from: c.Results, notes: r.Notes(), position: position}
		if !r.HandedIn.IsZero() {
			a.at = r.HandedIn
		}
		for i := range r.Report.Steps {
			a.steps[r.Report.Steps[i].ID] = &r.Report.Steps[i]
		}
		if len(match.Of[r.Name]) == 0 {
			add(students, "submission "+r.Name, a, &Student{Name: r.Name})
		}
		for _, p := range match.Of[r.Name] { // of a group's work each has the marks
			add(students, "person "+p.ID, a, &Student{Name: r.Name, Person: p})
		}
		return nil
	})
}

// add adds an attempt to its author's, who is new if there was none before.
func add(students map[string]*Student, key string, a attempt, author *Student) {
	if students[key] == nil {
		students[key] = author
	}
	students[key].attempts = append(students[key].attempts, a)
}

// mark makes a student's marks. Days that cost nothing go to the steps in the
// order of their deadlines.
func (s *Scheme) mark(st *Student) error {
	st.Steps = make([]Mark, len(s.Steps))
	order := make([]int, len(s.Steps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.due(st, a).Compare(s.due(st, b)) })
	slices.SortStableFunc(st.attempts, func(a, b attempt) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.position, b.position))
	})
	free := s.Late.Free
	for _, i := range order {
		due := s.due(st, i)
		best, used, err := s.choose(&s.Steps[i], due, st.attempts, free)
		if err != nil {
			return fmt.Errorf("%s: %w", st.Name, err)
		}
		if !due.Equal(s.Steps[i].Due) {
			st.Notes = append(st.Notes, fmt.Sprintf("%s: extended to %s", s.Steps[i].ID, due.Format("2006-01-02 15:04 MST")))
		}
		st.Steps[i] = best
		st.Late += best.Late
		free -= used
		if best.Late > 0 {
			st.Notes = append(st.Notes, fmt.Sprintf("%s: late (days: %d, free of them: %d)", s.Steps[i].ID, best.Late, used))
		}
	}
	s.drop(st)
	for i, m := range st.Steps {
		if m.Dropped {
			st.Notes = append(st.Notes, s.Steps[i].ID+": does not count, being among the lowest")
			continue
		}
		st.Of += s.Steps[i].Weight
		st.Total += m.Mark
		st.Failed = st.Failed || m.Failed
	}
	if n := len(st.attempts); n > 0 {
		st.Notes = append(st.Notes, st.attempts[n-1].notes...)
	}
	return nil
}

// choose returns the mark of a step with a deadline, of the attempt that counts, and
// the free days that it takes.
func (s *Scheme) choose(step *Step, due time.Time, attempts []attempt, free int) (best Mark, used int, err error) {
	chosen := false
	for _, a := range attempts {
		graded := a.steps[step.ID]
		if graded == nil {
			continue
		}
		late, err := step.late(due, a)
		if err != nil {
			return Mark{}, 0, err
		}
		m := step.points(graded)
		if m.Points == 0 {
			late = 0 // for nothing, no day is spent
		}
		m.Late = late
		forNothing := min(late, free)
		m.Mark = step.Weight * s.Late.share(late-forNothing) * float64(m.Points) / max(1, float64(m.Of))
		better := cmp.Or(cmp.Compare(m.Mark, best.Mark), cmp.Compare(best.Late, m.Late)) > 0
		if !chosen || best.Failed || !m.Failed && (s.Last || better) {
			best, used, chosen = m, forNothing, true
		}
	}
	return best, used, nil
}

// late returns how many days after the deadline an attempt was handed in.
func (s *Step) late(due time.Time, a attempt) (int, error) {
	switch {
	case due.IsZero():
		return 0, nil
	case a.at.IsZero():
		return 0, fmt.Errorf("%s has a deadline, and nobody says when what is in %s was handed in; "+
			"give the scheme's collections with the time of each: {results: %s, at: 2026-10-19 23:59}", s.ID, a.from, a.from)
	}
	return daysAfter(due, a.at), nil
}

// share is what is left of a step's marks after days that cost.
func (l Late) share(days int) float64 {
	if days > l.Most {
		return 0
	}
	return max(0, 1-l.Cost/100*float64(days))
}

// points adds up the checks that count.
func (s *Step) points(graded *report.Step) Mark {
	m := Mark{Checks: map[string]int{}, Failed: graded.Verdict == verdict.GraderError}
	if m.Failed {
		m.Of = s.Max()
		return m
	}
	for _, c := range graded.Checks {
		m.Checks[c.ID] = c.Points
		if !slices.Contains(s.Without, c.ID) {
			m.Points, m.Of = m.Points+c.Points, m.Of+c.Max
		}
	}
	return m
}

// drop leaves out the steps with the lowest share of their marks.
func (s *Scheme) drop(st *Student) {
	share := func(i int) float64 { return st.Steps[i].Mark / max(s.Steps[i].Weight, math.SmallestNonzeroFloat64) }
	var order []int
	for i, step := range s.Steps {
		if step.Weight > 0 && !st.Steps[i].Failed {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(share(a), share(b)) })
	for _, i := range order[:min(s.Drop, len(order))] {
		st.Steps[i].Dropped = true
	}
}
