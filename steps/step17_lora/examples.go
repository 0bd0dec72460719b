package lora

import "github.com/stubformer/stubformer/reference/tensor"

// Example is a text to learn from: at every position the model reads IDs and is to
// predict Targets, and the loss counts the positions that are Counted.
type Example struct {
	IDs, Targets []int
	Counted      []bool
}

// NewExample returns the example in which a prompt is followed by its answer, and the
// answer by the token end. Counted are the positions whose *target* belongs to the answer
// or is its end: the model learns neither to write the prompt nor to go on for ever.
// With P tokens of prompt and N of answer the example has P + N positions. It panics with
// a ShapeError if the prompt is empty: nothing would predict the answer's first token.
//
// Source: Ouyang et al., "Training language models to follow instructions with human
// feedback", 2022, section 3.5, for the tuning; that the prompt is left out of the loss is
// the usual practice of the programs that do it.
func NewExample(prompt, answer []int, end int) Example {
	panic(tensor.TODO("step17: NewExample"))
}

// Batch lays examples under each other, (B, T) with the T of the longest. Shorter rows
// are filled up behind with pad, which counts nowhere. pad may be the token that ends an
// answer: what counts is decided by the place and not by the token.
func Batch(examples []Example, pad int) (ids, targets [][]int, counted [][]bool) {
	panic(tensor.TODO("step17: Batch"))
}

// Pack lays examples one behind the other in one row of the given length T, and fills it
// up with pad. attend (T, T) says for query i whether it may attend to key j, at i·T + j:
// if both are of the same example and j ≤ i. A position of the padding attends to itself
// alone. Without the mask an example would read those before it; new positions would
// change nothing about that. It panics with a ShapeError if T is too short.
//
// Source: Krell et al., "Efficient Sequence Packing without Cross-contamination", 2021,
// section 3.2.
func Pack(examples []Example, length, pad int) (packed Example, attend []bool) {
	panic(tensor.TODO("step17: Pack"))
}
