// Command shrinker is what `grade quantize` runs: the student's own formats of
// step 15, on the parameters of a model.
//
//	shrinker IN FORMAT OUT   read a state dictionary, store it in FORMAT, write what it is then
//
// It writes run.Events to standard output, as the training program does.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/stubformer/stubformer/grader/studio/train/run"
	"github.com/stubformer/stubformer/grader/studio/train/weights"
	"github.com/stubformer/stubformer/reference/tensor"
	formats "github.com/stubformer/stubformer/steps/step15_formats"
)

func main() {
	events := json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr // for what the student's code prints
	event, err := shrink(os.Args[1:])
	if err != nil {
		event = run.Event{Error: err.Error()}
	}
	events.Encode(event)
	if err != nil {
		os.Exit(1)
	}
}

// shrink does the work and says how many bytes the parameters take.
func shrink(args []string) (run.Event, error) {
	if len(args) != 3 {
		return run.Event{}, fmt.Errorf("the arguments are %q; want a file, a format and a file", args)
	}
	state, err := weights.Read(args[0])
	if err != nil {
		return run.Event{}, err
	}
	var params []*tensor.Param
	for _, name := range slices.Sorted(maps.Keys(state)) {
		params = append(params, &tensor.Param{Name: name, Value: state[name]})
	}
	bytes, err := formats.Shrink(params, args[1])
	if err != nil {
		return run.Event{}, err
	}
	return run.Event{Bytes: bytes}, weights.Write(args[2], state)
}
