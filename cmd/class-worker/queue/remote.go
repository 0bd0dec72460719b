package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/singleflight"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/report"
)

// Remote is a class.Grader that has others do the work.
type Remote struct {
	queue  *Queue
	terms  class.Terms
	again  bool
	flight singleflight.Group // the same content, handed in twice, is one job
}

// NewRemote returns a Grader under the given terms. With again set, what is
// recorded already is graded once more, and only what comes of that counts.
func (q *Queue) NewRemote(terms class.Terms, again bool) *Remote {
	return &Remote{queue: q, terms: terms, again: again}
}

// Terms returns what beside a submission decides its result.
func (r *Remote) Terms() class.Terms { return r.terms }

// Grade submits a job and waits for its result. If ctx ends first the job stays
// in the queue, and its result waits for the next one who asks.
func (r *Remote) Grade(ctx context.Context, s *class.Submission) (*report.Report, error) {
	standing, err := r.queue.key.newJob(s, r.terms, "")
	if err != nil {
		return nil, err
	}
	got, err, _ := r.flight.Do(standing.ID, func() (any, error) { return r.do(ctx, standing, s) })
	if err != nil {
		return nil, err
	}
	return got.(*report.Report), nil
}

// do grades in the standing round, and in one of its own where what was recorded before
// is not to count: when the submission is to be graded again, and when it seems to have
// ended its workers.
func (r *Remote) do(ctx context.Context, standing job, s *class.Submission) (*report.Report, error) {
	q := r.queue
	if !r.again {
		o, err := q.ask(ctx, standing, s)
		if err != nil || o.ended != 1 {
			return o.report, err
		}
	}
	own, err := q.key.newJob(s, r.terms, newNumber())
	if err != nil {
		return nil, err
	}
	o, err := q.ask(ctx, own, s)
	if err != nil {
		return nil, err
	}
	if o.ended > 0 {
		o.ended = 2 // so that it is not tried a third time
	}
	data, err := q.key.seal(standing, o)
	if err != nil {
		return nil, err
	}
	if _, err := q.results.Put(ctx, standing.ID, data); err != nil {
		return nil, err
	}
	return o.report, q.results.Purge(ctx, own.ID)
}

// ask submits a job, unless its result is there, and waits for it.
func (q *Queue) ask(ctx context.Context, j job, s *class.Submission) (_ outcome, err error) {
	message := j.ID
	watch, err := q.results.Watch(ctx, j.ID)
	if err != nil {
		return outcome{}, err
	}
	defer watch.Stop()
	submitted, forged := false, 0
	for {
		select {
		case <-ctx.Done():
			return outcome{}, ctx.Err()
		case entry, ok := <-watch.Updates():
			switch {
			case !ok:
				return outcome{}, errors.New("the connection to the NATS server has ended")
			case entry == nil: // all that was recorded before has been seen
				if err := q.submit(ctx, j, s, message); err != nil {
					return outcome{}, err
				}
				submitted = true
			case entry.Operation() == jetstream.KeyValuePut:
				graded, bad := q.key.verify(j, entry.Value())
				if bad == nil && (submitted || !graded.report.GraderFailed()) {
					return graded, q.clear(ctx, j)
				}
				if message, err = q.forget(ctx, j); err != nil { // try again
					return outcome{}, err
				}
				if forged++; bad != nil && forged > tries {
					return outcome{}, fmt.Errorf("%w, and that %d times; who else writes into this queue?", bad, forged)
				}
				if submitted {
					if err := q.submit(ctx, j, s, message); err != nil {
						return outcome{}, err
					}
				}
			}
		}
	}
}

// forget removes what is recorded of a job, and returns the name of a message
// that the server does not take for the one that it had before.
func (q *Queue) forget(ctx context.Context, j job) (message string, err error) {
	return j.ID + time.Now().Format(" 2006-01-02 15:04:05.000000000"), q.results.Purge(ctx, j.ID)
}

// clear removes the submission of a job that is done. Only who submits does so:
// a worker could take away what has just been submitted again.
func (q *Queue) clear(ctx context.Context, j job) error {
	err := q.objects.Delete(ctx, j.ID)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil
	}
	return err
}

// submit puts the submission where workers find it, then the job.
func (q *Queue) submit(ctx context.Context, j job, s *class.Submission, message string) error {
	nameless := *s
	nameless.Name = ""
	data, err := json.Marshal(nameless)
	if err != nil {
		return err
	}
	if _, err := q.objects.PutBytes(ctx, j.ID, data); err != nil {
		return err
	}
	if data, err = json.Marshal(j); err != nil {
		return err
	}
	_, err = q.js.Publish(ctx, q.key.subject(j.Terms.Kit), data, jetstream.WithMsgID(message))
	return err
}
