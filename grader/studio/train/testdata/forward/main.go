// Command forward prints the logits (T, V) of a folder's imported model for the
// token ids that are its further arguments, as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/stubformer/stubformer/grader/programs/fresh"
	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

func main() {
	if err := forward(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func forward(dir string, args []string) error {
	c, err := run.Open(dir)
	if err != nil {
		return err
	}
	state, err := weights.Read(filepath.Join(dir, run.WeightsFile))
	if err != nil {
		return err
	}
	m := fresh.Model(lm.Config{VocabSize: c.VocabSize, ContextLength: c.Model.ContextLength, DModel: c.Model.DModel,
		NumLayers: c.Model.NumLayers, NumHeads: c.Model.NumHeads, DFF: c.Model.DFF, RopeTheta: c.Model.RopeTheta}, state)
	if err := m.LoadState(state); err != nil {
		return err
	}
	ids := make([]int, len(args))
	for i, arg := range args {
		if ids[i], err = strconv.Atoi(arg); err != nil {
			return err
		}
	}
	logits, err := m.Forward([][]int{ids})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(logits.Data)
}
