// Package class grades many submissions, one a student, on the pristine kit.
//
// A submission is read into memory (see package handin), graded (see Grader) and its
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
	"slices"
	"strings"
	"sync"

	"github.com/stubformer/stubformer/cmd/teach/roster"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/course/registry"
	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/lang/untrusted"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// Grader grades one submission. Grade may be called concurrently.
type Grader interface {
	// Grade returns the report on a submission. Its error is the grader's own
	// failure with this submission, or the context's.
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
	Origin
}

// Handed is the submission as somebody who looks for its author sees it.
func (r *Result) Handed() roster.Handed { return roster.Handed{Name: r.Name, By: r.By} }

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
	Hash         string // of the submission
	Report       *report.Report
	Before       *Result  // what was stored before; nil for nothing
	Again        bool     // it was graded; otherwise its stored result holds
	Kept         bool     // the grader failed, and the marks from before were kept
	Look         []string // what of it somebody should look at
	Done, Number int      // submissions that are done, of how many
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

// one brings the stored result of one submission up to date. Its error is one
// that ends the run: that of the store, or the context's. Any other trouble is
// the result of this submission alone.
func one(ctx context.Context, g Grader, store Store, source Source, again bool) (Event, error) {
	before, err := store.Load(source.Name)
	if err != nil {
		return Event{}, err
	}
	s, err := source.Read(source.Name)
	if err != nil {
		return keep(store, source.Origin, failedResult(g, &Submission{Name: source.Name}, err), before)
	}
	s.Name = source.Name
	hash := s.Hash()
	if !again && before != nil && before.valid(hash, g.Terms()) {
		e := Event{Name: s.Name, Hash: hash, Report: before.Report, Before: before, Look: before.look()}
		if from := source.Origin.or(before.Origin); !from.equal(before.Origin) {
			again := *before
			again.Origin = from
			err = store.Save(&again)
		}
		return e, err
	}
	r, err := g.Grade(ctx, s)
	if ctx.Err() != nil {
		return Event{}, ctx.Err()
	}
	if err != nil {
		return keep(store, source.Origin, failedResult(g, s, err), before)
	}
	return keep(store, source.Origin, &Result{Schema: Schema, Name: s.Name, Hash: hash, Terms: g.Terms(), Report: r, Submission: s}, before)
}

// keep stores a result, unless the grader failed and the same submission has
// marks already. Of where the same comes from, what was known before is known still.
func keep(store Store, from Origin, r, before *Result) (Event, error) {
	r.Origin = from
	if before != nil && r.Hash == before.Hash {
		r.Origin = from.or(before.Origin)
	}
	e := Event{Name: r.Name, Hash: r.Hash, Report: r.Report, Before: before, Again: true, Look: r.look()}
	if r.Report.GraderFailed() && before != nil && !before.Report.GraderFailed() && (before.Hash == r.Hash || r.Submission.Folders == nil) {
		e.Kept = true
		return e, nil
	}
	return e, store.Save(r)
}

// failedResult is the result of a submission that the grader could not grade:
// no score, which is not a zero. The next run tries again.
func failedResult(g Grader, s *Submission, err error) *Result {
	message := fmt.Sprintf("the grader could not grade this, which is not the student's fault: %v", err)
	return &Result{Schema: Schema, Name: s.Name, Hash: s.Hash(), Terms: g.Terms(), Report: Failed(g.Terms(), message), Submission: s}
}

// Failed is the report on a submission that could not be graded under the terms.
func Failed(t Terms, message string) *report.Report {
	r := &report.Report{Schema: report.Schema, Kit: course.Version, Impl: "dir", Seed: t.Seed, Sandbox: t.Sandbox}
	for _, s := range registry.Steps() {
		if slices.Contains(t.Steps, s.ID) {
			failed := report.Of(s, lang.Printer{})
			failed.Max, failed.Verdict, failed.Message = s.Max(), verdict.GraderError, untrusted.Text(message, untrusted.MaxMessage)
			r.Steps = append(r.Steps, failed)
		}
	}
	return r
}

// endedWorkers is how the message of a report by Ended begins.
const endedWorkers = "could not be graded: it ended"

// Ended is the report on a submission that ended n processes which were to grade
// it, one after the other. Its author has no points; who instructs is told.
func Ended(t Terms, n int) *report.Report {
	r := Failed(t, fmt.Sprintf("%s %d workers, one after the other", endedWorkers, n))
	for i := range r.Steps {
		s := &r.Steps[i]
		step, _ := course.Find(registry.Steps(), s.ID) // Failed has found it
		for _, c := range step.Checks {
			s.Checks = append(s.Checks, report.Check{ID: c.ID, Title: c.Title, Max: c.Points, Verdict: verdict.Exited,
				Message: s.Message, Diagnosis: verdict.Diagnosis{Kind: verdict.Unexplained}})
		}
		s.Close()
	}
	return r
}

// notGraded says why nothing of a submission was graded; "" if it was.
func (r *Result) notGraded() string {
	if r.Submission.Refused != "" {
		return r.Submission.Refused
	}
	if steps := r.Report.Steps; len(steps) > 0 && steps[0].Verdict == verdict.Exited && strings.HasPrefix(steps[0].Message, endedWorkers) {
		return steps[0].Message
	}
	return ""
}

// valid reports whether a result is that of a submission under the given terms.
// A result in which the grader failed is none.
func (r *Result) valid(hash string, terms Terms) bool {
	return r.Hash == hash && r.Terms.equal(terms) && !r.Report.GraderFailed()
}
