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

// Teach returns what the decoder reads of each target, and what it is to answer there:
//
//	inputs[b] = Begin, y_1, …, y_n, Pad, …          labels[b] = y_1, …, y_n, End, Ignored, …
//
// The targets may be of different lengths; all rows of inputs and labels have one more token
// than the longest of them. Position t of the inputs has been told y_1 … y_t and is to say
// y_(t+1). The targets are left as they are, and inputs and labels belong to the caller.
//
// Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.1: "shifted right".
func Teach(targets [][]int) (inputs, labels [][]int) {
	panic(tensor.TODO("step20: Teach"))
}

// Chosen is the share of tokens that Corrupt chooses. Of the chosen ones Masked become the
// mask, and Replaced any token; the others stay.
const (
	Chosen   = 0.15
	Masked   = 0.8
	Replaced = 0.1
)

// Corrupt hides tokens that an encoder is to guess. For every token that is not Pad, row
// after row, it draws u = rng.Float64() and chooses it where u < Chosen. For a chosen one it
// draws v = rng.Float64():
//
//	v < Masked               the input is mask
//	v < Masked + Replaced    the input is First + ⌊w·(vocab − First)⌋, with a third draw w
//	else                     the input is the token itself
//
// and the label is the token. Where none is chosen the input is the token and the label
// Ignored. ids is (B, T) and left as it is; inputs and labels belong to the caller.
//
// Source: Devlin et al., "BERT", 2019, section 3.1.
func Corrupt(ids [][]int, vocab, mask int, rng *rand.Rand) (inputs, labels [][]int) {
	panic(tensor.TODO("step20: Corrupt"))
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
