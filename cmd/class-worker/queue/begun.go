package queue

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// signs is where workers say of a job that they have it in hand.
const signs = "stubformer.alive." // and the id of the job

// begun is what stands beside the results about a job in hand. Who has not the key
// cannot write it, and what is written over it, or put back, changes no more than who
// works: a worker is gone only if whoever comes next has listened for it in vain.
type begun struct {
	Worker    string `json:"worker"` // who has the job in hand, by a number drawn for it; "" for nobody
	Ended     int    `json:"ended"`  // how many workers had it in hand and are gone
	Failed    int    `json:"failed"` // how often one has said that it could not grade it
	Signature string `json:"signature"`

	revision uint64 // under which it lies there; 0: it does not
}

func (j job) begunKey() string { return j.ID + ".begun" }

func (k Key) signBegun(j job, b begun) string {
	return k.sum("begun", []byte(j.ID), []byte(b.Worker), []byte(strconv.Itoa(b.Ended)), []byte(strconv.Itoa(b.Failed)))
}

// begun returns what is known of the workers that have begun with a job.
func (q *Queue) begun(ctx context.Context, j job) (begun, error) {
	entry, err := q.results.Get(ctx, j.begunKey())
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return begun{}, nil
	}
	if err != nil {
		return begun{}, err
	}
	var b begun
	if json.Unmarshal(entry.Value(), &b) != nil || !hmac.Equal([]byte(b.Signature), []byte(q.key.signBegun(j, b))) {
		b = begun{}
	}
	b.revision = entry.Revision()
	return b, nil
}

// setBegun writes that down in the place of what it was made of, unless somebody else
// has been there.
func (q *Queue) setBegun(ctx context.Context, j job, b begun) (begun, error) {
	b.Signature = q.key.signBegun(j, b)
	data, err := json.Marshal(b)
	if err != nil {
		return b, err
	}
	if b.revision == 0 {
		b.revision, err = q.results.Create(ctx, j.begunKey(), data)
	} else {
		b.revision, err = q.results.Update(ctx, j.begunKey(), data, b.revision)
	}
	return b, err
}

// sign is what a worker says of a job that it has in hand.
func (k Key) sign(j job, worker string) []byte {
	return []byte(k.sum("alive", []byte(j.ID), []byte(worker)))
}

// hears listens for a worker, and reports whether it says within some time that it has
// the job in hand.
func (q *Queue) hears(ctx context.Context, j job, worker string, patience time.Duration) (bool, error) {
	listening, err := q.conn.SubscribeSync(signs + j.ID)
	if err != nil {
		return false, err
	}
	defer listening.Unsubscribe()
	until, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		m, err := listening.NextMsgWithContext(until)
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			return false, nil
		case err != nil:
			return false, err
		case hmac.Equal(m.Data, q.key.sign(j, worker)):
			return true, nil
		}
	}
}

// newNumber draws a number that nobody guesses.
func newNumber() string { return rand.Text() }
