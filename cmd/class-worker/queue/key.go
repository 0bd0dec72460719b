package queue

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/stubformer/stubformer/cmd/teach/class"
	"github.com/stubformer/stubformer/grader/report"
)

// Key is the secret of a run. Who submits and the workers that are invited have
// it; what is written without it counts for nothing.
type Key []byte

// keySize is how many bytes a key has.
const keySize = 32

// ReadKey reads a key from a file.
func ReadKey(path string) (Key, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the key of the run cannot be read: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(data)))
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("%s is no key of a run: want %d hexadecimal digits, as grade class writes them", path, 2*keySize)
	}
	return key, nil
}

// MakeKey reads a key from a file, or writes a new one that nobody else can read.
func MakeKey(path string) (Key, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return ReadKey(path)
	}
	if err != nil {
		return nil, err
	}
	key := make(Key, keySize)
	rand.Read(key) // never fails
	_, err = fmt.Fprintln(f, hex.EncodeToString(key))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return key, nil
}

// sum is the code that nobody without the key can work out for the texts.
func (k Key) sum(purpose string, data ...[]byte) string {
	h := hmac.New(sha256.New, k)
	for _, d := range append([][]byte{[]byte(purpose)}, data...) {
		fmt.Fprintf(h, "%d:", len(d))
		h.Write(d)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// subject is where jobs of the run for a kit lie: workers with another kit, or
// another key, do not see them.
func (k Key) subject(kit string) string { return subjects + kit + "-" + k.sum("run")[:16] }

// result is a report as it is recorded.
type result struct {
	Report    json.RawMessage `json:"report"`
	Ended     int             `json:"ended,omitempty"` // in how many rounds it ended its workers, which is why it has no points
	Signature string          `json:"signature"`
}

func (k Key) signResult(j job, r result) string {
	return k.sum("result", []byte(j.ID), []byte(strconv.Itoa(r.Ended)), r.Report)
}

// seal returns what is recorded of a job.
func (k Key) seal(j job, o outcome) ([]byte, error) {
	data, err := json.Marshal(o.report)
	if err != nil {
		return nil, err
	}
	if len(data) > report.MaxSize {
		return nil, fmt.Errorf("the report has %d bytes; the most is %d", len(data), report.MaxSize)
	}
	r := result{Report: data, Ended: o.ended}
	r.Signature = k.signResult(j, r)
	return json.Marshal(r)
}

// verify returns what is recorded of a job, if whoever recorded it has the key and it can
// be a report on that job.
func (k Key) verify(j job, recorded []byte) (outcome, error) {
	var r result
	if err := json.Unmarshal(recorded, &r); err != nil {
		return outcome{}, fmt.Errorf("a result in the queue cannot be read: %w", err)
	}
	if !hmac.Equal([]byte(r.Signature), []byte(k.signResult(j, r))) {
		return outcome{}, errors.New("a result in the queue is not signed with the key of the run")
	}
	o := outcome{ended: r.Ended}
	if err := json.Unmarshal(r.Report, &o.report); err != nil {
		return outcome{}, fmt.Errorf("a result in the queue cannot be read: %w", err)
	}
	if err := j.Terms.Check(o.report); err != nil {
		return outcome{}, fmt.Errorf("a result in the queue cannot be right: %w", err)
	}
	return o, o.report.Fit()
}

// newJob returns the job of a submission in a round. Its id holds the hash of the
// submission, the terms and the round, and cannot be guessed.
func (k Key) newJob(s *class.Submission, terms class.Terms, round string) (job, error) {
	data, err := json.Marshal(terms)
	return job{k.sum("job", data, []byte(s.Hash()), []byte(round))[:32], round, terms}, err
}

// valid reports whether a job that was delivered can be one of this run's.
func (j job) valid() bool {
	_, err := hex.DecodeString(j.ID)
	return err == nil && len(j.ID) == 32
}
