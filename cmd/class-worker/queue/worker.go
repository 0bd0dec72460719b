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

// tries is how many workers a job is given to in a round. One that has ended so many is
// not given to another, so that it cannot end them all: nothing of it is graded. One
// that workers could not grade, and said so, is recorded as the grader's failure.
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
	defer w.again(m.InProgress)()
	o, err := w.attempt(ctx, j)
	if err != nil {
		return err
	}
	if err := w.Queue.record(ctx, j, o); err != nil {
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

// again calls a function again and again, often enough to show that this worker is alive,
// until the function it returns is called.
func (w *Worker) again(sign func() error) (end func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(w.Patience / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := sign(); err != nil {
					w.Log("the server does not hear that a job is in hand: %v", err)
				}
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}

// errInHand is why a job that was delivered twice goes back into the queue.
var errInHand = errors.New("another worker has it in hand")

// attempt grades a job, unless another worker does, or too many have not survived that
// or could not.
func (w *Worker) attempt(ctx context.Context, j job) (outcome, error) {
	q := w.Queue
	now, err := q.begun(ctx, j)
	if err != nil {
		return outcome{}, err
	}
	if now.Worker != "" {
		alive, err := q.hears(ctx, j, now.Worker, w.Patience)
		if err != nil {
			return outcome{}, err
		}
		if alive {
			return outcome{}, errInHand
		}
		now.Ended++
	}
	if now.Ended >= tries {
		return outcome{class.Ended(j.Terms, now.Ended), 1}, nil
	}
	if now.Failed >= tries {
		return outcome{report: class.Failed(j.Terms, fmt.Sprintf(
			"the submission was given to a worker %d times, and no result came back, which is the grader's fault", tries))}, nil
	}
	now.Worker = newNumber()
	if now, err = q.setBegun(ctx, j, now); err != nil {
		return outcome{}, err
	}
	defer w.again(func() error { return q.conn.Publish(signs+j.ID, q.key.sign(j, now.Worker)) })()
	r, err := w.grade(ctx, j)
	if err == nil {
		return outcome{report: r}, nil
	}
	if ctx.Err() == nil {
		now.Failed++
	}
	free := now
	free.Worker = "" // this one has survived
	_, failed := q.setBegun(context.WithoutCancel(ctx), j, free)
	return outcome{}, errors.Join(err, failed)
}

// grade grades a job. Its error is one that another worker, or another try, may
// not have.
func (w *Worker) grade(ctx context.Context, j job) (*report.Report, error) {
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
	if again, err := q.key.newJob(&s, j.Terms, j.Round); err != nil || again.ID != j.ID {
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

// record writes down a result, unless there is one, and that nobody has the job in hand.
func (q *Queue) record(ctx context.Context, j job, o outcome) error {
	data, err := q.key.seal(j, o)
	if err != nil {
		return err
	}
	recorded, err := q.recorded(ctx, j)
	if err != nil {
		return err
	}
	if !recorded {
		_, err = q.results.Create(ctx, j.ID, data)
	}
	if err != nil && !errors.Is(err, jetstream.ErrKeyExists) { // whose that is, the next one who asks finds out
		return err
	}
	return q.results.Purge(ctx, j.begunKey())
}
