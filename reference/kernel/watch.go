package kernel

import "sync/atomic"

// watcher sees every product of matrices; nil if nobody does.
var watcher atomic.Pointer[func(rows, cols, depth int)]

// WatchProducts lets see know of every product of matrices of the process before it is computed: those of Gemm and all
// its kin, and not of MatVec, which is one of a matrix and a vector. rows and cols are the size of C, depth is how many
// products each of its elements is the sum of. A see that panics keeps the product from being computed. It is called by
// those who compute, which may be several at a time. WatchProducts returns a function that puts the former watcher back.
func WatchProducts(see func(rows, cols, depth int)) (stop func()) {
	old := watcher.Swap(&see)
	return func() { watcher.Store(old) }
}

// watched tells the watcher of a product C = A·B.
func watched(c, a Matrix) {
	if see := watcher.Load(); see != nil {
		(*see)(c.Rows, c.Cols, a.Cols)
	}
}
