package seq2seq

import (
	"github.com/stubformer/stubformer/reference/tensor"
	"github.com/stubformer/stubformer/steps/step08_attention"
)

// PaddingMask fills in entry by entry.
func PaddingMask(real [][]bool, n int) *attention.Mask {
	m := 0
	if len(real) > 0 {
		m = len(real[0])
	}
	mask := &attention.Mask{N: n, M: m, Attend: make([]bool, len(real)*n*m)}
	for b, row := range real {
		if len(row) != m {
			panic(tensor.ShapeError{Op: "PaddingMask: real", Got: []int{len(row)}, Want: []int{m}})
		}
		for j, there := range row {
			for i := range n {
				mask.Attend[(b*n+i)*m+j] = there
			}
		}
	}
	return mask
}
