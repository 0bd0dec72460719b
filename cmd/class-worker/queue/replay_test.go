package queue

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
)

// published submits and returns the job's message as anybody can read it in the stream.
func published(t *testing.T, q *Queue) []byte {
	var raw []byte
	require.Eventually(t, func() bool {
		m, err := q.stream.GetLastMsgForSubject(t.Context(), testKey.subject(terms.Kit))
		if err == nil {
			raw = m.Data
		}
		return err == nil
	}, time.Minute, time.Millisecond)
	return raw
}

// Who has not the key and publishes a job again, as often as he likes, does not make it
// look as if it ended its workers: they are alive.
func TestPublishedAgain(t *testing.T) {
	connect := open(t)
	q := connect()
	release := make(chan bool)
	g := &fake{terms: terms, grade: func(ctx context.Context, s *class.Submission) (*report.Report, error) {
		select {
		case <-release:
			return echo(ctx, s)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	result := make(chan *report.Report, 1)
	go func() {
		got, err := connect().NewRemote(terms, false).Grade(t.Context(), submission(1))
		if err == nil {
			result <- got
		}
		close(result)
	}()
	raw := published(t, q)
	start(t, t.Context(), connect(), g, 4*tries)
	for range 3 * tries {
		_, err := q.js.Publish(t.Context(), testKey.subject(terms.Kit), raw)
		require.NoError(t, err)
		time.Sleep(50 * time.Millisecond) // one after the other, each to a worker that knows of those before
	}
	select {
	case got := <-result:
		t.Fatalf("while workers were at it, the result was %s: %s", got.Steps[0].Verdict, got.Steps[0].Message)
	case <-time.After(5 * time.Second): // five times the patience of the workers
	}
	close(release)
	got := <-result
	require.NotNil(t, got)
	require.Equal(t, verdict.NotImplemented, got.Steps[0].Verdict)
}

// An old result that was signed does not count where it is to be graded again.
func TestOldResultPutAgain(t *testing.T) {
	connect := open(t)
	q := connect()
	g := &fake{terms: terms, grade: echo}
	stop := start(t, t.Context(), connect(), g, 1)
	_, err := connect().NewRemote(terms, false).Grade(t.Context(), submission(1))
	require.NoError(t, err)
	stop()
	standing, err := testKey.newJob(submission(1), terms, "")
	require.NoError(t, err)
	old, err := q.results.Get(t.Context(), standing.ID)
	require.NoError(t, err)

	regraded := make(chan *report.Report, 1)
	go func() {
		got, err := connect().NewRemote(terms, true).Grade(t.Context(), submission(1))
		if err == nil {
			regraded <- got
		}
		close(regraded)
	}()
	var j job
	require.NoError(t, json.Unmarshal(published(t, q), &j))
	for _, key := range []string{standing.ID, j.ID} {
		_, err = q.results.Put(t.Context(), key, old.Value())
		require.NoError(t, err)
	}
	g.grade = func(ctx context.Context, s *class.Submission) (*report.Report, error) {
		r, err := echo(ctx, s)
		r.Impl = "anew"
		return r, err
	}
	start(t, t.Context(), connect(), g, 1)
	got := <-regraded
	require.NotNil(t, got)
	require.Equal(t, "anew", got.Impl)
}

// What is put back of workers that were gone long ago, while nobody waited for the
// result, takes no marks away: it is tried once more, in a round that knows of nothing.
func TestBeginningsPutBack(t *testing.T) {
	connect := open(t)
	q := connect()
	standing, err := testKey.newJob(submission(1), terms, "")
	require.NoError(t, err)
	_, err = q.setBegun(t.Context(), standing, begun{Worker: "gone", Ended: tries - 1})
	require.NoError(t, err)
	g := &fake{terms: terms, grade: echo}
	start(t, t.Context(), connect(), g, 1)
	for range 2 { // what came of it stands for the next one who asks
		got, err := connect().NewRemote(terms, false).Grade(t.Context(), submission(1))
		require.NoError(t, err)
		require.Equal(t, verdict.NotImplemented, got.Steps[0].Verdict)
	}
	require.EqualValues(t, 1, g.calls.Load())
}
