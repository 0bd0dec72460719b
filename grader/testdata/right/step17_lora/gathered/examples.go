package lora

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
)

// ignored marks a label that does not count.
const ignored = -100

// Example is one text.
type Example struct {
	IDs, Targets []int
	Counted      []bool
}

// place names a target.
func place(b, t int) string { return fmt.Sprintf("targets[%d][%d]", b, t) }

// NewExample makes labels of the length of the text and shifts them.
func NewExample(prompt, answer []int, end int) Example {
	if len(prompt) < 1 {
		panic(tensor.ShapeError{Op: "NewExample: prompt", Got: []int{len(prompt)}, Want: []int{1}})
	}
	var text, labels []int
	for _, id := range prompt {
		text, labels = append(text, id), append(labels, ignored)
	}
	for _, id := range answer {
		text, labels = append(text, id), append(labels, id)
	}
	text, labels = append(text, end), append(labels, end)
	var e Example
	for t := 1; t < len(text); t++ {
		e.IDs = append(e.IDs, text[t-1])
		e.Targets = append(e.Targets, text[t])
		e.Counted = append(e.Counted, labels[t] != ignored)
	}
	return e
}

// Batch begins with rows of padding.
func Batch(examples []Example, pad int) (ids, targets [][]int, counted [][]bool) {
	width := 0
	for _, e := range examples {
		width = max(width, len(e.Targets))
	}
	for _, e := range examples {
		in, out, is := padding(width, pad)
		copy(in, e.IDs)
		copy(out, e.Targets)
		copy(is, e.Counted)
		ids, targets, counted = append(ids, in), append(targets, out), append(counted, is)
	}
	return ids, targets, counted
}

// padding is a row of nothing else.
func padding(width, pad int) (ids, targets []int, counted []bool) {
	ids, targets = make([]int, width), make([]int, width)
	for t := range width {
		ids[t], targets[t] = pad, pad
	}
	return ids, targets, make([]bool, width)
}

// Pack numbers the texts, and lets positions of one number see each other.
func Pack(examples []Example, length, pad int) (packed Example, attend []bool) {
	total := 0
	for _, e := range examples {
		total += len(e.IDs)
	}
	if total > length {
		panic(tensor.ShapeError{Op: "Pack", Got: []int{length}, Want: []int{total}})
	}
	packed.IDs, packed.Targets, packed.Counted = padding(length, pad)
	number, at := make([]int, length), 0
	for n, e := range examples {
		copy(packed.IDs[at:], e.IDs)
		copy(packed.Targets[at:], e.Targets)
		copy(packed.Counted[at:], e.Counted)
		for range e.IDs {
			number[at] = n + 1
			at++
		}
	}
	attend = make([]bool, length*length)
	for i := range length {
		for j := range i + 1 {
			attend[i*length+j] = i == j || number[i] == number[j] && number[i] > 0
		}
	}
	return packed, attend
}
