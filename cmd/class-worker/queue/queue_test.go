package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/course"
	"github.com/stubformer/stubformer/grader/handin"
	"github.com/stubformer/stubformer/grader/report"
	"github.com/stubformer/stubformer/grader/verdict"
	"github.com/stubformer/stubformer/grader/workspace"
)

// fake grades by a function and counts.
type fake struct {
	terms class.Terms
	grade func(context.Context, *class.Submission) (*report.Report, error)
	calls atomic.Int32
}

func (f *fake) Terms() class.Terms { return f.terms }

func (f *fake) Grade(ctx context.Context, s *class.Submission) (*report.Report, error) {
	f.calls.Add(1)
	return f.grade(ctx, s)
}

var terms = class.Terms{Kit: "kit1", Steps: []string{"step01"}, Seed: 7, Sandbox: "limits"}

// testKey is the key of the run in these tests.
var testKey = Key(bytes.Repeat([]byte{1}, keySize))

// submission is one whose content depends on n.
func submission(n int) *class.Submission {
	files := map[string][]byte{"init.go": fmt.Appendf(nil, "package initializers // %d\n", n)}
	return &class.Submission{Name: fmt.Sprint("student", n), Content: handin.Content{Folders: map[string]*workspace.Folder{"step01_init": {Files: files}}}}
}

// echo is a report from which one sees what was graded.
func echo(_ context.Context, s *class.Submission) (*report.Report, error) {
	return &report.Report{Schema: report.Schema, Kit: course.Version, Seed: terms.Seed, Sandbox: terms.Sandbox,
		Steps: []report.Step{{ID: "step01", Score: new(int), Verdict: verdict.NotImplemented}},
		Impl:  string(s.Folders["step01_init"].Files["init.go"]) + s.Name}, nil
}

// open returns connections to one embedded server.
func open(t *testing.T) func() *Queue {
	url, stop, err := Embed(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(stop)
	return func() *Queue {
		q, err := Open(t.Context(), url, "", testKey)
		require.NoError(t, err)
		t.Cleanup(q.Close)
		return q
	}
}

// start runs a worker until the test, or ctx, ends.
func start(t *testing.T, ctx context.Context, q *Queue, g *fake, jobs int) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	w := &Worker{Queue: q, Kit: g.terms.Kit, Jobs: jobs, Patience: time.Second, Log: func(f string, args ...any) { t.Logf(f, args...) },
		Open: func(got class.Terms) (class.Grader, error) {
			if got.Sandbox != g.terms.Sandbox {
				return nil, errors.New("no such sandbox here")
			}
			return g, nil
		}}
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-done)
	})
	t.Cleanup(stop)
	return stop
}

func TestGradesAndRecordsOnce(t *testing.T) {
	connect := open(t)
	g := &fake{terms: terms, grade: echo}
	start(t, t.Context(), connect(), g, 2)
	for range 2 { // the second submitter finds everything recorded
		r := connect().NewRemote(terms, false)
		var all sync.WaitGroup
		for n := range 20 {
			all.Go(func() {
				got, err := r.Grade(t.Context(), submission(n%10)) // each content is handed in twice
				if err != nil || got.Impl != fmt.Sprintf("package initializers // %d\n", n%10) {
					t.Errorf("submission %d: got %v, %v", n, got, err)
				}
			})
		}
		all.Wait()
	}
	require.EqualValues(t, 10, g.calls.Load())

	again := connect().NewRemote(terms, true)
	_, err := again.Grade(t.Context(), submission(3))
	require.NoError(t, err)
	require.EqualValues(t, 11, g.calls.Load(), "again")
}

