//go:build !portable

package kernel

import "golang.org/x/sys/cpu"

// int8RowsFast sums the first groups of every row, and says of how many.
func int8RowsFast(s isa, y []float32, w, x Int8s) (groups int) {
	rows, stride, scaleStride := len(y), len(x.Q), len(x.Scale)
	vnni := s == avx512 && cpu.X86.HasAVX512VNNI && x.Group%64 == 0
	if groups = x.wholeGroups(); groups == 0 || rows == 0 || s < avx2 {
		return 0
	}
	if vnni {
		int8RowsVNNI(&y[0], &w.Q[0], &x.Q[0], &w.Scale[0], &x.Scale[0], rows, groups, x.Group/64, stride, scaleStride)
	} else {
		int8Rows256(&y[0], &w.Q[0], &x.Q[0], &w.Scale[0], &x.Scale[0], rows, groups, x.Group/block, stride, scaleStride)
	}
	return groups
}

//go:noescape
func int8Rows256(y *float32, w, x *int8, scaleW, scaleX *float32, rows, groups, blocks, stride, scaleStride int)

//go:noescape
func int8RowsVNNI(y *float32, w, x *int8, scaleW, scaleX *float32, rows, groups, blocks, stride, scaleStride int)
