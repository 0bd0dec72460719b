package training

import (
	"context"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Report is what Run says after every update.
type Report struct {
	Step       int     // of the update, from 1
	Loss       float64 // of its batch, before the update
	Norm       float64 // of its gradient, before clipping
	LR         float64 // its learning rate
	Validation float64 // loss on the validation text after the update; NaN when there was no evaluation
	Saved      bool    // a checkpoint was written after the update
}

// Run trains until Options.Steps updates are made, counted from the very first
// of the model and not of this call. It draws batches from text, takes update
// t = 1, 2, … at the rate CosineSchedule(t, …, Steps), evaluates on validation
// every EvalEvery updates and after the last, and saves a checkpoint every
// SaveEvery updates and after the last. With EvalEvery 0 it never evaluates; with
// SaveEvery 0 the checkpoint of the end is the only one. report is called after
// every update; it may be nil, and so may validation.
//
// When ctx is cancelled before the last update, Run finishes the update that it is in,
// saves, and returns the context's error.
func (t *Trainer) Run(ctx context.Context, text, validation *Tokens, report func(Report)) error {
	panic(tensor.TODO("step11: Trainer.Run"))
}

// Evaluate returns the mean loss of Options.EvalBatches batches of a text. They
// are the same every time, so that two evaluations can be compared, and drawing
// them leaves the batches of the training alone. Like Loss it changes nothing.
func (t *Trainer) Evaluate(text *Tokens) (float64, error) {
	panic(tensor.TODO("step11: Trainer.Evaluate"))
}

// State returns the state of the training. Its tensors are those that the
// training goes on to change: save it before the next Step, or copy it.
func (t *Trainer) State() *State {
	panic(tensor.TODO("step11: Trainer.State"))
}

// Restore takes up a state that was saved: the parameters, both means, the
// number of updates and the random generator, so that the training goes on
// exactly as it would have. It copies: the state stays as it is, however the
// training goes on. The error says what does not fit the trainer's model, and then
// nothing has changed.
func (t *Trainer) Restore(s *State) error {
	panic(tensor.TODO("step11: Trainer.Restore"))
}

// Resume returns a trainer that goes on from a checkpoint: Load, NewTrainer with
// the checkpoint's configuration, Restore.
func Resume(path string, o Options) (*Trainer, error) {
	panic(tensor.TODO("step11: Resume"))
}
