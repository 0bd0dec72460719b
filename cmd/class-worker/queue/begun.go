package queue

import (
	"context"
	"crypto/hmac"
	"encoding/json"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// begun is what stands beside the results about a job in hand: how many workers
// have begun with it, and neither ended it nor said that they could not. Who has
// not the key cannot write it.
type begun struct {
	Workers   int    `json:"workers"`
	Signature string `json:"signature"`
}

func (j job) begunKey() string { return j.ID + ".begun" }

func (k Key) signBegun(j job, workers int) string {
	return k.sum("begun", []byte(j.ID), []byte{byte(workers)})
}

// begun returns how many workers have begun with a job and were not heard of
// again.
func (q *Queue) begun(ctx context.Context, j job) (int, error) {
	entry, err := q.results.Get(ctx, j.begunKey())
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var b begun
	if json.Unmarshal(entry.Value(), &b) != nil || !hmac.Equal([]byte(b.Signature), []byte(q.key.signBegun(j, b.Workers))) {
		return 0, nil
	}
	return b.Workers, nil
}

// setBegun writes that down.
func (q *Queue) setBegun(ctx context.Context, j job, workers int) error {
	if workers == 0 {
		return q.results.Purge(ctx, j.begunKey())
	}
	data, err := json.Marshal(begun{workers, q.key.signBegun(j, workers)})
	if err != nil {
		return err
	}
	_, err = q.results.Put(ctx, j.begunKey(), data)
	return err
}
