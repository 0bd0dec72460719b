// Package class grades many submissions, one a student, on the pristine kit.
//
// A submission is read into memory (see Read), graded (see Grader) and its
// result stored, one file a student (see Store). A submission whose content,
// kit and settings are those of its stored result is not graded again, so a run
// that was killed goes on where it was. When all are graded, the gradebook, a
// page a student and the class's misconceptions are written from the store
// alone: the same submissions give the same bytes, in whatever order and in
// however many attempts they were graded.
package class

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/stubformer/stubformer/grader/report"
)

// Grader grades one submission. Grade may be called concurrently.
type Grader interface {
	// Grade returns the report on a submission. Its error is the grader's own
	// failure, or the context's.
	Grade(ctx context.Context, s *Submission) (*report.Report, error)
	// Terms says under which terms it grades: whatever but the submission
	// decides the result.
	Terms() Terms
}

// Terms are what besides a submission decides its result.
type Terms struct {
	Kit     string   `json:"kit"` // hash of all that grading is done with
	Steps   []string `json:"steps"`
	Seed    uint64   `json:"seed"`
	Sandbox string   `json:"sandbox"`
}

// Result is a graded submission, as it is stored.
type Result struct {
	Schema     string         `json:"schema"`
	Name       string         `json:"name"`
	Hash       string         `json:"hash"` // of the submission
	Terms      Terms          `json:"terms"`
	Report     *report.Report `json:"report"`
	Submission *Submission    `json:"submission"` // as it was graded, for another time
}

// Schema names the form of a stored result.
const Schema = "stubformer/class/v1"

// Store keeps results, by the name of the submission.
type Store interface {
	Load(name string) (*Result, error) // nil if there is none
	Save(r *Result) error              // whole or not at all
}

// Event reports that a submission is done.
type Event struct {
	Name         string
	Report       *report.Report
	Before       *Result // what was stored before; nil for nothing
	Again        bool    // it was graded; otherwise its stored result holds
	Done, Number int     // submissions that are done, of how many
}

// Run grades the submissions that have no valid result in the store yet, jobs
// of them at a time. With again set it grades all of them. Watch is called for
// one submission after the other.
func Run(ctx context.Context, g Grader, store Store, list []Source, jobs int, again bool, watch func(Event)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan Source)
	var mu sync.Mutex // for watch
	done := 0
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for source := range next {
				e, err := one(ctx, g, store, source, again)
				if err != nil {
					cancel(fmt.Errorf("%s: %w", source.Name, err))
					continue
				}
				mu.Lock()
				done++
				e.Done, e.Number = done, len(list)
				watch(e)
				mu.Unlock()
			}
		})
	}
feed:
	for _, source := range list {
		select {
		case next <- source:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	workers.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return ctx.Err()
}

// one brings the stored result of one submission up to date.
func one(ctx context.Context, g Grader, store Store, source Source, again bool) (Event, error) {
	s, err := source.Read()
	if err != nil {
		return Event{}, err
	}
	before, err := store.Load(s.Name)
	if err != nil {
		return Event{}, err
	}
	hash := s.Hash()
	if !again && before != nil && before.valid(hash, g.Terms()) {
		return Event{Name: s.Name, Report: before.Report, Before: before}, nil
	}
	r, err := g.Grade(ctx, s)
	if err != nil {
		return Event{}, err
	}
	err = store.Save(&Result{Schema: Schema, Name: s.Name, Hash: hash, Terms: g.Terms(), Report: r, Submission: s})
	return Event{Name: s.Name, Report: r, Before: before, Again: true}, err
}

// valid tells whether a result is that of a submission under the given terms.
// A result in which the grader failed is none.
func (r *Result) valid(hash string, terms Terms) bool {
	return r.Hash == hash && r.Terms.equal(terms) && !r.Report.GraderFailed()
}
