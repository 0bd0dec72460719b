package seq2seq

import (
	"fmt"
	"math/rand/v2"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Pad, Begin and End are the first tokens of both vocabularies; words begin at First.
// Ignored is the label of what does not count.
const (
	Pad, Begin, End, First = 0, 1, 2, 3

	Ignored = -1
)

// Teach appends token by token.
func Teach(targets [][]int) (inputs, labels [][]int) {
	width := 1
	for _, y := range targets {
		width = max(width, 1+len(y))
	}
	for _, y := range targets {
		in, out := []int{Begin}, []int{}
		for _, token := range y {
			in, out = append(in, token), append(out, token)
		}
		out = append(out, End)
		for len(in) < width {
			in, out = append(in, Pad), append(out, Ignored)
		}
		inputs, labels = append(inputs, in), append(labels, out)
	}
	return inputs, labels
}

// Chosen is the share of tokens that Corrupt chooses. Of the chosen ones Masked become the
// mask, and Replaced any token; the others stay.
const (
	Chosen   = 0.15
	Masked   = 0.8
	Replaced = 0.1
)

// Corrupt decides token by token.
func Corrupt(ids [][]int, vocab, mask int, rng *rand.Rand) (inputs, labels [][]int) {
	decide := func(id int) (input, label int) {
		if id == Pad {
			return Pad, Ignored
		}
		if !(rng.Float64() < Chosen) {
			return id, Ignored
		}
		v := rng.Float64()
		if v < Masked {
			return mask, id
		}
		if v < Masked+Replaced {
			return First + int(rng.Float64()*float64(vocab-First)), id
		}
		return id, id
	}
	for b := range ids {
		inputs, labels = append(inputs, make([]int, len(ids[b]))), append(labels, make([]int, len(ids[b])))
		for t, id := range ids[b] {
			inputs[b][t], labels[b][t] = decide(id)
		}
	}
	return inputs, labels
}

// checkIDs returns an error unless ids is a rectangle of ids below the limit.
func checkIDs(op string, ids [][]int, limit int) error {
	for b, row := range ids {
		if len(row) != len(ids[0]) {
			return tensor.ShapeError{Op: fmt.Sprintf("%s[%d]", op, b), Got: []int{len(row)}, Want: []int{len(ids[0])}}
		}
		for t, id := range row {
			if id < 0 || id >= limit {
				return tensor.IndexError{Op: fmt.Sprintf("%s[%d][%d]", op, b, t), Got: id, Limit: limit}
			}
		}
	}
	return nil
}
