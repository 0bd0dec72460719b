package subject

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/stubformer/stubformer/reference/tensor"
)

// Together makes a call that keeps nothing, also from other goroutines at the same time, each
// with a result of its own, and returns what it came to here. It panics where the results
// differ: a table that the first call fills is not full yet for the second.
func Together(call func() *tensor.Tensor) *tensor.Tensor {
	if runtime.GOMAXPROCS(0) <= neighbours {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1 + neighbours))
	}
	var others [neighbours]*tensor.Tensor
	var all sync.WaitGroup
	for i := range others {
		all.Go(func() {
			defer func() { _ = recover() }() // the caller's own ends as this one does
			others[i] = call()
		})
	}
	own := func() *tensor.Tensor {
		defer all.Wait()
		return call()
	}()
	for _, other := range others {
		if other != nil && !slices.EqualFunc(other.Data, own.Data, sameBits) {
			panic(Broken("goroutines that call it at the same time get different numbers: what all calls share is written while others read it"))
		}
	}
	return own
}

// sameBits reports whether two numbers are the same; NaN is.
func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
