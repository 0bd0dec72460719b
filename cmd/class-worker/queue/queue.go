// Package queue spreads the grading of a class over several machines.
//
// The queue is NATS JetStream. A submission lies in an object store, a job for
// it in a work-queue stream, and its result in a key-value bucket, all under
// the job's id: a hash of the submission's content and of the terms under which
// it is graded. A Remote submits and collects, any number of Workers grade.
//
// A worker acknowledges a job only when its result is recorded. If it is killed
// before, the job is delivered again, to whichever worker asks next. What is
// recorded once is never graded again, so a submitter that was killed simply
// submits once more. Names of students do not travel.
//
// Who reaches the server can still not write marks: a result counts only if it
// is signed with the key of the run (see Key) and can be right (see
// class.Terms.Check). Any other is removed, and its job done again. Nor can he take any
// away: to put a job, or a result, there once more makes nothing of it look as if it had
// ended its workers, for a worker is gone only when another has listened for it in vain,
// and what was graded before does not count where it is to be graded again.
package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/report"
)

// The names of what a queue consists of, on the server.
const (
	stream      = "STUBFORMER_JOBS"
	subjects    = "stubformer.jobs." // see Key.subject
	submissions = "stubformer-submissions"
	results     = "stubformer-results"
)

// remembered is how long the server recognises a job that is submitted twice.
const remembered = 24 * time.Hour

// kept is how long a submission stays that nobody has collected the result of.
const kept = 30 * 24 * time.Hour

// Queue is a connection to the queue on a NATS server.
type Queue struct {
	key     Key
	conn    *nats.Conn
	js      jetstream.JetStream
	stream  jetstream.Stream
	objects jetstream.ObjectStore
	results jetstream.KeyValue
}

// Open connects to the server of a URL such as nats://host:4222, in which
// credentials may stand, and makes what the queue consists of if it is not
// there. Creds is a file with credentials, or "".
func Open(ctx context.Context, url, creds string, key Key) (*Queue, error) {
	options := []nats.Option{nats.Name("stubformer"), nats.MaxReconnects(-1)}
	if creds != "" {
		options = append(options, nats.UserCredentials(creds))
	}
	conn, err := nats.Connect(url, options...)
	if err != nil {
		return nil, fmt.Errorf("no NATS server answers at %s: %w", redacted(url), err)
	}
	q := &Queue{conn: conn, key: key}
	if err := q.make(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return q, nil
}

// make opens the stream and the two buckets, or creates them.
func (q *Queue) make(ctx context.Context) (err error) {
	if q.js, err = jetstream.New(q.conn); err != nil {
		return err
	}
	q.stream, err = q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: stream, Subjects: []string{subjects + "*"}, Retention: jetstream.WorkQueuePolicy, Duplicates: remembered,
		Description: "submissions to be graded",
	})
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
		return fmt.Errorf("the NATS server has no JetStream; start it with: nats-server -js")
	}
	if err != nil {
		return err
	}
	if q.objects, err = q.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: submissions, TTL: kept}); err != nil {
		return err
	}
	q.results, err = q.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: results})
	return err
}

// Close ends the connection.
func (q *Queue) Close() { q.conn.Close() }

// redacted is a URL without what stands before its @.
func redacted(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if at := strings.LastIndex(rest, "@"); ok && at >= 0 {
		return scheme + "://" + rest[at+1:]
	}
	return url
}

// job is what stands in the stream. In the standing round, which has no name, it is the
// same job whenever the submission is graded under these terms, so that what is recorded
// counts. A round of its own, whose name is drawn, begins with nothing: no result that was
// recorded before, no worker that had it in hand.
type job struct {
	ID    string      `json:"id"`
	Round string      `json:"round,omitempty"`
	Terms class.Terms `json:"terms"`
}

// outcome is what has become of a job.
type outcome struct {
	report *report.Report
	ended  int // as in result
}