func TestAWorkerThatDiesLosesNothing(t *testing.T) {
	connect := open(t)
	hangs := &fake{terms: terms, grade: func(ctx context.Context, _ *class.Submission) (*report.Report, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	q := connect()
	start(t, t.Context(), q, hangs, 1)
	result := make(chan error, 1)
	r := connect().NewRemote(terms, false)
	go func() {
		_, err := r.Grade(t.Context(), submission(1))
		result <- err
	}()
	require.Eventually(t, func() bool { return hangs.calls.Load() == 1 }, time.Minute, time.Millisecond)
	q.Close() // as if the machine were gone: no acknowledgement, no sign of life
	g := &fake{terms: terms, grade: echo}
	start(t, t.Context(), connect(), g, 1)
	require.NoError(t, <-result)
	require.EqualValues(t, 1, g.calls.Load())
}

func TestAStoppedWorkerHandsItsJobBack(t *testing.T) {
	connect := open(t)
	hangs := &fake{terms: terms, grade: func(ctx context.Context, _ *class.Submission) (*report.Report, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	stop := start(t, t.Context(), connect(), hangs, 1)
	result := make(chan error, 1)
	go func() {
		_, err := connect().NewRemote(terms, false).Grade(t.Context(), submission(1))
		result <- err
	}()
	require.Eventually(t, func() bool { return hangs.calls.Load() == 1 }, time.Minute, time.Millisecond)
	stop()
	start(t, t.Context(), connect(), &fake{terms: terms, grade: echo}, 1)
	require.NoError(t, <-result)
}

func TestASubmissionThatEndsItsWorkers(t *testing.T) {
	connect := open(t)
	result := make(chan *report.Report, 1)
	r := connect().NewRemote(terms, false)
	go func() {
		got, err := r.Grade(t.Context(), submission(1))
		assert.NoError(t, err)
		result <- got
	}()
	for range 2 * tries { // for what seems to have done so is tried once more, in a round of its own
		hangs := &fake{terms: terms, grade: func(ctx context.Context, _ *class.Submission) (*report.Report, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		q := connect()
		start(t, t.Context(), q, hangs, 1)
		require.Eventually(t, func() bool { return hangs.calls.Load() == 1 }, time.Minute, time.Millisecond)
		q.Close() // as if it had ended the whole machine
	}
	g := &fake{terms: terms, grade: echo}
	start(t, t.Context(), connect(), g, 1)
	got := <-result
	require.EqualValues(t, 0, g.calls.Load(), "it is given to nobody any more")
	require.False(t, got.GraderFailed())
	require.Equal(t, verdict.Exited, got.Steps[0].Verdict)
	require.Zero(t, *got.Steps[0].Score)
	require.Equal(t, "could not be graded: it ended 5 workers, one after the other", got.Steps[0].Message)
}

// Who cannot write results cannot say either that a job ends its workers.
func TestForgedBeginnings(t *testing.T) {
	q := open(t)()
	j, err := testKey.newJob(submission(1), terms, "")
	require.NoError(t, err)
	again, err := testKey.newJob(submission(1), terms, newNumber())
	require.NoError(t, err)
	_, err = q.setBegun(t.Context(), again, begun{Ended: tries})
	require.NoError(t, err)
	of, err := q.results.Get(t.Context(), again.begunKey())
	require.NoError(t, err)
	for name, forged := range map[string]string{
		"not signed": `{"ended": 5}`, "of another round": string(of.Value()), "no JSON": "5", "altered": strings.Replace(string(of.Value()), "5", "6", 1),
	} {
		revision, err := q.results.Put(t.Context(), j.begunKey(), []byte(forged))
		require.NoError(t, err)
		b, err := q.begun(t.Context(), j)
		require.NoError(t, err, name)
		require.Equal(t, begun{revision: revision}, b, name)
	}
	b, err := q.begun(t.Context(), again)
	require.NoError(t, err)
	require.Equal(t, tries, b.Ended)
}

func TestASubmissionThatCannotBeGraded(t *testing.T) {
	connect := open(t)
	fails := &fake{terms: terms, grade: func(context.Context, *class.Submission) (*report.Report, error) {
		return nil, errors.New("out of order")
	}}
	start(t, t.Context(), connect(), fails, 1)
	r := connect().NewRemote(terms, false)
	got, err := r.Grade(t.Context(), submission(1))
	require.NoError(t, err)
	require.True(t, got.GraderFailed())
	require.Equal(t, verdict.GraderError, got.Steps[0].Verdict)
	require.Nil(t, got.Steps[0].Score)
	require.EqualValues(t, tries, fails.calls.Load())

	fails.grade = echo // repaired: what failed is tried again
	got, err = r.Grade(t.Context(), submission(1))
	require.NoError(t, err)
	require.False(t, got.GraderFailed())
}

func TestOtherKitsAreLeftToOthers(t *testing.T) {
	connect := open(t)
	other := &fake{terms: class.Terms{Kit: "kit2", Sandbox: "limits"}, grade: echo}
	start(t, t.Context(), connect(), other, 1)
	g := &fake{terms: terms, grade: echo}
	start(t, t.Context(), connect(), g, 1)
	_, err := connect().NewRemote(terms, false).Grade(t.Context(), submission(1))
	require.NoError(t, err)
	require.Zero(t, other.calls.Load())
}

func TestNobodyIsLetInWithoutTheToken(t *testing.T) {
	url, stop, err := Embed(t.TempDir())
	require.NoError(t, err)
	defer stop()
	_, err = Open(t.Context(), redacted(url), "", testKey)
	require.ErrorContains(t, err, "Authorization")
	require.NotContains(t, err.Error(), url)
}

func TestNoServer(t *testing.T) {
	_, err := Open(t.Context(), "nats://secret@127.0.0.1:1", "", testKey)
	require.ErrorContains(t, err, "no NATS server answers at nats://127.0.0.1:1")
	require.NotContains(t, err.Error(), "secret")
}

// Whoever reaches the server without the key of the run writes no marks: what
// was recorded is removed and the job done by a worker that has it.
func TestForgedResults(t *testing.T) {
	connect := open(t)
	q := connect()
	s := submission(1)
	j, err := testKey.newJob(s, terms, "")
	require.NoError(t, err)
	right, err := echo(t.Context(), s)
	require.NoError(t, err)
	rich := *right
	million := 1_000_000
	rich.Steps = []report.Step{{ID: "step01", Score: &million, Max: million, Verdict: verdict.Passed}}
	signed := func(k Key, r *report.Report) []byte {
		data, err := k.seal(j, outcome{report: r})
		require.NoError(t, err)
		return data
	}
	bare, err := json.Marshal(right)
	require.NoError(t, err)
	other := *right
	other.Seed++
	for name, forged := range map[string][]byte{
		"unreadable":   []byte("{"),
		"nothing":      nil,
		"not signed":   bare,
		"another key":  signed(bytes.Repeat([]byte{2}, keySize), right),
		"a million":    signed(testKey, &rich),
		"another seed": signed(testKey, &other),
		"changed":      bytes.Replace(signed(testKey, right), []byte("0"), []byte("1"), 1),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := q.results.Put(t.Context(), j.ID, forged)
			require.NoError(t, err)
			_, err = testKey.verify(j, forged)
			require.Error(t, err)
			g := &fake{terms: terms, grade: echo}
			stop := start(t, t.Context(), connect(), g, 1)
			defer stop()
			got, err := connect().NewRemote(terms, false).Grade(t.Context(), s)
			require.NoError(t, err)
			require.Zero(t, *got.Steps[0].Score)
			require.EqualValues(t, 1, g.calls.Load())
		})
	}
}

// A worker with another key sees no jobs, and a message that is no job stops
// nobody.
func TestUninvited(t *testing.T) {
	connect := open(t)
	q := connect()
	for _, message := range []string{"{", "{}", `{"id":"../x"}`, `{"id":"00000000000000000000000000000000"}`} {
		_, err := q.js.Publish(t.Context(), testKey.subject(terms.Kit), []byte(message))
		require.NoError(t, err)
	}
	stranger := connect()
	stranger.key = bytes.Repeat([]byte{2}, keySize)
	uninvited := &fake{terms: terms, grade: echo}
	start(t, t.Context(), stranger, uninvited, 1)
	g := &fake{terms: terms, grade: echo}
	start(t, t.Context(), connect(), g, 1)
	_, err := connect().NewRemote(terms, false).Grade(t.Context(), submission(1))
	require.NoError(t, err)
	require.Zero(t, uninvited.calls.Load())
}

func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue.key")
	_, err := ReadKey(path)
	require.ErrorContains(t, err, "cannot be read")
	made, err := MakeKey(path)
	require.NoError(t, err)
	again, err := MakeKey(path)
	require.NoError(t, err)
	require.Equal(t, made, again)
	require.Len(t, made, keySize)
	require.NoError(t, os.WriteFile(path, []byte("secret"), 0o600))
	_, err = ReadKey(path)
	require.ErrorContains(t, err, "is no key of a run")
}
