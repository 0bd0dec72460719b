package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/report"
)

// tries is how often a job is delivered. One that has ended so many workers is
// not given to another, so that it cannot end them all: nothing of it is graded.
// One that workers could not grade, and said so, is recorded as the grader's
// failure.
const tries = 5

// Patience is how long the server usually waits for a sign of life from a worker
// before it gives the job to another one.
const Patience = 30 * time.Second

// Worker grades what is in the queue.
type Worker struct {
	Queue *Queue
	Kit   string                                  // hash of the kit: jobs for other kits are left to others
	Open  func(class.Terms) (class.Grader, error) // called once for all jobs of the same terms
	Jobs  int                                     // graded at the same time
	Log   func(format string, args ...any)        // may be called concurrently

	Patience time.Duration // the same for all workers of a queue

	mu      sync.Mutex
	graders map[string]opened
}

// opened is what Open has returned.
type opened struct {
	grader class.Grader
	err    error
}

// Run grades until ctx ends. Jobs that are then in hand go back into the queue
// at once.
func (w *Worker) Run(ctx context.Context) error {
	consumer, err := w.Queue.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: strings.TrimPrefix(w.Queue.key.subject(w.Kit), subjects), FilterSubject: w.Queue.key.subject(w.Kit),
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: w.Patience, MaxDeliver: -1,
	})
	if err != nil {
		return err
	}
	w.graders = map[string]opened{}
	errs := make([]error, w.Jobs)
	var all sync.WaitGroup
	for i := range w.Jobs {
		all.Go(func() { errs[i] = w.work(ctx, consumer) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// work takes one job after the other.
func (w *Worker) work(ctx context.Context, consumer jetstream.Consumer) error {
	messages, err := consumer.Messages(jetstream.PullMaxMessages(1))
	if err != nil {
		return err
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	for {
		m, err := messages.Next()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		if err := w.take(ctx, m); err != nil && ctx.Err() == nil {
			w.Log("a job goes back into the queue: %v", err)
		}
	}
}

// take grades one job. Whatever goes wrong on the way, the job is acknowledged
// only if its result is recorded.
func (w *Worker) take(ctx context.Context, m jetstream.Msg) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, m.NakWithDelay(pause(ctx)))
		}
	}()
	var j job
	if err := json.Unmarshal(m.Data(), &j); err != nil || !j.valid() || j.Terms.Kit != w.Kit {
		w.Log("a message in the stream is no job of this run")
		return m.Term()
	}
	recorded, err := w.Queue.recorded(ctx, j)
	if err != nil {
		return err
	}
	if recorded {
		return m.DoubleAck(ctx)
	}
	defer w.alive(m)()
	r, err := w.attempt(ctx, m, j)
	if err != nil {
		return err
	}
	if err := w.Queue.record(ctx, j, r); err != nil {
		return err
	}
	w.Log("graded %s", j.ID)
	return m.DoubleAck(ctx)
}

// pause is how long a job that was not graded waits for its next worker: not at
// all if this one is stopped, and a moment if something failed that may pass.
func pause(ctx context.Context) time.Duration {
	if ctx.Err() != nil {
		return 0
	}
	return time.Second / 4
}

// alive tells the server again and again that a job is in hand, until the
// function it returns is called.
func (w *Worker) alive(m jetstream.Msg) (end func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(w.Patience / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := m.InProgress(); err != nil {
					w.Log("the server does not hear that a job is in hand: %v", err)
				}
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}

// attempt grades a job, unless too many have not survived that.
func (w *Worker) attempt(ctx context.Context, m jetstream.Msg, j job) (*report.Report, error) {
	before, err := w.Queue.begun(ctx, j)
	if err != nil {
		return nil, err
	}
	if before >= tries {
		return class.Ended(j.Terms, before), w.Queue.setBegun(ctx, j, 0)
	}
	if err := w.Queue.setBegun(ctx, j, before+1); err != nil {
		return nil, err
	}
	r, err := w.grade(ctx, m, j)
	if err == nil {
		before = 0
	}
	return r, errors.Join(err, w.Queue.setBegun(context.WithoutCancel(ctx), j, before)) // this one has survived
}

// grade grades a job. Its error is one that another worker, or another try, may
// not have.
func (w *Worker) grade(ctx context.Context, m jetstream.Msg, j job) (*report.Report, error) {
	about, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	if about.NumDelivered > tries {
		return class.Failed(j.Terms, fmt.Sprintf(
			"the submission was given to a worker %d times, and no result came back, which is the grader's fault", tries)), nil
	}
	g, err := w.grader(j.Terms)
	if err != nil {
		return nil, err
	}
	s, err := w.Queue.submission(ctx, j)
	if err != nil {
		return nil, fmt.Errorf("the submission of job %s: %w", j.ID, err)
	}
	return g.Grade(ctx, s)
}

// maxSubmission is the largest submission that is fetched, in bytes: more than
// what is read of one (see class.Read) comes to.
const maxSubmission = 64 << 20

// submission fetches the submission of a job.
func (q *Queue) submission(ctx context.Context, j job) (*class.Submission, error) {
	about, err := q.objects.GetInfo(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	if about.Size > maxSubmission {
		return nil, fmt.Errorf("it has %d bytes", about.Size)
	}
	data, err := q.objects.GetBytes(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	var s class.Submission
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	if again, err := q.key.newJob(&s, j.Terms); err != nil || again.ID != j.ID {
		return nil, errors.Join(err, errors.New("it is not the one that was submitted"))
	}
	return &s, nil
}

// grader returns the grader for some terms.
func (w *Worker) grader(t class.Terms) (class.Grader, error) {
	key, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	o, ok := w.graders[string(key)]
	if !ok {
		o.grader, o.err = w.Open(t)
		w.graders[string(key)] = o
	}
	return o.grader, o.err
}

// recorded reports whether there is a result of a job that counts. One that does
// not is removed.
func (q *Queue) recorded(ctx context.Context, j job) (bool, error) {
	entry, err := q.results.Get(ctx, j.ID)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if _, err := q.key.verify(j, entry.Value()); err != nil {
		return false, q.results.Purge(ctx, j.ID)
	}
	return true, nil
}

// record writes down a result, unless there is one.
func (q *Queue) record(ctx context.Context, j job, r *report.Report) error {
	data, err := q.key.sign(j, r)
	if err != nil {
		return err
	}
	if recorded, err := q.recorded(ctx, j); err != nil || recorded {
		return err
	}
	_, err = q.results.Create(ctx, j.ID, data)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return nil // whose, the next one who asks finds out
	}
	return err
}
