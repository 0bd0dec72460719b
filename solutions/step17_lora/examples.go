package lora

import (
	"slices"

	"github.com/stubformer/stubformer/reference/tensor"
)

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
	if len(prompt) == 0 {
		panic(tensor.ShapeError{Op: "lora.NewExample: prompt", Got: []int{0}, Want: []int{1}})
	}
	text := slices.Concat(prompt, answer, []int{end})
	last := len(text) - 1
	e := Example{IDs: text[:last:last], Targets: text[1:], Counted: make([]bool, last)}
	for t := len(prompt) - 1; t < last; t++ {
		e.Counted[t] = true // Targets[t] is text[t+1]
	}
	return e
}

// Batch lays examples under each other, (B, T) with the T of the longest. Shorter rows
// are filled up behind with pad, which counts nowhere. pad may be the token that ends an
// answer: what counts is decided by the place and not by the token.
func Batch(examples []Example, pad int) (ids, targets [][]int, counted [][]bool) {
	longest := 0
	for _, e := range examples {
		longest = max(longest, len(e.IDs))
	}
	for _, e := range examples {
		e = e.padded(longest, pad)
		ids, targets, counted = append(ids, e.IDs), append(targets, e.Targets), append(counted, e.Counted)
	}
	return ids, targets, counted
}

// padded returns a copy with so many positions.
func (e Example) padded(length, pad int) Example {
	more := length - len(e.IDs)
	fill := slices.Repeat([]int{pad}, more)
	return Example{IDs: slices.Concat(e.IDs, fill), Targets: slices.Concat(e.Targets, fill),
		Counted: slices.Concat(e.Counted, make([]bool, more))}
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
	attend = make([]bool, length*length)
	for _, e := range examples {
		from := len(packed.IDs)
		packed.IDs = append(packed.IDs, e.IDs...)
		packed.Targets = append(packed.Targets, e.Targets...)
		packed.Counted = append(packed.Counted, e.Counted...)
		if len(packed.IDs) > length {
			panic(tensor.ShapeError{Op: "lora.Pack: length", Got: []int{length}, Want: []int{len(packed.IDs)}})
		}
		for i := from; i < len(packed.IDs); i++ {
			for j := from; j <= i; j++ {
				attend[i*length+j] = true
			}
		}
	}
	for i := len(packed.IDs); i < length; i++ {
		attend[i*length+i] = true
	}
	return packed.padded(length, pad), attend
}
