package seq2seq

import (
	"fmt"

	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// PaddingMask returns the mask of n queries over the M keys of each sequence, of which only
// those that are real are seen, by every query:
//
//	Attend[(b·n + i)·M + j] = real[b][j]
//
// real has B rows of M entries: true is a token, false is padding. What is padding as a
// query is not asked: nobody reads what it becomes. It panics with a ShapeError if the rows
// of real are not equally long.
func PaddingMask(real [][]bool, n int) *attention.Mask {
	mask := &attention.Mask{N: n}
	for b, keys := range real {
		if b == 0 {
			mask.M = len(keys)
		}
		if len(keys) != mask.M {
			panic(tensor.ShapeError{Op: fmt.Sprintf("seq2seq.PaddingMask: real[%d]", b), Got: []int{len(keys)},
				Want: []int{mask.M}})
		}
		for range n {
			mask.Attend = append(mask.Attend, keys...)
		}
	}
	return mask
}
