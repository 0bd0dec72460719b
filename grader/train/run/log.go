package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Step is what is known after an optimisation step; step 0 is the model before
// the first. What was not measured is 0.
type Step struct {
	Step            int     `json:"step"`
	Loss            float64 `json:"loss,omitzero"`              // of the step's batch, in nats per token
	ValidationLoss  float64 `json:"validation_loss,omitzero"`   // nats per token
	LR              float64 `json:"lr,omitzero"`                // learning rate
	GradNorm        float64 `json:"grad_norm,omitzero"`         // before clipping
	TokensPerSecond float64 `json:"tokens_per_second,omitzero"` // of training alone, averaged over the last steps
	Sample          string  `json:"sample,omitzero"`            // what the model writes by now
}

// Event is one line of the training program's output. One field is set.
type Event struct {
	Start  *Start `json:"start,omitempty"`
	Step   *Step  `json:"step,omitempty"`
	Saved  *Saved `json:"saved,omitempty"`
	Tokens []int  `json:"tokens,omitempty"` // that were generated
	Error  string `json:"error,omitempty"`  // why the program ends early
}

// Start says what is about to be trained.
type Start struct {
	Step          int `json:"step"` // 0, or the step of the checkpoint
	Params        int `json:"params"`
	FLOPsPerToken int `json:"flops_per_token"` // of the matrix products of a training step, forward and backward
	TokensPerStep int `json:"tokens_per_step"`
}

// Saved says that a checkpoint has been written.
type Saved struct {
	Step int `json:"step"`
}

// Generation says what is to be generated.
type Generation struct {
	Prompt      []int   `json:"prompt"`
	Tokens      int     `json:"tokens"` // at most
	Temperature float64 `json:"temperature"`
	TopP        float64 `json:"top_p"`
	Stop        int     `json:"stop"` // −1: none
	Seed        uint64  `json:"seed"`
}

// ReadLog returns the steps in a run's log. A line that was not written to its
// end, and what follows it, does not count.
func ReadLog(dir string) ([]Step, error) {
	data, err := os.ReadFile(filepath.Join(dir, LogFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var steps []Step
	for line := range bytes.Lines(data) {
		var s Step
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &s) != nil {
			break
		}
		steps = append(steps, s)
	}
	return steps, err
}

// Log is a run's log, open for appending.
type Log struct{ file *os.File }

// OpenLog opens a run's log after a checkpoint of the given step: what was
// written later is dropped, since it is about to be computed again.
func OpenLog(dir string, step int) (*Log, error) {
	steps, err := ReadLog(dir)
	if err != nil {
		return nil, err
	}
	var kept bytes.Buffer
	w := json.NewEncoder(&kept)
	for _, s := range steps {
		if s.Step > step {
			break
		}
		if err := w.Encode(s); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(dir, LogFile)
	if err := WriteFile(path, kept.Bytes()); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o644)
	return &Log{f}, err
}

// Append writes a step.
func (l *Log) Append(s Step) error { return json.NewEncoder(l.file).Encode(s) }

// Close closes the log.
func (l *Log) Close() error { return l.file.Close() }
