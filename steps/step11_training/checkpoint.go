package training

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step10_lm"
)

// State is everything that a training run needs to go on as if it had never
// stopped.
type State struct {
	Config lm.Config                 // of the model
	Step   int                       // how many updates were made
	Params map[string]*tensor.Tensor // the state dictionary
	M, V   map[string]*tensor.Tensor // AdamW's two means, by the name of their parameter
	RNG    []byte                    // the generator that draws the batches, from its MarshalBinary
}

// Save writes a checkpoint to path, whole or not at all: whenever the program
// fails or is killed, path is the old checkpoint or the new one. It writes to
// another file in the same folder, calls Sync on it, renames it to path, and
// leaves nothing else behind.
//
// The form of the file is yours. A good one begins with some bytes that no other
// program's file begins with and the length of the file, goes on with a header
// in JSON that lists the tensors with their shapes, then has the numbers, and
// ends with a checksum (crypto/sha256) of everything before it. Numbers must
// come back bit for bit.
func Save(path string, s *State) error {
	panic(tensor.TODO("step11: Save"))
}

// Load reads a checkpoint. It returns a state only if every bit is as it was
// saved. The error says which it is: the file cannot be read, is not a
// checkpoint, was cut off, or is damaged. Whatever the file holds, Load does not
// panic and takes no more memory than the size of the file accounts for.
func Load(path string) (*State, error) {
	panic(tensor.TODO("step11: Load"))
}
