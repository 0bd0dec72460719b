package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// snapshotFolder holds the parameters as they were after some of the steps.
const snapshotFolder = "snapshots"

// snapshotBytes is about how much all snapshots of a run may take.
const snapshotBytes = 256 << 20

// snapshotName is the name of a snapshot's file.
const snapshotName = "step-%07d.safetensors"

// Snapshot returns the file that holds the parameters after a step.
func Snapshot(dir string, step int) string {
	return filepath.Join(dir, snapshotFolder, fmt.Sprintf(snapshotName, step))
}

// NewSnapshot is Snapshot for a file that is to be written: its folder is made.
func NewSnapshot(dir string, step int) (string, error) {
	return Snapshot(dir, step), os.MkdirAll(filepath.Join(dir, snapshotFolder), 0o755)
}

// Snapshots returns the steps of which a run's folder has the parameters, in order.
func Snapshots(dir string) ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(dir, snapshotFolder)) // in the order of their names
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var steps []int
	for _, e := range entries {
		var step int
		if _, err := fmt.Sscanf(e.Name(), "step-%d.safetensors", &step); err == nil && e.Name() == fmt.Sprintf(snapshotName, step) {
			steps = append(steps, step)
		}
	}
	return steps, err
}

// KeepsSnapshot reports whether a run keeps the parameters after a step at which it
// looks at the validation text: at each of them, or, where a model has many
// parameters, at so many of them that not more than 256 MB are used.
func (r Recipe) KeepsSnapshot(step, params int) bool {
	looks := r.Steps/r.EvalEvery + 1
	every := max(1, (looks*4*params+snapshotBytes-1)/snapshotBytes)
	return step%(r.EvalEvery*every) == 0
}
