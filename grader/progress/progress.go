// Package progress keeps the history of a student's attempts: one JSON object
// a line, only ever appended to.
//
// A record is written by one write of a whole line, under a lock, and synced
// before Append returns. A kill at any moment can leave at most one torn line
// at the end; the next Append starts a line of its own, and readers skip what
// does not parse. So nothing that Append has acknowledged is ever lost.
package progress

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/stubformer/stubformer/grader/lang"
	"github.com/stubformer/stubformer/grader/report"
)

// Attempt is one record: a graded step, or a hint that was shown.
type Attempt struct {
	Time    time.Time         `json:"time"`
	Step    string            `json:"step"`
	Score   int               `json:"score"`
	Max     int               `json:"max"`
	Verdict string            `json:"verdict"`
	Seed    uint64            `json:"seed"`
	Checks  map[string]string `json:"checks,omitempty"` // verdict by check

	// InPart lists the checks that passed as far as this edition can ask.
	InPart []string `json:"in_part,omitempty"`

	// Causes are what was wrong.
	Causes []report.Finding `json:"causes,omitempty"`

	// Named lists the checks that failed by a mistake whose name was told.
	Named []string `json:"named,omitempty"`

	// Hint is the number of the hint that was shown for the check HintFor. A
	// record of a hint is no attempt: it has no score.
	Hint    int    `json:"hint,omitempty"`
	HintFor string `json:"hint_for,omitempty"`
}

// History is the file of all attempts.
type History struct{ path string }

// Open returns the history in the given file, which need not exist yet.
func Open(path string) *History { return &History{path} }

// Append adds a record. When it returns nil the record is on the disk.
func (h *History) Append(a Attempt) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o755); err != nil {
		return err
	}
	lock := flock.New(h.path + ".lock")
	if err := lock.Lock(); err != nil {
		return lang.Errorf("cannot lock the history: %w", err)
	}
	defer lock.Unlock()
	f, err := os.OpenFile(h.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	torn, err := endsTorn(f)
	if err != nil {
		return err
	}
	if torn {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return err
	}
	return f.Sync()
}

// AppendHint records that hint number n was shown for a check.
func (h *History) AppendHint(step, check string, n int) error {
	return h.Append(Attempt{Time: time.Now(), Step: step, Hint: n, HintFor: check})
}

// endsTorn reports whether the file ends in the middle of a line.
func endsTorn(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], info.Size()-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}

// Attempts returns all records, oldest first. Lines that cannot be read are
// skipped. No file means no attempts.
func (h *History) Attempts() ([]Attempt, error) {
	attempts, _, err := h.Read()
	return attempts, err
}

// Read returns all records, oldest first, and the number of lines that were
// skipped because they cannot be read: torn by a kill or edited by hand.
func (h *History) Read() (attempts []Attempt, damaged int, err error) {
	data, err := os.ReadFile(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	for line := range bytes.Lines(data) {
		var a Attempt
		switch err := json.Unmarshal(line, &a); {
		case err == nil && a.Step != "":
			attempts = append(attempts, a)
		case len(bytes.TrimSpace(line)) > 0:
			damaged++
		}
	}
	return attempts, damaged, err
}

// Best returns the best graded attempt at every step, the first of equals.
func Best(attempts []Attempt) map[string]Attempt {
	best := map[string]Attempt{}
	for _, a := range attempts {
		if a.Hint > 0 {
			continue
		}
		if b, ok := best[a.Step]; !ok || a.Score > b.Score {
			best[a.Step] = a
		}
	}
	return best
}

// Last returns the last graded attempt at every step.
func Last(attempts []Attempt) map[string]Attempt {
	last := map[string]Attempt{}
	for _, a := range attempts {
		if a.Hint == 0 {
			last[a.Step] = a
		}
	}
	return last
}

// Hints returns how many hints have been shown for a check of a step.
func Hints(attempts []Attempt, step, check string) int {
	n := 0
	for _, a := range attempts {
		if a.Step == step && a.HintFor == check {
			n = max(n, a.Hint)
		}
	}
	return n
}

// Passed returns what tells whether a step has passed.
func (h *History) Passed() (func(step string) bool, error) {
	attempts, err := h.Attempts()
	best := Best(attempts)
	return func(step string) bool {
		a, tried := best[step]
		return tried && a.Score == a.Max
	}, err
}
