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
// the first, of which the validation loss and the sample alone are known.
type Step struct {
	Step            int      `json:"step"`
	Loss            float64  `json:"loss,omitzero"`              // of the step's batch, in nats per token
	ValidationLoss  *float64 `json:"validation_loss,omitempty"`  // nats per token; nil where it was not measured
	LR              float64  `json:"lr,omitzero"`                // learning rate
	GradNorm        float64  `json:"grad_norm,omitzero"`         // before clipping
	BalanceLoss     float64  `json:"balance_loss,omitzero"`      // of a mixture of experts, summed over the layers: in the text that the first shard read last
	ZLoss           float64  `json:"z_loss,omitzero"`            // likewise; neither is in Loss
	TokensPerSecond float64  `json:"tokens_per_second,omitzero"` // of training alone, averaged over the last steps; 0: not known
	Sample          string   `json:"sample,omitzero"`            // what the model writes by now

	// Surprise is −log p, in nats, of the token that each character of the sample belongs to.
	Surprise []float64 `json:"surprise,omitzero"`
}

// Evaluated is what a model's loss is over a whole text.
type Evaluated struct {
	Loss   float64 `json:"loss"`   // nats per token, the mean
	Tokens int     `json:"tokens"` // foretold
}

// Event is one line of the training program's output. One field is set.
type Event struct {
	Start     *Start     `json:"start,omitempty"`
	Step      *Step      `json:"step,omitempty"`
	Saved     *Saved     `json:"saved,omitempty"`
	Tokens    []int      `json:"tokens,omitempty"` // that were generated
	Bytes     int        `json:"bytes,omitempty"`  // that a model takes in another format
	Evaluated *Evaluated `json:"evaluated,omitempty"`
	Tuned     *Tuned     `json:"tuned,omitempty"`
	Drafted   *Drafted   `json:"drafted,omitempty"`
	Served    *Served    `json:"served,omitempty"`
	Doubt     *Doubt     `json:"doubt,omitempty"`
	Error     string     `json:"error,omitempty"` // why the program ends early

	Answer  json.RawMessage `json:"answer,omitempty"`  // to an inside.Question
	Refused string          `json:"refused,omitempty"` // why there is no answer
}

// The kinds of doubts.
const (
	WrongLoss  = "loss"  // the loss is another than that of the logits
	WrongSlope = "slope" // the gradient of a tensor is not the slope of the loss
)

// Doubt says what does not fit together in a model.
type Doubt struct {
	Kind string  `json:"kind"`
	Step int     `json:"step"` // before it
	Name string  `json:"name,omitempty"`
	Got  float64 `json:"got"` // what the student's code says
	Want float64 `json:"want"`
}

// Start says what is about to be trained.
type Start struct {
	Step          int `json:"step"` // 0, or the step of the checkpoint
	Params        int `json:"params"`
	FLOPsPerToken int `json:"flops_per_token"` // of the matrix products of a training step, forward and backward
	TokensPerStep int `json:"tokens_per_step"`
	Steps         int `json:"steps,omitempty"` // that are to be made, of a milestone
}

// Saved says that a checkpoint has been written.
type Saved struct {
	Step int `json:"step"`
}

// Pace is how many tokens a second a model reads at one position of a text, one by
// one: with a cache, and by reading the whole text again for each.
type Pace struct {
	Position int     `json:"position"`
	With     float64 `json:"with"` // 0 if there is no cache
	Without  float64 `json:"without"`
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

// ReadLog returns the steps in a run's log. A line that cannot be read, such as
// one that was not written to its end, does not count.
func ReadLog(dir string) ([]Step, error) {
	data, err := os.ReadFile(filepath.Join(dir, LogFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var steps []Step
	for line := range bytes.Lines(data) {
		if s, ok := readStep(line); ok {
			steps = append(steps, s)
		}
	}
	return steps, err
}

// readStep reads a line of the log.
func readStep(line []byte) (s Step, ok bool) {
	whole := bytes.HasPrefix(line, []byte(`{"step":`)) && bytes.HasSuffix(line, []byte("\n"))
	return s, whole && json.Unmarshal(line, &s) == nil
}

// Log is a run's log, open for appending. It and the checkpoint agree whenever
// the program is killed: a checkpoint counts once it has its name, and it gets
// that from Commit, after the steps that led to it are in the log.
type Log struct {
	dir  string
	file *os.File
}

// OpenLog opens a run's log after the checkpoint of the given step, −1 for none.
// What was written later is dropped, since it is about to be computed again. A
// line before it that cannot be read stays as it is.
func OpenLog(dir string, step int) (*Log, error) {
	// What was not committed belongs to steps that are dropped.
	if err := removeFile(filepath.Join(dir, PendingFile)); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, LogFile)
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(int64(upTo(data, step))); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Log{dir, f}, nil
}

// upTo returns how many bytes of a log end with its last line of a step that is
// not later than the given one.
func upTo(data []byte, step int) int {
	end, kept := 0, 0
	for line := range bytes.Lines(data) {
		end += len(line)
		s, ok := readStep(line)
		if ok && s.Step > step {
			break
		}
		if ok {
			kept = end
		}
	}
	return kept
}

// Append writes a step.
func (l *Log) Append(s Step) error { return json.NewEncoder(l.file).Encode(s) }

// Commit gives a checkpoint that was written as PendingFile the name by which a
// run is continued. All its steps must have been appended.
func (l *Log) Commit() error {
	if err := l.file.Sync(); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(l.dir, PendingFile), filepath.Join(l.dir, CheckpointFile)); err != nil {
		return err
	}
	// The new name is safe from a power cut once the folder is on the disk; not
	// every system can do that.
	if folder, err := os.Open(l.dir); err == nil {
		folder.Sync()
		folder.Close()
	}
	return nil
}

// Close closes the log.
func (l *Log) Close() error { return l.file.Close() }
